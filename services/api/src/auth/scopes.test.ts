import request from 'supertest';
import { aCampaignEvent, eventually } from '@mailhook/testing';
import { ADMIN_TOKEN, startApi } from '../api-rig.suite.ts';
import type { ApiRig, TestAccount } from '../api-rig.suite.ts';
import { expectProblem } from '../customer-api/customer-api-rig.suite.ts';
import { browserOf, PAGE, textOf } from '../settings-page-rig.suite.ts';

const [READ_TOKEN, PORTAL_TOKEN] = ['token-of-the-monitoring-team', 'token-of-the-web-backend'];
const soon = (ms: number): string => new Date(Date.now() + ms).toISOString();

let api: ApiRig;
let mine: TestAccount;
beforeAll(async () => {
  api = await startApi({ ADMIN_TOKEN: `${ADMIN_TOKEN}, monitor:read ${READ_TOKEN}, web:portal ${PORTAL_TOKEN}` });
});
afterAll(() => api.close());
beforeEach(async () => {
  mine = await api.newAccount('Acme');
});

const tokensPath = (): string => `/admin/accounts/${mine.id}/tokens`;
const createToken = async (body: object) => (await api.admin('post', tokensPath(), body)).body as { token: string };

const expectScope = (reply: { status: number; headers: Record<string, string>; body: unknown }, scope: string) => {
  expectProblem(reply, 403, 'insufficient_scope');
  expect(reply.headers['www-authenticate']).toContain(`error="insufficient_scope", scope="${scope}"`);
};

describe("a customer's token for reading", () => {
  it.each([
    ['post', '/v3/webhook/subscriptions'],
    ['put', '/v3/webhook/campaign'],
    ['post', '/v3/webhook/campaign/test'],
    ['post', '/v3/webhook/notificationTest'],
    ['post', '/v3/webhook/receiverCheck'],
    ['post', '/v3/webhook/dead-letters/redrive'],
    ['post', '/v3/webhook/dead-letters/redrive/stop'],
    ['post', '/v3/webhook/dead-letters/discard'],
    ['post', '/v3/webhook/secrets'],
    ['delete', '/v3/webhook/secrets/x'],
    ['put', '/v3/webhook/destinations/campaign/settings'],
    ['post', '/v3/webhook/destinations/campaign/pause'],
  ] as const)('may not %s %s', async (method, path) => {
    const { token } = await createToken({ access: 'read' });
    const reply = await api.as(token)(method, path, {});
    if (reply.status !== 404) expectScope(reply, 'manage');
    expect((await api.as(mine.token)('get', '/v3/webhook/secrets')).body).toEqual([]);
  });

  it.each([
    'subscriptions',
    'campaign',
    'destinations',
    'deliveries',
    'dead-letters',
    'dead-letters/groups',
    'secrets',
    'events?messageId=none',
  ])('may get %s', async (path) => {
    const { token } = await createToken({ access: 'read' });
    expect((await api.as(token)('get', `/v3/webhook/${path}`)).status).toBe(200);
  });

  it('opens a settings page that says so, and whose buttons change nothing', async () => {
    const { token } = await createToken({ access: 'read' });
    const browser = await browserOf(api, token);
    expect(textOf((await browser.get()).text)).toContain('You can see everything here.');
    const pressed = await browser.send({ do: 'create-secret' });
    expect(pressed.status).toBe(403);
    expect(textOf(pressed.text)).toContain('This access is for reading only.');
    expect((await api.as(mine.token)('get', '/v3/webhook/secrets')).body).toEqual([]);
    expect(textOf((await (await browserOf(api, mine.token)).get()).text)).not.toContain('You can see everything here.');
  });

  it('is listed as such, beside one that may manage and has no end', async () => {
    await createToken({ access: 'read', expiresAt: '2099-01-02T03:04:05+01:00', label: 'dashboard' });
    const { items } = (await api.admin('get', tokensPath())).body as { items: object[] };
    expect(items).toMatchObject([
      { access: 'manage', expiresAt: null },
      { access: 'read', expiresAt: '2099-01-02T02:04:05.000Z', label: 'dashboard', lastUsedAt: null },
    ]);
  });
});

describe('a portal link for reading', () => {
  const open = async (body: object) => {
    const created = (await api.admin('post', `/admin/accounts/${mine.id}/portal`, body)).body as { url: string };
    const link = /link=([\w-]+)/.exec(created.url)?.[1];
    const opened = await request(api.baseUrl).post('/settings/portal').type('form').send({ link });
    return String(opened.headers['set-cookie']).split(';')[0] ?? '';
  };
  const press = (cookie: string) =>
    request(api.baseUrl).post(PAGE).set('cookie', cookie).type('form').send({ do: 'create-secret' });

  it('opens a page whose buttons change nothing', async () => {
    expect((await press(await open({ access: 'read' }))).status).toBe(403);
    expect((await press(await open({}))).status).toBe(200);
  });

  it('ends only its own session, also by the button that ends all', async () => {
    const [reading, managing] = [await open({ access: 'read' }), await open({})];
    const page = (cookie: string) => request(api.baseUrl).get(`${PAGE}/developers`).set('cookie', cookie);
    expect((await page(reading)).text).not.toContain('Sign out everywhere');
    const signOut = (cookie: string) =>
      request(api.baseUrl).post(`${PAGE}/sign-out`).set('cookie', cookie).type('form').send({ everywhere: '1' });
    expect((await signOut(reading)).status).toBe(303);
    expect((await page(reading)).text).not.toContain('Acme');
    expect((await page(managing)).text).toContain('Sign out everywhere');
    const entries = async () =>
      ((await api.admin('get', `/admin/audit?account=${mine.id}&action=end all`)).body as { items: object[] }).items;
    expect(await entries()).toEqual([]);
    const other = await open({ access: 'read' });
    expect((await signOut(managing)).status).toBe(303);
    expect((await page(other)).text).not.toContain('Acme');
    expect(await entries()).toMatchObject([
      { actor: 'customer', via: 'settings page', token: 'portal link', action: 'end all sessions' },
    ]);
  });

  it('has an end of its own', async () => {
    const cookie = await open({ sessionExpiresAt: soon(2000) });
    await eventually(async () => (await press(cookie)).status === 401, { what: 'the end of the session' });
    const past = await api.admin('post', `/admin/accounts/${mine.id}/portal`, { sessionExpiresAt: soon(-1000) });
    expectProblem(past, 422, 'validation_failed');
  });
});

describe('a token with an end', () => {
  it('is refused afterwards, and so is its session', async () => {
    const { token } = await createToken({ expiresAt: soon(3000) });
    const browser = await browserOf(api, token);
    expect((await browser.get()).text).toContain('Acme');
    const status = async () => (await api.as(token)('get', '/v3/webhook/secrets')).status;
    expect(await status()).toBe(200);
    await eventually(async () => (await status()) === 401, { what: 'the end of the token' });
    expect((await browser.get()).text).not.toContain('Acme');
  });

  it('may belong to a producer', async () => {
    const path = '/admin/producer-tokens';
    const { id, token } = (await api.admin('post', path, { expiresAt: soon(3000) })).body as Record<string, string>;
    const status = async () =>
      (await api.as(token)('post', '/v3/events', [aCampaignEvent({ account: mine.id })])).status;
    expect(await status()).toBe(202);
    await eventually(async () => (await status()) === 401, { what: 'the end of the token' });
    const { items } = (await api.admin('get', path)).body as { items: Record<string, string>[] };
    expect(Date.parse(items.find((one) => one['id'] === id)?.['expiresAt'] ?? '')).toBeLessThanOrEqual(Date.now());
  });

  it('must end in the future', async () => {
    for (const expiresAt of [soon(-1000), 'tomorrow']) {
      for (const path of [tokensPath(), '/admin/producer-tokens'])
        expectProblem(await api.admin('post', path, { expiresAt }), 422, 'validation_failed');
    }
  });
});

describe('an admin token', () => {
  const change = ['put', '/admin/accounts/other', { name: 'Other' }] as const;

  it('with the scope read sees everything and changes nothing', async () => {
    const call = api.opsAs(READ_TOKEN);
    for (const path of ['/admin/accounts', '/admin/audit', '/admin/producer-tokens', tokensPath()])
      expect((await call('get', path)).status).toBe(200);
    expectScope(await call(...change), 'admin');
    expectScope(await call('post', tokensPath(), {}), 'admin');
    expectScope(await call('post', `/admin/accounts/${mine.id}/portal`), 'portal');
    expectScope(await call('delete', `/admin/accounts/${mine.id}`), 'admin');
  });

  it('with the scope portal creates portal links, ends their sessions, and does nothing else', async () => {
    const call = api.opsAs(PORTAL_TOKEN);
    expect((await call('post', `/admin/accounts/${mine.id}/portal`)).status).toBe(201);
    expect((await call('post', `/admin/accounts/${mine.id}/portal?x=1`)).status).toBe(422);
    expect((await call('delete', `/admin/accounts/${mine.id}/portal`)).status).toBe(200);
    expectScope(await call('get', '/admin/accounts'), 'read');
    expectScope(await call('post', `/admin/accounts?x=/admin/accounts/a/portal`, { name: 'x' }), 'admin');
    expectScope(await call(...change), 'admin');
  });

  it('has the same scope in a browser, on the overview and on Bull Board', async () => {
    const asOperator = (token: string, method: 'get' | 'post' | 'put', path: string) =>
      request(api.opsUrl)[method](path).auth('admin', token).set('origin', api.opsUrl);
    const pause = '/admin/queues/api/queues/email-events/pause';
    for (const path of ['/admin', '/admin/queues', '/admin/queues/api/queues']) {
      expect((await asOperator(READ_TOKEN, 'get', path)).status).toBe(200);
      expectScope(await asOperator(PORTAL_TOKEN, 'get', path), 'read');
    }
    for (const token of [READ_TOKEN, PORTAL_TOKEN]) {
      expectScope(await asOperator(token, 'put', pause), 'admin');
      expectScope(await asOperator(token, 'post', '/admin').type('form').send({ do: 'pause' }), 'admin');
    }
    expect((await asOperator(ADMIN_TOKEN, 'put', pause)).status).toBe(200);
  });
});
