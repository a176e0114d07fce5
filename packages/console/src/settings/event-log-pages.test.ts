import request from 'supertest';
import { destinationIdOf, eventType, fieldsOfEvent } from '@mailhook/core';
import { anEvent, eventually, uniqueName } from '@mailhook/testing';
import { ADMIN_TOKEN } from '../../../../services/api/src/api-rig.suite.ts';
import type { TestAccount } from '../../../../services/api/src/api-rig.suite.ts';
import { startLoggingApi } from '../../../../services/api/src/logged-events.suite.ts';
import { browserOf, PAGE, settingsPageRig, textOf } from '../../../../services/api/src/settings-page-rig.suite.ts';
import { foreignWords, markMessages } from '../messages/foreign-words.suite.ts';

const HOUR_MS = 3_600_000;
/** Names, data of the test, and words of protocols. */
const ALLOWED = ['Mailhook', 'UTC', 'test', 'http', 'hook', ...eventType.options];

describe('pages of the event log', () => {
  let rig: Awaited<ReturnType<typeof startLoggingApi>>;
  let account: TestAccount;
  let id: string;
  beforeAll(async () => {
    rig = await startLoggingApi();
  });
  afterAll(() => rig.close());
  beforeEach(async () => {
    account = await rig.api.newAccount();
    id = await rig.api.subscribe(account, 'bounce');
  });

  /** An accepted bounce of this many hours ago. Resolves with its name in the log, when the api lists it. */
  async function accepted(hours: number, isSpread = true, tags: string[] = []) {
    const email = isSpread ? 'anna@example.com' : undefined;
    const event = anEvent('bounce', { email, messageId: uniqueName('m'), tags });
    const acceptedAtMs = Date.now() - hours * HOUR_MS;
    const destinations = isSpread ? [destinationIdOf(account.id, id)] : [];
    const chunk = uniqueName('c');
    const logged = fieldsOfEvent({ ...event, account: account.id });
    await rig.write({ events: [{ acceptedAtMs, chunk, n: 0, ...logged, destinations }] });
    const entry = `${acceptedAtMs}-${chunk}-0`;
    await eventually(async () => (await call('get', `/v3/webhook/log/${entry}`)).status === 200, { what: 'the entry' });
    return { entry, messageId: event.messageId };
  }
  const call = (method: 'get' | 'post', path: string, body?: unknown) => rig.api.as(account.token)(method, path, body);

  async function open() {
    const { cookie, get } = await browserOf(rig.api, account.token);
    const send = (path: string, form: Record<string, string>) =>
      request(rig.api.baseUrl).post(`${PAGE}${path}`).set('cookie', cookie).type('form').send(form);
    return { get: (path: string) => get(`${PAGE}${path}`), send };
  }
  const auditOf = async (): Promise<{ action: string; object?: string }[]> =>
    ((await rig.api.admin('get', `/admin/audit?account=${account.id}`)).body as { items: { action: string }[] }).items;
  const replays = async () =>
    ((await call('get', `/v3/webhook/destinations/${id}/replays`)).body as { items: { id: string; state: string }[] })
      .items;

  it('list accepted events newest first with gaps, and filter by the address', async () => {
    const newest = await accepted(1);
    const other = await accepted(3, false);
    const gap = { account: account.id, fromMs: Date.now() - 2.5 * HOUR_MS, toMs: Date.now() - 2 * HOUR_MS };
    await rig.write({ gaps: [{ ...gap, events: 12, reason: 'store' }] });
    const { get } = await open();
    const page = await eventually(
      async () => {
        const { text } = await get('/events');
        return text.includes('12 events are missing here') && text;
      },
      { what: 'the gap' },
    );
    const places = [newest.entry, '12 events are missing', other.entry].map((text) => page.indexOf(text));
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(places).not.toContain(-1);
    expect(textOf(page)).toContain('No endpoint');
    const opened = textOf((await get(`/events?entry=${other.entry}`)).text);
    expect(opened).toContain(`Close bounce ${other.messageId}`);
    expect(opened).not.toContain('undefined');
    const none = (await get('/events?outcome=none')).text;
    expect([none.includes(newest.entry), none.includes(other.entry)]).toEqual([false, true]);
    for (const query of ['type=open', 'campaign=x', 'destination=campaign', 'outcome=dead'])
      expect((await get(`/events?${query}`)).text).not.toContain(`id="entry-${newest.entry}"`);
    expect(textOf((await get('/events?outcome=x')).text)).not.toContain('anna@example.com');
  });

  it('find events by recipient and messageId, which no address has', async () => {
    const one = await accepted(1);
    const { send } = await open();
    for (const event of ['anna@example.com', one.messageId]) {
      const found = await send('/events', { do: 'find-event', event });
      expect([found.status, found.headers['location']]).toEqual([200, undefined]);
      expect(found.text).toContain(`id="entry-${one.entry}"`);
      // One list, and the only event is open.
      expect(textOf(found.text)).not.toContain('Event not found');
      expect(textOf(found.text)).toContain('What happened to it');
      const urls = [...found.text.matchAll(/(?:href|action|data-page|data-news)="([^"]*)"/g)].map(([, url]) => url);
      expect(urls.filter((url = '') => url.includes(encodeURIComponent(event)))).toEqual([]);
    }
    const none = textOf((await send('/events', { do: 'find-event', event: 'nobody@example.com' })).text);
    expect([none.includes('Event not found'), none.includes('Accepted events that match')]).toEqual([true, false]);
  });

  it('show the life of one event, and send it again', async () => {
    const { entry, messageId } = await accepted(1);
    const { get, send } = await open();
    const { text } = await get(`/events?entry=${entry}`);
    expect(textOf(text)).toMatch(/Accepted by Mailhook .* Waits for its next attempt/);
    expect(text).toContain(messageId);
    expect(text).not.toContain('(Paused)');
    await call('post', `/v3/webhook/destinations/${id}/pause`, { minutes: 5 });
    expect((await get(`/events?entry=${entry}`)).text).toContain('(Paused)</option>');
    await call('post', `/v3/webhook/destinations/${id}/resume`);
    const sent = await send(`/events?entry=${entry}`, { do: 'send-again', entry, destination: id });
    expect([sent.status, textOf(sent.text)]).toEqual([200, expect.stringContaining('sends the event again now')]);
    expect(await replays()).toHaveLength(1);
    expect(await auditOf()).toContainEqual(expect.objectContaining({ action: 'start a replay', object: id }));
    expect(textOf((await get('/events?entry=1-c-0')).text)).toContain('The log has no such event');
  });

  it('count a range, start its replay, show it after a reload, and stop it', async () => {
    await accepted(2);
    const { get, send } = await open();
    const [from, to] = [9999, 0].map((hours) => new Date(Date.now() - hours * HOUR_MS).toISOString());
    const path = `/endpoints/${id}?tab=replay`;
    const counted = await get(`${path}&from=${from}&to=${to}`);
    expect(textOf(counted.text)).toMatch(/1 event from .* to .*\. Send them again/);
    expect(textOf((await get(`${path}&from=${to}&to=${from}`)).text)).toContain('The start must be before the end');
    const form = { do: 'start-replay', destination: id, from: from ?? '', to: to ?? '', outcome: '' };
    expect(textOf((await send(path, form)).text)).toContain('Started.');
    const [replay] = await replays();
    const shown = (await get(path)).text;
    expect(shown).toContain(`id="replay-${replay?.id}"`);
    const { text: news } = await get(`/endpoints/${id}/news?tab=replay`);
    expect(news).toContain(`id="replay-${replay?.id}"`);
    // It goes with the end of the replay.
    expect(news).toContain('id="replay-busy"');
    const stopped = await send(path, { do: 'stop-replay', destination: id, replay: replay?.id ?? '' });
    expect(stopped.status).toBe(200);
    expect(await auditOf()).toContainEqual(expect.objectContaining({ action: 'stop a replay', object: id }));
    expect(['stopped', 'done']).toContain((await replays())[0]?.state);
  });

  it('say how many of the newest events a filter lets through, as it is saved or typed', async () => {
    await accepted(1, true, ['receipt']);
    await accepted(2);
    await accepted(3);
    const { get, send } = await open();
    const settings = `/endpoints/${id}?tab=settings`;
    const tried = async (page: Promise<{ text: string }>) =>
      /Of the last \d+ events of its types, \d+ would have passed/.exec(textOf((await page).text))?.[0];
    expect(await tried(get(settings).then())).toBeUndefined();
    const typed = { id, boxes: '1', 'types.bounce': '1', 'filter.tags': 'receipt' };
    const passed = 'Of the last 3 events of its types, 1 would have passed';
    expect(await tried(send(settings, { ...typed, do: 'preview-endpoint' }).then())).toBe(passed);
    expect(await tried(get(settings).then())).toBeUndefined();
    const faulty = { ...typed, do: 'preview-endpoint', 'filter.metadata': 'no colon' };
    expect(await tried(send(settings, faulty).then())).toBeUndefined();
    expect(textOf((await send(settings, { ...typed, do: 'save-endpoint' })).text)).not.toContain('to the new address');
    expect(await tried(get(settings).then())).toBe(passed);
    const moved = await send(settings, { ...typed, do: 'save-endpoint', address: 'http://127.0.0.1:9/moved' });
    expect(textOf(moved.text)).toContain('Saved. Waiting events go to the new address too.');
    // An address is still to be typed.
    const added = { do: 'preview-endpoint', 'types.bounce': '1', address: '', 'filter.tags': 'receipt' };
    expect(await tried(send('/new-endpoint', added).then())).toBe(passed);
    const none = { ...added, 'types.bounce': '', 'types.click': '1' };
    const preview = await send('/new-endpoint', none);
    expect(textOf(preview.text)).toContain('has no events of its types yet');
    expect([preview.status, textOf(preview.text)]).toEqual([200, expect.stringContaining('The body is version 1')]);
    const needing = await send('/new-endpoint', { ...none, 'types.sent': '1' });
    expect(textOf(needing.text)).toContain('needs version 2 of the body');
  });

  it('have figures for operators under Queues', async () => {
    const of = async (path: string) =>
      textOf((await request(rig.api.opsUrl).get(path).auth('admin', ADMIN_TOKEN)).text);
    await accepted(1);
    const figures = ['Waits in Redis \\d', 'Oldest event not written none', 'In the store [1-9]', 'Segments [1-9]'];
    expect(await of('/admin/pages/queues')).toMatch(new RegExp(`Event log .* ${figures.join('.* ')}`));
  });

  it('have all of their texts in the catalogs', async () => {
    const { entry } = await accepted(2);
    const gap = { account: account.id, fromMs: Date.now() - 3 * HOUR_MS, toMs: Date.now() - 2.5 * HOUR_MS };
    await rig.write({ gaps: (['redis', 'store'] as const).map((reason) => ({ ...gap, events: 0, reason })) });
    const { get, send } = await open();
    await send('/events', { do: 'send-again', entry, destination: id });
    const restore = markMessages();
    try {
      const [from, to] = [9, 0].map((hours) => new Date(Date.now() - hours * HOUR_MS).toISOString());
      const tab = `/endpoints/${id}?tab=replay`;
      for (const path of [`/events?entry=${entry}`, tab, `${tab}&from=${from}&to=${to}`]) {
        const { text } = await get(path).set('accept-language', 'pl');
        expect([path, foreignWords(text, ALLOWED)]).toEqual([path, []]);
      }
    } finally {
      restore();
    }
  });

  it('offer its past to a new endpoint', async () => {
    await accepted(2);
    const { get, send } = await open();
    const form = { do: 'create-subscription', 'types.bounce': '1', address: 'http://127.0.0.1:9/new' };
    const added = await send('/endpoints', form);
    expect(textOf(added.text)).toContain('Send 1 past event too');
    const { items } = (await call('get', '/v3/webhook/destinations')).body as { items: { id: string }[] };
    const tab = `/endpoints/${items.at(-1)?.id}?tab=replay`;
    const later = (await get(tab)).text;
    expect(textOf(later)).toContain('The log has past events for it. Send 1 past event too');
    expect(later).toMatch(/value="unmatched" +selected/);
    const fields = [...later.matchAll(/name="(\w+)" value="([^"]*)"/g)].map(
      ([, name = '', value = '']) => [name, value] as const,
    );
    expect((await send(tab, { ...Object.fromEntries(fields), do: 'start-replay' })).status).toBe(200);
    expect((await get(tab)).text).not.toContain('id="offer"');
    // An endpoint that was there when the oldest event came has no past.
    expect((await get(`/endpoints/${id}?tab=replay`)).text).not.toContain('id="offer"');
    const none = await send('/endpoints', { ...form, type: 'click' });
    expect(none.text).not.toContain('id="offer"');
  });
});

describe('pages without an event log', () => {
  const rig = settingsPageRig();

  it('say who can switch it on, and have no replay', async () => {
    const id = await rig.api.subscribe(rig.mine, 'bounce');
    const { get } = await browserOf(rig.api, rig.mine.token);
    expect(textOf((await get(`${PAGE}/events`)).text)).toContain('Your provider can switch the log on');
    const ofOperators = async (path: string) =>
      textOf((await request(rig.api.opsUrl).get(path).auth('admin', ADMIN_TOKEN)).text);
    expect(await ofOperators('/admin/pages/queues')).toContain('Off: EVENT_LOG is not set.');
    for (const path of ['new-endpoint', `endpoints/${id}?tab=settings`])
      expect(textOf((await get(`${PAGE}/${path}`)).text)).toContain('the filter cannot be tried on past ones');
    const page = await get(`${PAGE}/endpoints/${id}?tab=replay`);
    expect(textOf(page.text)).toContain('none can be sent again');
    expect(page.text).not.toMatch(/href="[^"]*tab=replay/);
  });
});
