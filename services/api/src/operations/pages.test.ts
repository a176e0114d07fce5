import { Redis } from 'ioredis';
import request from 'supertest';
import { OPERATIONS_ACCOUNT } from '@mailhook/core';
import { aCampaignEvent, eventually } from '@mailhook/testing';
import { ADMIN_TOKEN, startApi } from '../api-rig.suite.ts';
import type { ApiRig, TestAccount } from '../api-rig.suite.ts';

const PAGES = '/admin/pages';
const READ_TOKEN = 'token-of-somebody-who-only-reads';

/** Runs without workers. `test/browser` has what needs them. */
describe('the pages of operators', () => {
  let api: ApiRig;
  let account: TestAccount;
  let subscription: string;
  beforeAll(async () => {
    api = await startApi({ ADMIN_TOKEN: `${ADMIN_TOKEN}, grafana:read ${READ_TOKEN}` });
    account = await api.newAccount('Blue Bird <Travel>');
    subscription = await api.subscribe(account, 'click', 'http://127.0.0.1:9/hook');
  });
  afterAll(() => api.close());

  const get = (path: string, token = ADMIN_TOKEN) =>
    request(api.opsUrl)
      .get(path)
      .auth('admin', token)
      .ok(() => true);
  const textOf = async (path: string): Promise<string> => {
    const { status, text } = await get(path);
    expect([path, status]).toEqual([path, 200]);
    return text;
  };
  const press = (form: Readonly<Record<string, string>>, path = '/admin') =>
    request(api.opsUrl)
      .post(path)
      .auth('admin', ADMIN_TOKEN)
      .type('form')
      .send(form)
      .ok(() => true);
  const newest = async () =>
    ((await api.admin('get', '/admin/audit?limit=1')).body as { items: Record<string, unknown>[] }).items[0];
  const itemsAt = async (path: string) =>
    (await api.admin('get', path)).body as { items: { id: string; name?: string; label?: string }[] };

  test('are linked from each other, need the admin token, and mark where one is', async () => {
    const overview = await textOf('/admin');
    const links = [...overview.matchAll(/<li><a href="(\/admin[^"]*)"/g)].map(([, href = '']) => href);
    expect(links).toEqual([
      '/admin',
      ...['accounts', 'destinations', 'dead-letters', 'tokens', 'audit', 'workers', 'queues'].map(
        (name) => `${PAGES}/${name}`,
      ),
      '/admin/runbook',
    ]);
    for (const link of links) {
      expect(await textOf(link)).toContain(`<a href="${link}" aria-current="page">`);
      expect((await request(api.opsUrl).get(link)).status).toBe(401);
    }
  });

  test.each([
    ['/admin?account=acc_x', `${PAGES}/accounts/acc_x`],
    ['/admin?find=blue+bird', `${PAGES}/accounts?find=blue+bird`],
    ['/admin?from=20', `${PAGES}/destinations?state=attention&from=20`],
  ])('the address %s of before leads to %s', async (before, now) => {
    const { status, headers } = await get(before);
    expect([status, headers['location']]).toEqual([302, now]);
  });

  test.each([
    '/admin/pages/nothing',
    '/admin/pages/overview',
    '/admin/pages/runbook',
    '/admin/pages/audit/x',
    '/admin/pages/accounts/a/b',
    '/admin/pages/accounts/%E0%A4%A',
    '/admin/pages/accounts/acc_unknown',
    '/admin/pages/destinations/unknown',
  ])('%s is not found', async (path) => {
    expect((await get(path)).status).toBeGreaterThanOrEqual(400);
    expect((await get(path)).status).toBeLessThan(500);
  });

  test('an account has a page with tabs, and its name is escaped everywhere', async () => {
    const name = 'Blue Bird &lt;Travel&gt;';
    const of = `${PAGES}/accounts/${account.id}`;
    expect(await textOf(`${PAGES}/accounts`)).toContain(name);
    expect(await textOf(`${PAGES}/accounts?find=blue`)).toContain(`href="${of}"`);
    const overview = await textOf(of);
    expect(overview).toContain(`<h1>${name}</h1>`);
    expect(overview).toContain('Open as customer');
    expect(await textOf(`${of}?tab=destinations`)).toContain(`href="${PAGES}/destinations/${subscription}"`);
    expect(await textOf(`${of}?tab=tokens`)).toContain(account.tokenId);
    expect(await textOf(`${of}?tab=limits`)).toContain('WAITING_MAX_BYTES');
    expect(await textOf(`${of}?tab=audit`)).toContain('Create subscription');
    // The account of the operations webhook has no tokens and no customer.
    const own = await textOf(`${PAGES}/accounts/${OPERATIONS_ACCOUNT}`);
    expect(own).not.toMatch(/tab=tokens|Open as customer/);
  });

  test('destinations are listed by state, and each has a page', async () => {
    const link = `href="${PAGES}/destinations/${subscription}"`;
    await api.admin('post', `/admin/destinations/${subscription}/pause`, { minutes: 5 });
    for (const state of ['', 'attention', 'paused'])
      expect([state, (await textOf(`${PAGES}/destinations?state=${state}`)).includes(link)]).toEqual([state, true]);
    expect(await textOf(`${PAGES}/destinations?state=parked`)).not.toContain(link);
    const page = await textOf(`${PAGES}/destinations/${subscription}`);
    expect(page).toMatch(/data-news=.*Paused until.*By an operator/s);
    const resumed = await press({ do: 'resume', destination: subscription }, `${PAGES}/destinations/${subscription}`);
    expect(resumed.text).toMatch(/<strong>Transactional: click<\/strong>\s+Resumed\./);
    expect(resumed.text).toContain(`data-page="${PAGES}/destinations/${subscription}"`);
    expect(await textOf(`${PAGES}/destinations/${subscription}`)).toContain('No deliveries yet');
  });

  test('a group of failing receivers that have recovered is left alone', async () => {
    const form = { do: 'probe-all', destinations: subscription, host: 'hooks.example.com' };
    const { status, text } = await press(form);
    expect([status, text]).toEqual([409, expect.stringContaining('None of these destinations is parked any more')]);
    expect((await press({ do: 'probe-all', host: 'hooks.example.com' })).status).toBe(404);
  });

  test('an account is created and deleted, after its id is typed', async () => {
    const made = await press({ do: 'create-account', name: 'Short Lived' }, `${PAGES}/accounts`);
    const [, id = ''] = /data-page="\/admin\/pages\/accounts\/(acc_[\w-]+)\?tab=tokens"/.exec(made.text) ?? [];
    expect([made.status, made.text]).toEqual([200, expect.stringContaining('The account is created.')]);
    expect(await newest()).toMatchObject({ action: 'create account', via: 'operations page', account: id });
    const twin = await press({ do: 'create-account', name: ' Short Lived' });
    expect(twin.text).toMatch(new RegExp(`created\\..*>${id}</a>\\s+has the same name`, 's'));
    expect((await press({ do: 'create-account', name: ' ' })).status).toBe(422);
    expect((await press({ do: 'delete-account', account: id, confirm: 'x' })).status).toBe(422);
    const deleted = await press({ do: 'delete-account', account: id, confirm: id });
    expect(deleted.text).toContain(`data-page="${PAGES}/accounts"`);
    expect(await newest()).toMatchObject({ action: 'delete account', account: id });
    expect((await get(`${PAGES}/accounts/${id}`)).status).toBe(404);
  });

  test('an access token is shown once, works, and is refused after its revocation', async () => {
    const back = `${PAGES}/accounts/${account.id}?tab=tokens`;
    const form = {
      do: 'create-token',
      account: account.id,
      label: 'support',
      access: 'read',
      expiresAt: '2099-01-31T09:30',
    };
    const { status, text, headers } = await press(form, back);
    const [token = ''] = /mhk_[\w-]{43}/.exec(text) ?? [];
    expect([status, headers['cache-control'], token.length]).toEqual([200, 'no-store', 47]);
    expect((await api.as(token)('get', '/v3/webhook/subscriptions')).status).toBe(200);
    expect((await api.as(token)('post', '/v3/webhook/secrets')).status).toBe(403);
    const listed = await textOf(back);
    expect([listed.includes(token), listed.includes('support'), listed.includes('31 Jan, 09:30:00 UTC')]).toEqual([
      false,
      true,
      true,
    ]);
    expect(await textOf(`${PAGES}/tokens?tab=access`)).toContain('support');
    expect((await press({ ...form, expiresAt: '2001-01-01T00:00' })).status).toBe(422);
    const { items } = await itemsAt(`/admin/accounts/${account.id}/tokens`);
    const id = items.find(({ label }) => label === 'support')?.id ?? '';
    expect(await newest()).toMatchObject({ action: 'create access token', object: id, account: account.id });
    expect((await press({ do: 'revoke-token', account: account.id, token: id }, back)).status).toBe(200);
    expect(await newest()).toMatchObject({ action: 'revoke access token', object: id, account: account.id });
    expect((await api.as(token)('get', '/v3/webhook/subscriptions')).status).toBe(401);
  });

  test('a producer token is for the accounts that were typed', async () => {
    const other = await api.newAccount();
    const { text } = await press({ do: 'create-producer-token', label: 'tracker', accounts: ` ${account.id}, ` });
    const [token = ''] = /mhp_[\w-]{43}/.exec(text) ?? [];
    const send = (id: string) => api.as(token)('post', '/v3/events', [aCampaignEvent({ account: id })]);
    expect([(await send(account.id)).status, (await send(other.id)).status]).toEqual([202, 422]);
    const listed = await textOf(`${PAGES}/tokens`);
    expect([listed.includes('tracker'), listed.includes(token), listed.includes('Set in PRODUCER_TOKEN')]).toEqual([
      true,
      false,
      true,
    ]);
    const wrong = { do: 'create-producer-token', label: 'again', accounts: 'acc_n acc_m' };
    const refused = await press(wrong, `${PAGES}/tokens`);
    const said = 'Accounts must exist: there is no account acc_n; must exist: there is no account acc_m<';
    expect([refused.status, refused.text.includes(said), refused.text.includes('"again"')]).toEqual([422, true, true]);
    expect(refused.text).not.toContain('accounts.0');
    const { items } = await itemsAt('/admin/producer-tokens');
    const id = items.find(({ label }) => label === 'tracker')?.id ?? '';
    expect((await press({ do: 'revoke-producer-token', token: id })).status).toBe(200);
    await eventually(async () => (await send(account.id)).status === 401, { what: 'the refusal' });
    expect((await press({ do: 'revoke-producer-token', token: 'environment' })).status).toBe(409);
  });

  test('a destination shows its settings, but of its filter the keys only', async () => {
    const { token } = await api.newAccount();
    const create = async (more: object): Promise<string> => {
      const input = { address: 'https://example.com/hook', module: 'campaign', types: ['*'], ...more };
      const created = await api.as(token)('post', '/v3/webhook/destinations', input);
      return (created.body as { id: string }).id;
    };
    const filter = { tags: ['vip-tag'], domains: ['customer.example'] };
    const id = await create({ name: 'Data lake', shape: 'array', maxEvents: 50, concurrency: 2, filter });
    expect(await textOf(`${PAGES}/destinations`)).toContain('>Data lake<span');
    const text = (await textOf(`${PAGES}/destinations/${id}`)).replaceAll(/<[^>]*>|\s+/g, ' ').replaceAll(/ +/g, ' ');
    for (const fact of [
      '‹ Destinations Data lake',
      'Module campaign',
      'Types All, also those to come',
      'Body Version 2',
      'Requests array of up to 50',
      'Most in flight 2',
      'Filter tags, domains (values are hidden)',
    ])
      expect(text).toContain(fact);
    expect([text.includes('vip-tag'), text.includes('customer.example')]).toEqual([false, false]);
    const usual = await create({ types: ['open', 'click'], shape: 'single' });
    const plain = (await textOf(`${PAGES}/destinations/${usual}`))
      .replaceAll(/<[^>]*>|\s+/g, ' ')
      .replaceAll(/ +/g, ' ');
    expect([plain.includes('Types 2: open, click'), plain.includes('Filter tags')]).toEqual([true, false]);
  });

  test('admin tokens are listed by label and scope, without the tokens', async () => {
    const text = await textOf(`${PAGES}/tokens?tab=admin`);
    expect([text.includes('grafana'), text.includes('Sees everything')]).toEqual([true, true]);
    expect([text.includes(READ_TOKEN), text.includes(ADMIN_TOKEN)]).toEqual([false, false]);
    // It may look, and press nothing.
    expect((await get(`${PAGES}/tokens`, READ_TOKEN)).status).toBe(200);
    const pressed = request(api.opsUrl).post('/admin').auth('admin', READ_TOKEN).type('form');
    expect((await pressed.send({ do: 'create-producer-token' }).ok(() => true)).status).toBe(403);
  });

  test('an operator opens the settings of a customer once, which is recorded', async () => {
    const { text } = await press({ do: 'open-as-customer', account: account.id, access: 'read' });
    const [, url = ''] = /href="([^"]+\/settings\/portal\?link=[\w-]+)" target="_blank"/.exec(text) ?? [];
    expect(await newest()).toMatchObject({
      action: 'create portal link',
      actor: 'operator',
      via: 'operations page',
      account: account.id,
      object: 'read',
    });
    const link = new URL(url).searchParams.get('link') ?? '';
    const open = () =>
      request(api.baseUrl)
        .post('/settings/portal')
        .type('form')
        .send({ link })
        .ok(() => true);
    const opened = await open();
    const cookie = String(opened.headers['set-cookie']).split(';')[0] ?? '';
    const page = await request(api.baseUrl).get('/settings/webhooks').set('cookie', cookie);
    expect([page.status, page.text.includes('You can see everything here')]).toEqual([200, true]);
    expect((await open()).headers['set-cookie']).toBeUndefined();
    expect((await press({ do: 'open-as-customer', account: 'acc_nobody' })).status).toBe(404);
  });

  test('changes as a customer are recorded with the operator, and every page says so', async () => {
    const customer = await api.newAccount();
    const { text } = await press({ do: 'open-as-customer', account: customer.id, access: 'manage' });
    expect(await newest()).toMatchObject({ action: 'create portal link', object: 'manage' });
    const link = /\/settings\/portal\?link=([\w-]+)/.exec(text)?.[1];
    const opened = await request(api.baseUrl)
      .post('/settings/portal')
      .type('form')
      .send({ link })
      .redirects(0)
      .ok(() => true);
    const [cookie = '', lifetime] = String(opened.headers['set-cookie']).split(';');
    expect(lifetime).toBeDefined();
    const as = (path: string) => request(api.baseUrl).get(`/settings/webhooks${path}`).set('cookie', cookie);
    for (const path of [
      '',
      '/endpoints',
      '/endpoints/campaign',
      '/deliveries',
      '/dead-letters',
      '/events',
      '/secrets',
      '/developers',
    ])
      expect((await as(path)).text).toMatch(/id="operator-bar".*You see this as/);
    expect((await as('/developers')).text).toContain('operator admin');
    const post = (path: string, form: object) =>
      request(api.baseUrl)
        .post(`/settings/webhooks${path}`)
        .set('cookie', cookie)
        .type('form')
        .send(form)
        .redirects(0)
        .ok(() => true);
    expect((await post('', { do: 'create-secret' })).status).toBe(200);
    expect(await newest()).toMatchObject({
      action: 'create signing secret',
      actor: 'operator',
      via: 'settings page',
      token: 'admin',
      account: customer.id,
    });
    const redis = new Redis(api.redisUrl);
    const list = await redis.zrange(`${api.prefix}:settings-sessions-of:portal:${customer.id}`, '-1', '-1');
    const stored = JSON.parse((await redis.get(`${api.prefix}:settings-sessions:${list[0] ?? ''}`)) ?? '{}') as Record<
      string,
      number
    >;
    redis.disconnect();
    expect(Number(stored['untilMs']) - Number(stored['startedMs'])).toBeLessThanOrEqual(3_600_000);
    expect((await post('/sign-out', {})).status).toBe(303);
    expect((await as('')).text).not.toContain('operator-bar');
  });

  test('the audit log is filtered by account, actor and action', async () => {
    await api.as(account.token)('post', '/v3/webhook/secrets');
    const rows = async (query: string) => {
      const text = await textOf(`${PAGES}/audit?${query}`);
      return [...text.matchAll(/<tr><th scope="row">([^<]+?) *</g)].map(([, action]) => action);
    };
    // An entry is written after the answer.
    const ofAccount = await eventually(
      async () => {
        const found = await rows(`account=${account.id}`);
        return found.includes('Create signing secret') && found;
      },
      { what: 'the entry' },
    );
    expect(ofAccount).toEqual(expect.arrayContaining(['Create signing secret', 'Create account']));
    expect(await rows(`account=${account.id}&actor=customer`)).toEqual([
      'Create signing secret',
      'Create subscription',
    ]);
    expect(await rows(`account=${account.id}&action=SECRET`)).toEqual(['Create signing secret']);
    expect(await rows('account=blue%20bird&action=SECRET')).toEqual(['Create signing secret']);
    expect(await rows('action=nothing-like-this')).toEqual([]);
    expect((await api.admin('get', '/admin/audit?actor=somebody')).status).toBe(422);
    const { items } = await itemsAt(`/admin/audit?actor=customer&action=secret&account=${account.id}`);
    expect(items).toHaveLength(1);
  });

  test('workers and queues say what there is', async () => {
    expect(await textOf(`${PAGES}/workers`)).toContain('No worker has ever had a heartbeat here');
    const queues = await textOf(`${PAGES}/queues`);
    expect([queues.includes('email-events-rejected'), queues.includes('href="/admin/queues"')]).toEqual([true, true]);
    expect(queues).toContain('maxmemory-policy');
  });

  test('the runbook has an index whose links lead to its entries', async () => {
    const text = await textOf('/admin/runbook');
    const index = /<nav class="index".*?<\/nav>/s.exec(text)?.[0] ?? '';
    const targets = [...index.matchAll(/href="#([^"]+)"/g)].map(([, id = '']) => id);
    expect(targets).toContain('mailhookredisfull');
    expect(targets.filter((id) => !text.includes(` id="${id}"`))).toEqual([]);
  });
});
