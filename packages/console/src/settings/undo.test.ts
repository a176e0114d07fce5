import request from 'supertest';
import { browserOf, PAGE, settingsPageRig, textOf } from '../../../../services/api/src/settings-page-rig.suite.ts';

const tokenIn = (html: string): string => /name="token" value="([^"]+)"/.exec(html)?.[1] ?? '';

describe('undo', () => {
  const rig = settingsPageRig();
  const call = () => rig.api.as(rig.mine.token);
  const subscriptions = async () => (await call()('get', '/v3/webhook/subscriptions')).body as { id: string }[];

  it('switches a webhook on again, with its pause, once and only if nobody has changed it', async () => {
    const browser = await browserOf(rig.api, rig.mine.token);
    const address = 'https://example.com/hook';
    await call()('put', '/v3/webhook/campaign', { address, active: true });
    await call()('post', '/v3/webhook/destinations/campaign/pause', { minutes: 60 });
    const status = async () => {
      const { items } = (await call()('get', '/v3/webhook/destinations')).body as { items: { pausedUntil?: string }[] };
      return items[0];
    };
    const before = await status();
    expect(before).toMatchObject({ state: 'paused' });
    const off = await browser.send({ do: 'switch-off-campaign' });
    expect(textOf(off.text)).toContain('Switched off.');
    expect(await status()).toMatchObject({ state: 'off' });
    const token = tokenIn(off.text);
    const undone = await browser.send({ do: 'undo', token });
    expect([undone.status, textOf(undone.text)]).toEqual([200, expect.stringContaining('Undone')]);
    expect((await call()('get', '/v3/webhook/campaign')).body).toEqual({ address, active: true });
    expect(await status()).toEqual(before);

    const twice = await browser.send({ do: 'undo', token });
    expect([twice.status, textOf(twice.text)]).toEqual([409, expect.stringContaining('It is too late to undo this')]);
    const again = tokenIn((await browser.send({ do: 'remove-campaign' })).text);
    await call()('put', '/v3/webhook/campaign', { address: 'https://example.com/other', active: true });
    const late = await browser.send({ do: 'undo', token: again });
    expect([late.status, textOf(late.text)]).toEqual([409, expect.stringContaining('was changed in the meantime')]);
    expect((await call()('get', '/v3/webhook/campaign')).body).toMatchObject({ address: 'https://example.com/other' });
  });

  it('brings back a removed address, and a deleted subscription with its settings and secrets under a new id', async () => {
    const browser = await browserOf(rig.api, rig.mine.token);
    const address = 'https://example.com/hook';
    await call()('put', '/v3/webhook/campaign', { address, active: true });
    const removed = await browser.send({ do: 'remove-campaign' });
    expect((await call()('get', '/v3/webhook/campaign')).body).toEqual({ address: null, active: false });
    await browser.send({ do: 'undo', token: tokenIn(removed.text) });
    expect((await call()('get', '/v3/webhook/campaign')).body).toEqual({ address, active: true });

    const id = await rig.api.subscribe(rig.mine, 'open', address);
    const settings = { headers: { authorization: 'Bearer x' }, maxRequestsPerSecond: 3 };
    await call()('put', `/v3/webhook/destinations/${id}/settings`, settings);
    await call()('post', `/v3/webhook/destinations/${id}/secrets`);
    const secrets = (await call()('get', `/v3/webhook/destinations/${id}/secrets`)).body as unknown;
    const deleted = await browser.send({ do: 'delete-subscription', id });
    expect(await subscriptions()).toEqual([]);
    const undone = await browser.send({ do: 'undo', token: tokenIn(deleted.text) });
    expect(textOf(undone.text)).toContain('Undone');
    const [back] = await subscriptions();
    expect(back).toMatchObject({ type: 'open', address, active: true });
    expect(back?.id).not.toBe(id);
    const own = `/v3/webhook/destinations/${back?.id ?? ''}`;
    expect((await call()('get', `${own}/settings`)).body).toMatchObject({
      headers: { authorization: true },
      maxRequestsPerSecond: 3,
    });
    expect((await call()('get', `${own}/secrets`)).body).toEqual(secrets);
  });

  it("refuses another account's token, and a text that is none", async () => {
    const browser = await browserOf(rig.api, rig.mine.token);
    await call()('put', '/v3/webhook/campaign', { address: 'https://example.com/hook', active: true });
    const token = tokenIn((await browser.send({ do: 'switch-off-campaign' })).text);
    const other = await browserOf(rig.api, (await rig.api.newAccount()).token);
    for (const wrong of [token, 'x', '*']) expect((await other.send({ do: 'undo', token: wrong })).status).toBe(409);
    expect((await browser.send({ do: 'undo', token })).status).toBe(200);
  });
});

describe('a question before an action', () => {
  const rig = settingsPageRig();

  it('is open on the page without a script, and nothing happens before its button', async () => {
    const id = await rig.api.subscribe(rig.mine, 'open', 'https://example.com/');
    const browser = await browserOf(rig.api, rig.mine.token);
    const send = (form: Record<string, string>) =>
      request(rig.api.baseUrl)
        .post(`${PAGE}/endpoints/${id}?tab=settings`)
        .set('cookie', browser.cookie)
        .type('form')
        .send(form);
    for (const [ask, title] of [
      ['ask-off', 'Switch this endpoint off?'],
      ['ask-delete', 'Delete this subscription?'],
      ['ask-pause', 'Pause this endpoint?'],
    ] as const) {
      const { status, text } = await send({ do: ask, id, destination: id });
      expect([status, textOf(text)]).toEqual([200, expect.stringContaining(title)]);
      expect(text).toMatch(/<dialog[^>]* open>/);
      expect(textOf(text)).toContain('No events are waiting for this endpoint now.');
    }
    const found = await rig.api.as(rig.mine.token)('get', `/v3/webhook/subscriptions/${id}`);
    expect(found.body).toMatchObject({ active: true });
  });
});
