import request from 'supertest';
import { aClick, eventually } from '@mailhook/testing';
import { ADMIN_TOKEN, startApi } from '../api-rig.suite.ts';
import type { ApiRig } from '../api-rig.suite.ts';
import { browserOf, PAGE } from '../settings-page-rig.suite.ts';

type Entry = Readonly<Record<string, string>>;

describe('the audit log of the api', () => {
  let api: ApiRig;
  beforeAll(async () => {
    api = await startApi();
  });
  afterAll(() => api.close());

  const list = async (query = '') => {
    const { body } = (await api.admin('get', `/admin/audit${query}`)) as { body: { items: Entry[] } };
    return body.items;
  };
  const newest = (wanted: Entry) =>
    eventually(
      async () => {
        const [entry] = await list();
        return entry !== undefined && Object.entries(wanted).every(([name, value]) => entry[name] === value);
      },
      { what: JSON.stringify(wanted) },
    );

  it('records what customers change, with the label of their token', async () => {
    const account = await api.newAccount();
    const tokenPath = `/admin/accounts/${account.id}/tokens`;
    const { token } = (await api.admin('post', tokenPath, { label: 'backend' })).body as { token: string };
    const call = api.as(token);
    const input = { address: 'https://example.com/hook', type: 'click', module: 'transactional_email' };
    const { id } = (await call('post', '/v3/webhook/subscriptions', input)).body as { id: string };
    const by = { actor: 'customer', via: 'API', token: 'backend', account: account.id };
    await newest({ ...by, action: 'create subscription', object: id });
    await call('delete', `/v3/webhook/subscriptions/${id}`);
    await newest({ ...by, action: 'delete subscription', object: id });
    // Reads, refused changes and events are no changes.
    await call('get', '/v3/webhook/subscriptions');
    await call('post', '/v3/webhook/subscriptions', {});
    await api.post([aClick({ account: account.id })]);
    await call('post', '/v3/webhook/secrets');
    await newest({ ...by, action: 'create signing secret' });
    const ofAccount = await list(`?account=${account.id}`);
    expect(ofAccount.map(({ action }) => action)).toEqual([
      'create signing secret',
      'delete subscription',
      'create subscription',
      'create access token',
      'create access token',
      'create account',
    ]);
    expect(JSON.stringify(ofAccount)).not.toContain('whsec_');
  });

  it('records what operators change by API, page and Bull Board', async () => {
    const { id } = (await api.admin('post', '/admin/accounts', { name: 'n' })).body as { id: string };
    await newest({ actor: 'operator', via: 'admin API', action: 'create account', object: id });
    await api.admin('post', '/admin/dead-letters/redrive', { account: id });
    await newest({
      actor: 'operator',
      via: 'admin API',
      action: 'redrive dead letters',
      account: id,
      object: 'redriven=0',
    });
    const form = { do: 'stop-redrive', host: '127.0.0.1:9', members: `${id} x.campaign\na x.campaign` };
    const page = request(api.opsUrl).post('/admin').auth('admin', ADMIN_TOKEN).type('form').set('origin', api.opsUrl);
    expect((await page.send(form)).status).toBe(200);
    const stopped = { actor: 'operator', via: 'operations page', action: 'stop redrive', object: form.host };
    // An entry per account, so that each customer sees its own.
    await newest({ ...stopped, account: 'a' });
    expect((await list('?limit=2'))[1]).toMatchObject({ ...stopped, account: id });
    const board = request(api.opsUrl).put('/admin/queues/api/queues/email-events/pause').auth('admin', ADMIN_TOKEN);
    expect((await board.set('origin', api.opsUrl)).status).toBeLessThan(400);
    await newest({ actor: 'operator', via: 'Bull Board', action: 'PUT /queues/email-events/pause' });
    const text = (await request(api.opsUrl).get('/admin/pages/audit').auth('admin', ADMIN_TOKEN)).text;
    for (const words of ['Redrive dead letters', '0 redriven', 'Pause queue']) expect(text).toContain(words);
    expect((await api.admin('get', '/admin/audit?limit=0')).status).toBe(422);
  });

  it('names where a change came from: client address, request, and the origin of the page\u2019s session', async () => {
    const account = await api.newAccount();
    const labeled = await api.admin('post', `/admin/accounts/${account.id}/tokens`, { label: 'laptop' });
    const requestId = 'a-request-of-this-test';
    const made = await api.as(account.token)('post', '/v3/webhook/secrets').set('x-request-id', requestId);
    await newest({ via: 'API', client: '127.0.0.1', requestId, token: account.tokenId });

    const browser = await browserOf(api, (labeled.body as { token: string }).token);
    const pressed = await browser.send({ do: 'create-secret' });
    const press = { via: 'settings page', action: 'create signing secret', client: '127.0.0.1' };
    await newest({
      ...press,
      token: 'laptop',
      requestId: String((pressed.headers as Record<string, string>)['x-request-id']),
    });

    const { url } = (await api.admin('post', `/admin/accounts/${account.id}/portal`, {})).body as { url: string };
    const link = new URL(url).searchParams.get('link') ?? '';
    const opened = await request(api.baseUrl)
      .post('/settings/portal')
      .type('form')
      .send({ link })
      .redirects(0)
      .ok(() => true);
    const cookie = String(opened.headers['set-cookie']).split(';')[0] ?? '';
    await request(api.baseUrl)
      .post(PAGE)
      .set('cookie', cookie)
      .type('form')
      .send({ do: 'delete-secret', id: (made.body as { id: string }).id });
    await newest({ ...press, action: 'delete signing secret', token: 'portal link' });
  });

  it('does not record a request that changes nothing', async () => {
    const account = await api.newAccount();
    const call = api.as(account.token);
    const id = await api.subscribe(account);
    const one = `/v3/webhook/subscriptions/${id}`;
    const campaign = { address: 'https://example.com/hook', active: true };
    const settings = `/v3/webhook/destinations/${id}/settings`;
    await call('put', '/v3/webhook/campaign', campaign);
    await call('put', settings, { headers: { authorization: 'Bearer x' }, maxRequestsPerSecond: 5 });
    const browser = await browserOf(api, account.token);
    for (let i = 0; i < 3; i += 1) {
      const replies = [
        await call('put', one, { module: 'transactional_email' }),
        await call('put', one, { module: 'transactional_email', address: 'http://127.0.0.1:9/hook', active: true }),
        await call('put', '/v3/webhook/campaign', campaign),
        await call('put', settings, { headers: { authorization: true } }),
        await api.admin('put', `/admin/accounts/${account.id}`, { name: 'test' }),
        await browser.send({ do: 'switch-on', id }),
        await browser.send({ do: 'save-campaign', address: campaign.address, active: 'on' }),
      ];
      expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
    }
    await call('put', one, { module: 'transactional_email', active: false });
    await newest({ via: 'API', action: 'edit subscription', object: id });
    const actions = (await list(`?account=${account.id}`)).map(({ action }) => action);
    expect(actions).toEqual([
      'edit subscription',
      'change destination',
      'save campaign webhook',
      'create subscription',
      'create access token',
      'create account',
    ]);
  });

  it('names the account of a destination that an operator acts on, by API and page', async () => {
    const account = await api.newAccount();
    const object = await api.subscribe(account);
    await api.admin('post', `/admin/destinations/${object}/pause`, { minutes: 5 });
    await newest({ via: 'admin API', action: 'pause', account: account.id, object });
    const { pausedUntil } = (await api.admin('get', `/admin/destinations/${object}`)).body as Entry;
    expect((await list('?limit=1'))[0]?.['changes']).toEqual([
      { object, field: 'pausedUntil', before: null, after: pausedUntil },
    ]);
    const page = request(api.opsUrl).post('/admin').auth('admin', ADMIN_TOKEN).type('form').set('origin', api.opsUrl);
    expect((await page.send({ do: 'resume', destination: object })).status).toBe(200);
    await newest({ via: 'operations page', action: 'resume', account: account.id, object, client: '127.0.0.1' });
  });

  it('shows the label of the admin token, for the API, the page and Bull Board', async () => {
    const labeled = 'labeled-token-of-the-operators';
    const tokens = `${ADMIN_TOKEN}, maria ${labeled}`;
    const other = await startApi({ ADMIN_TOKEN: tokens, QUEUE_PREFIX: api.prefix, REDIS_URL: api.redisUrl });
    await other.opsAs(labeled)('post', '/admin/accounts', { name: 'by maria' });
    await newest({ token: 'maria', via: 'admin API' });
    const asMaria = (method: 'post' | 'put', path: string) =>
      request(other.opsUrl)[method](path).auth('admin', labeled).set('origin', other.opsUrl);
    const form = { do: 'stop-redrive', host: 'h', members: 'a x.campaign' };
    expect((await asMaria('post', '/admin').type('form').send(form)).status).toBe(200);
    await newest({ token: 'maria', via: 'operations page' });
    expect((await asMaria('put', '/admin/queues/api/queues/email-events/resume')).status).toBeLessThan(400);
    await newest({ token: 'maria', via: 'Bull Board' });
    const text = (await request(other.opsUrl).get('/admin/pages/audit').auth('admin', labeled)).text;
    expect(text).toMatch(/Operator maria.*Bull Board/s);
    await other.opsAs(ADMIN_TOKEN)('post', '/admin/accounts', { name: 'without a label' });
    await newest({ via: 'admin API', action: 'create account' });
    expect((await list())[0]).not.toHaveProperty('token');
    await other.close();
  });
});
