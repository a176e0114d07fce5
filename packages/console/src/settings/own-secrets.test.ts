import { createHmac } from 'node:crypto';
import { eventually, goodReply, startReceiver } from '@mailhook/testing';
import type { FakeReceiver, ReceivedRequest } from '@mailhook/testing';
import { browserOf, PAGE, settingsPageRig, textOf } from '../../../../services/api/src/settings-page-rig.suite.ts';

/** The secret that a page shows once. */
const shownIn = (html: string): string => /whsec_[A-Za-z0-9+/=]+/.exec(html)?.[0] ?? '';

function isSignedWith(secret: string, { headers, text }: ReceivedRequest): boolean {
  const signed = `${headers['webhook-id']?.toString()}.${headers['webhook-timestamp']?.toString()}.${text}`;
  const signature = createHmac('sha256', Buffer.from(secret.slice(6), 'base64'))
    .update(signed)
    .digest('base64');
  return headers['webhook-signature'] === `v1,${signature}`;
}

describe('signing secrets of a destination on the settings page', () => {
  const rig = settingsPageRig();

  it('are replaced with a time in which both sign, and one of them is ended', async () => {
    const browser = await browserOf(rig.api, rig.mine.token);
    const page = async () => textOf((await browser.get(`${PAGE}/secrets`)).text);
    const first = shownIn((await browser.send({ do: 'create-secret' })).text);
    const start = first.slice(0, 10).replaceAll('+', String.raw`\+`);
    expect(await page()).toMatch(new RegExp(`${start}… Created [^,]*, not used by recent requests Replace…`));
    const rolled = await browser.send({ do: 'roll-secret', hours: '72' });
    expect(textOf(rolled.text)).toContain('The former one stops by itself.');
    expect(shownIn(rolled.text)).not.toBe('');
    expect(await page()).toMatch(/signs until .* End now/);
    expect((await browser.send({ do: 'roll-secret', hours: '72' })).status).toBe(409);
    const [old] = (await rig.api.as(rig.mine.token)('get', '/v3/webhook/secrets')).body as { id: string }[];
    await browser.send({ do: 'delete-secret', id: old?.id ?? '' });
    expect(await page()).not.toContain('signs until');
    expect((await browser.send({ do: 'roll-secret', hours: 'x' })).status).toBe(422);
  });

  let receiver: FakeReceiver;
  beforeEach(async () => {
    receiver = await startReceiver({ reply: goodReply });
  });
  afterEach(() => receiver.close());
  const browse = () => browserOf(rig.api, rig.mine.token);
  const last = (): ReceivedRequest => {
    const request = receiver.requests.at(-1);
    if (request === undefined) throw new Error('no request');
    return request;
  };

  it('are created, shown once, listed and deleted, and the page says what signs without one', async () => {
    const id = await rig.api.subscribe(rig.mine, 'open', receiver.url);
    const browser = await browse();
    const settings = `${PAGE}/endpoints/${id}?tab=settings`;
    expect((await browser.get(`${PAGE}?login=${id}`)).headers['location']).toBe(settings);
    const open = async () => (await browser.get(settings)).text;
    expect(textOf(await open())).toContain('not signed, because your account has no secrets either.');
    const account = shownIn((await browser.send({ do: 'create-secret' })).text);
    expect(textOf(await open())).toContain('No own secret Requests to it are signed with the secrets of your account.');
    const created = await browser.send({ do: 'create-secret', destination: id });
    expect(textOf(created.text)).toContain('Requests to this endpoint are signed with this secret from now on');
    const own = shownIn(created.text);
    const page = await open();
    expect([own.length > 6, own === account, page.includes(own)]).toEqual([true, false, false]);
    expect(textOf((await browser.get(`${PAGE}/secrets`)).text)).toContain(
      `These endpoints have their own secrets, and the secrets below do not sign for them`,
    );
    await browser.send({ do: 'create-secret', destination: id });
    const third = await browser.send({ do: 'create-secret', destination: id });
    expect([third.status, textOf(third.text)]).toEqual([
      409,
      expect.stringContaining('This destination has 2 signing secrets already.'),
    ]);
    const listed = (await rig.api.as(rig.mine.token)('get', `/v3/webhook/destinations/${id}/secrets`)).body as {
      readonly id: string;
    }[];
    for (const secret of listed) {
      expect(page + third.text).toContain(`secret-${secret.id}`);
      const deleted = await browser.send({ do: 'delete-secret', destination: id, id: secret.id });
      expect(textOf(deleted.text)).toContain('Deleted. Mailhook stops signing with this secret within seconds.');
      expect(deleted.text).toContain('id="own-secrets"');
    }
    expect(textOf(await open())).toContain('No own secret');
  });

  it('sign the tests of the page, also of two subscriptions with one address', async () => {
    const browser = await browse();
    const ids = await Promise.all(['open', 'click'].map((type) => rig.api.subscribe(rig.mine, type, receiver.url)));
    for (const id of ids) {
      const secret = shownIn((await browser.send({ do: 'create-secret', destination: id })).text);
      await browser.send({ do: 'test-endpoint', id });
      expect(isSignedWith(secret, last())).toBe(true);
      await browser.send({ do: 'check-endpoint', id });
      expect(receiver.requests.some((request) => isSignedWith(secret, request) && request !== last())).toBe(true);
    }
  });

  it('of the campaign webhook sign tests of its new address, and not those of a new subscription', async () => {
    const browser = await browse();
    await browser.send({ do: 'save-campaign', address: `${receiver.url}/saved` });
    const account = shownIn((await browser.send({ do: 'create-secret' })).text);
    const own = shownIn((await browser.send({ do: 'create-secret', destination: 'campaign' })).text);
    await rig.api.subscribe(rig.mine, 'open', `${receiver.url}/shared`);
    for (const address of ['/saved', '/new', '/shared']) {
      await browser.send({ do: 'test-batch', address: `${receiver.url}${address}` });
      expect([address, isSignedWith(own, last())]).toEqual([address, true]);
    }
    await browser.send({ do: 'test-new-endpoint', 'types.open': '1', address: `${receiver.url}/another` });
    expect(isSignedWith(account, last())).toBe(true);
  });

  it('count for the advice on a refused request', async () => {
    receiver.setReply(() => ({ status: 401 }));
    const id = await rig.api.subscribe(rig.mine, 'open', receiver.url);
    const other = await rig.api.subscribe(rig.mine, 'open', `${receiver.url}/other`);
    const browser = await browse();
    await browser.send({ do: 'create-secret', destination: id });
    const test = async (tested: string): Promise<string> =>
      textOf((await browser.send({ do: 'test-endpoint', id: tested })).text);
    expect(await test(id)).toContain('compare its signing secret with the endpoint’s own secret');
    expect(await test(other)).toContain('create a signing secret.');
    const page = await eventually(
      async () => {
        const { text } = await browser.get(`${PAGE}/deliveries?status=failed`);
        return text.match(/id="attempt-/g)?.length === 2 && text;
      },
      { what: 'the listed tests' },
    );
    const opened = await Promise.all(
      [...page.matchAll(/id="attempt-([^"]+)"/g)].map(async ([, attempt]) => {
        const { text } = await browser.get(`${PAGE}/deliveries?attempt=${attempt}`);
        return textOf(text.slice(text.indexOf('id="panel"')));
      }),
    );
    expect(opened.some((one) => one.includes('create a signing secret.'))).toBe(true);
    expect(opened.some((one) => one.includes('compare its signing secret'))).toBe(true);
  });
});
