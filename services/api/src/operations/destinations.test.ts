import request from 'supertest';
import { aClick, eventually, startRedis } from '@mailhook/testing';
import { campaignDestinationId, subscriptionType } from '@mailhook/core';
import { ADMIN_TOKEN, startApi } from '../api-rig.suite.ts';
import type { ApiRig } from '../api-rig.suite.ts';

/** Runs without workers. The engine's tests cover its part of the actions. */
describe('destinations: admin API and pages', () => {
  let api: ApiRig;
  beforeAll(async () => {
    api = await startApi({ QUEUE_SHARDS: '2' });
  });
  afterAll(() => api.close());

  const bodyOf = async (path: string) => (await api.admin('get', path)).body as Record<string, unknown>;
  const page = (path = '/admin') => request(api.opsUrl).get(path).auth('admin', ADMIN_TOKEN);
  const press = (
    form: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>> = {},
    path = '/admin',
  ) =>
    request(api.opsUrl)
      .post(path)
      .auth('admin', ADMIN_TOKEN)
      .set(headers)
      .type('form')
      .send(form)
      .ok(() => true);

  it('pauses for a bounded time, resumes, and lists page by page', async () => {
    const account = await api.newAccount();
    const ids = await Promise.all(subscriptionType.options.map((type) => api.subscribe(account, type)));
    for (const id of ids) {
      const reply = await api.admin('post', `/admin/destinations/${id}/pause`, { minutes: 10_080 });
      const expected = { id, state: 'paused', kind: 'transactional', account: account.id, waiting: 0, inFlight: 0 };
      expect([reply.status, reply.body]).toEqual([200, expect.objectContaining(expected)]);
    }
    const listed: string[] = [];
    let cursor = '';
    do {
      const { items, nextCursor } = (await bodyOf(`/admin/destinations?state=paused&limit=2${cursor}`)) as {
        items: { id: string; account: string }[];
        nextCursor?: string;
      };
      expect(items.length).toBeLessThanOrEqual(2);
      listed.push(...items.filter((item) => item.account === account.id).map(({ id }) => id));
      cursor = nextCursor === undefined ? '' : `&cursor=${encodeURIComponent(nextCursor)}`;
    } while (cursor !== '');
    expect(listed.sort()).toEqual([...ids].sort());
    expect(await bodyOf('/admin/overview')).toMatchObject({ totals: { paused: 3, parked: 0 }, workers: [] });

    for (const id of ids) expect((await api.admin('post', `/admin/destinations/${id}/resume`)).status).toBe(200);
    expect((await api.admin('post', `/admin/destinations/${ids[0]!}/resume`)).status).toBe(200);
    expect(await bodyOf(`/admin/destinations/${ids[0]!}`)).toMatchObject({ state: 'idle' });
    expect(await bodyOf('/admin/destinations?state=paused')).toEqual({ items: [] });
  });

  it('explains why it refuses a request', async () => {
    const account = await api.newAccount();
    const id = await api.subscribe(account);
    const post = (path: string, body?: unknown) => api.admin('post', `/admin/destinations/${path}`, body);
    for (const minutes of [0, 10_081, 1.5, '60', undefined]) {
      expect((await post(`${id}/pause`, { minutes })).body).toMatchObject({
        status: 422,
        errors: [{ path: 'minutes' }],
      });
    }
    expect((await post(`${id}/drop`, { confirm: 'yes' })).body).toMatchObject({
      status: 422,
      errors: [{ path: 'confirm', message: 'must be the id of the destination' }],
    });
    expect((await post(`${id}/probe`)).body).toMatchObject({
      status: 409,
      detail: expect.stringMatching(/not parked/) as string,
    });
    await post(`${id}/pause`, { minutes: 5 });
    expect((await post(`${id}/probe`)).body).toMatchObject({
      status: 409,
      detail: expect.stringMatching(/Resume it/) as string,
    });
    expect((await post(`${id}/drop`, { confirm: id })).status).toBe(202);
    for (const unknown of ['nobody', 'campaign-nobody', 'a%2Fb', '%7B%7D']) {
      expect((await post(`${unknown}/pause`, { minutes: 5 })).status).toBe(404);
      expect((await api.admin('get', `/admin/destinations/${unknown}`)).status).toBe(404);
    }
    expect((await api.admin('get', '/admin/destinations?state=odd')).status).toBe(422);
    // An inactive campaign webhook cannot be paused.
    const call = api.as(account.token);
    await call('put', '/v3/webhook/campaign', { address: 'http://127.0.0.1:9/c', active: false });
    const campaign = campaignDestinationId(account.id);
    expect((await post(`${campaign}/pause`, { minutes: 5 })).body).toMatchObject({ status: 409 });
    expect(await bodyOf(`/admin/destinations/${campaign}`)).toMatchObject({ kind: 'campaign', state: 'inactive' });
  });

  it('reports that no worker runs, and how long events have waited', async () => {
    const account = await api.newAccount();
    await api.subscribe(account, 'click');
    await api.post([aClick({ account: account.id })]);
    expect(await bodyOf('/admin/overview')).toMatchObject({
      oldestWaiting: [
        { kind: 'transactional', acceptedAt: expect.any(String) as string },
        { kind: 'campaign', acceptedAt: null },
      ],
    });
    expect((await page()).text).toContain('No transactional worker has a current heartbeat');
    // The age of the oldest event grows without an update of the page.
    await eventually(
      async () => {
        const first = await page();
        const later = () => page().set('if-none-match', first.get('etag') ?? '');
        const isLater = async () => {
          const next = await later();
          return next.get('date') !== first.get('date') && next;
        };
        return (await eventually(isLater, { what: 'the next second' })).status === 304;
      },
      { what: 'an update that has nothing new' },
    );
  });

  it('shows what an account keeps and its destinations, and finds both by name, id and address', async () => {
    const account = await api.newAccount('Blue Bird Travel');
    const id = await api.subscribe(account, 'click', 'http://127.0.0.1:9/blue-hook');
    await api.as(account.token)('put', '/v3/webhook/campaign', { address: 'http://127.0.0.1:9/c', active: true });
    expect(await bodyOf(`/admin/accounts/${account.id}`)).toMatchObject({
      id: account.id,
      name: 'Blue Bird Travel',
      events: 0,
      bytes: 0,
      share: 0,
      deadLetters: 0,
      delivered: 0,
      failed: 0,
      limits: { events: 2_000_000, bytes: 1_000_000_000 },
      destinations: [{ id, breaker: 'closed' }, { id: campaignDestinationId(account.id) }],
    });
    expect((await api.admin('get', '/admin/accounts/acc_unknown')).status).toBe(404);
    const named = { accounts: [{ id: account.id, name: 'Blue Bird Travel' }], destinations: [], isComplete: true };
    expect(await bodyOf('/admin/search?text=blue%20BIRD')).toEqual(named);
    expect(await bodyOf('/admin/search?text=BLUE-hook')).toMatchObject({ accounts: [], destinations: [{ id }] });
    expect(await bodyOf(`/admin/search?text=${id}`)).toMatchObject({ destinations: [{ id }] });
    expect((await api.admin('get', '/admin/search?text=%20')).body).toMatchObject({
      status: 422,
      errors: [{ path: 'text' }],
    });
    expect((await page(`/admin/pages/accounts/${account.id}`)).text).toContain('Blue Bird Travel');
    // A whole id leads to its page, and an unknown one back to the list or on to a search.
    const found = page(`/admin/pages/accounts?find=${id}`).redirects(0);
    expect((await found.ok(() => true)).headers['location']).toBe(`/admin/pages/destinations/${id}`);
    const unknown = await page('/admin/pages/accounts/acc_unknown').ok(() => true);
    expect(unknown.text).toContain('There is no account with this id.');
    expect(unknown.text).toMatch(/<a href="\/admin\/pages\/accounts"><span aria-hidden="true">.*value="acc_unknown"/s);
  });

  it('shows a page with a style sheet, its own script only, and with all values escaped', async () => {
    const account = await api.newAccount();
    const id = await api.subscribe(account, 'open', 'http://127.0.0.1:9/a?x=%3Cscript%3E&m=anna@example.com&q=\'"');
    await api.admin('post', `/admin/destinations/${id}/pause`, { minutes: 5 });
    const { text, headers } = await page(
      `/admin/pages/accounts?find=${encodeURIComponent('<img src=x> http://127.0.0.1:9/a')}`,
    );
    expect((await page()).text).toContain(id);
    expect(text.match(/<script[^>]*>/g)).toEqual([
      expect.stringMatching(/^<script type="module" src="\/admin\/assets\//),
    ]);
    expect(text).not.toMatch(/<img src=x|anna@example/);
    expect(text).toContain('&lt;img src=x&gt;');
    expect(headers['content-security-policy']).toMatch(/^default-src 'none';(?!.*unsafe).*script-src 'self';/);
    expect([headers['referrer-policy'], headers['cache-control']]).toEqual(['same-origin', 'no-store']);
    const style = /href="(\/admin\/assets\/[^"]+operations\.css)"/.exec(text)?.[1] ?? '';
    expect((await request(api.opsUrl).get(style)).headers['content-type']).toMatch(/^text\/css/);
  });

  it('shows a whole address only after a click, which is audited', async () => {
    const account = await api.newAccount();
    const address = 'https://chat.example/hooks/T0/secret?key=hidden';
    const id = await api.subscribe(account, 'open', address);
    const of = `/admin/pages/destinations/${id}`;
    const before = (await page(of)).text;
    expect([before.includes('Show address'), /T0\/|key=/.test(before)]).toEqual([true, false]);
    const shown = await press({ do: 'show-address', destination: id }, {}, of);
    expect(shown.text).toContain(address);
    expect(/T0\/|key=/.test((await page(of)).text)).toBe(false);
    const { items } = (await bodyOf(`/admin/audit?account=${account.id}`)) as { items: unknown };
    expect(items).toContainEqual(expect.objectContaining({ action: 'show address', object: id, actor: 'operator' }));
  });

  it('runs the actions of its buttons, but only from its own forms', async () => {
    const account = await api.newAccount();
    const id = await api.subscribe(account);
    const pause = { do: 'pause', destination: id, minutes: '60' };
    const state = async () => (await bodyOf(`/admin/destinations/${id}`))['state'];
    for (const foreign of [
      { 'sec-fetch-site': 'cross-site' },
      { origin: 'https://evil.example' },
      { origin: 'null' },
    ]) {
      expect((await press(pause, foreign)).status).toBe(403);
    }
    expect(await state()).toBe('idle');
    const done = await press(pause, { 'sec-fetch-site': 'same-origin' });
    expect([done.status, done.text]).toEqual([200, expect.stringContaining('Paused. Nothing is sent')]);
    expect((await page()).text).not.toContain('Paused. Nothing is sent');
    expect(await state()).toBe('paused');
    expect((await page()).text).toContain(`/destinations/${id}"`);

    const mistyped = await press({ do: 'drop', destination: id, confirm: 'x' });
    expect([mistyped.status, mistyped.text]).toEqual([422, expect.stringContaining('must be the id')]);
    for (const wrong of [
      { do: 'toString' },
      { do: 'probe', destination: '<b>' },
      { do: 'redrive', members: 'a 1.campaign' },
    ]) {
      const { status, text } = await press(wrong);
      expect([status, text]).toEqual([404, expect.not.stringContaining('<b>')]);
    }
    expect((await press({ do: 'resume', destination: id })).status).toBe(200);
    expect(await state()).toBe('idle');
    await eventually(async () => !(await page()).text.includes(`/destinations/${id}"`), {
      what: 'the page to follow',
    });
  });
});

it('the admin API and the pages report that Redis is down', async () => {
  const redis = await startRedis();
  const api = await startApi({ REDIS_URL: redis.url });
  try {
    await redis.kill();
    expect((await api.admin('get', '/admin/overview')).status).toBe(503);
    const reply = await request(api.opsUrl).get('/admin').auth('admin', ADMIN_TOKEN);
    expect([reply.status, reply.text]).toEqual([503, expect.stringContaining('Redis cannot be reached')]);
    const press = request(api.opsUrl).post('/admin').auth('admin', ADMIN_TOKEN).type('form');
    expect((await press.send({ do: 'resume', destination: 'some' })).status).toBe(503);
  } finally {
    await redis.restart();
    await api.close();
    await redis.stop();
  }
});
