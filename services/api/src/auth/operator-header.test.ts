import { createServer, request as httpRequest } from 'node:http';
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { eventually } from '@mailhook/testing';
import request from 'supertest';
import { ADMIN_TOKEN, startApi } from '../api-rig.suite.ts';
import type { ApiRig } from '../api-rig.suite.ts';
import { loadConfig } from '../config.ts';

const ANNA = 'anna@example.com';
const OPS_TOKEN = 'the-token-of-all-operators';
/** The sign-in proxy connects from here, everybody else from 127.0.0.1. */
const PROXY_ADDRESS = '127.0.0.2';
const HEADER = 'x-forwarded-email';
const ENVIRONMENT = {
  OPERATOR_HEADER: 'X-Forwarded-Email',
  TRUST_PROXY: `${PROXY_ADDRESS}/32`,
  ADMIN_TOKEN: `${ADMIN_TOKEN}, ops ${OPS_TOKEN}`,
};

type Entry = Readonly<Record<string, string>>;

/** Works as oauth2-proxy does: it lets only Anna pass, and overwrites the headers that say so. */
async function startSignInProxy(upstream: string) {
  const server = createServer((incoming, outgoing) => {
    const { hostname, port } = new URL(upstream);
    const { method, url: path, headers } = incoming;
    const named = { ...headers, [HEADER]: ANNA, 'x-forwarded-for': '203.0.113.9' };
    const onward = httpRequest(
      { hostname, port, method, path, headers: named, localAddress: PROXY_ADDRESS },
      (reply) => {
        outgoing.writeHead(reply.statusCode ?? 502, reply.headers);
        reply.pipe(outgoing);
      },
    );
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

/** Creates an account from the address, with these headers. */
async function createAccount(api: ApiRig, localAddress: string, named: OutgoingHttpHeaders, token = OPS_TOKEN) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...named };
  const options = { method: 'POST', localAddress, headers };
  return new Promise<{ status: number; headers: IncomingHttpHeaders; body: string }>((resolve, reject) => {
    const call = httpRequest(`${api.opsUrl}/admin/accounts`, options, (reply) => {
      text(reply).then(
        (body) => resolve({ status: reply.statusCode ?? 0, headers: reply.headers, body }),
        (error: unknown) => reject(error as Error),
      );
    });
    call.on('error', reject).end('{"name":"n"}', 'latin1');
  });
}

/** The bytes of a text in UTF-8, each as a character. */
const utf8 = (value: string): string => Buffer.from(value).toString('latin1');

describe('OPERATOR_HEADER', () => {
  let api: ApiRig;
  let lines: string[] = [];
  beforeAll(async () => {
    api = await startApi(ENVIRONMENT, (line) => lines.push(line));
  });
  beforeEach(() => {
    lines = [];
  });
  afterAll(() => api.close());

  const newest = async (wanted: Entry): Promise<Entry> => {
    let entry: Entry | undefined;
    const isThere = async () => {
      const { body } = (await api.admin('get', '/admin/audit?limit=1')) as { body: { items: Entry[] } };
      [entry] = body.items;
      return entry !== undefined && Object.entries(wanted).every(([name, value]) => entry?.[name] === value);
    };
    await eventually(isThere, { what: JSON.stringify(wanted) });
    return entry as Entry;
  };
  const logged = (message: string): Entry[] =>
    lines.map((line) => JSON.parse(line) as Entry).filter((line) => line['message'] === message);

  it('names the person whom the proxy signed in, for the API, the pages and Bull Board', async () => {
    const proxy = await startSignInProxy(api.opsUrl);
    const forged = { [HEADER]: 'eve@example.com' };
    const by = { actor: 'operator', token: 'ops', person: ANNA, client: '203.0.113.9' };
    const through = request(proxy.url);
    const browser = (method: 'get' | 'post' | 'put', path: string) =>
      through[method](path)
        .auth('admin', OPS_TOKEN)
        .set({ origin: proxy.url, ...forged });
    const account = await browser('post', '/admin').type('form').send({ do: 'create-account', name: 'n' });
    expect(account.status).toBe(200);
    const { object: id = '' } = await newest({ ...by, via: 'operations page', action: 'create account' });
    const end = request(proxy.url).delete(`/admin/accounts/${id}/portal`).set(forged);
    expect((await end.auth(OPS_TOKEN, { type: 'bearer' })).status).toBe(200);
    await newest({ ...by, via: 'admin API', action: 'end portal sessions', account: id });
    expect((await browser('put', '/admin/queues/api/queues/email-events/resume')).status).toBeLessThan(400);
    await newest({ ...by, via: 'Bull Board' });
    expect((await browser('get', '/admin/pages/audit')).text).toContain(`Operator ${ANNA} via ops`);
    await proxy.close();
  });

  it('names the operator in the bar, the list of sessions and the changes of "Open as customer"', async () => {
    const account = await api.newAccount();
    const proxy = await startSignInProxy(api.opsUrl);
    const pressed = await request(proxy.url)
      .post('/admin')
      .auth('admin', OPS_TOKEN)
      .set('origin', proxy.url)
      .type('form')
      .send({ do: 'open-as-customer', account: account.id, access: 'manage' });
    await proxy.close();
    const link = /\/settings\/portal\?link=([\w-]+)/.exec(pressed.text)?.[1];
    const opened = await request(api.baseUrl).post('/settings/portal').type('form').send({ link }).redirects(0);
    const cookie = String(opened.headers['set-cookie']).split(';')[0] ?? '';
    const { text: page } = await request(api.baseUrl).get('/settings/webhooks/developers').set('cookie', cookie);
    expect(page).toMatch(/id="operator-bar".*anna@example\.com via ops/);
    expect(page).toContain('<span>operator anna@example.com via ops</span>');
    await request(api.baseUrl)
      .post('/settings/webhooks')
      .set('cookie', cookie)
      .type('form')
      .send({ do: 'create-secret' });
    const by = { actor: 'operator', token: 'ops', person: ANNA, account: account.id };
    await newest({ ...by, via: 'settings page', action: 'create signing secret' });
    // Another one's link of the same account is not answered with the operator's session.
    const { url } = (await api.admin('post', `/admin/accounts/${account.id}/portal`, {})).body as { url: string };
    const { pathname, search } = new URL(url);
    expect((await request(api.baseUrl).get(`${pathname}${search}`).set('cookie', cookie).redirects(0)).status).toBe(
      200,
    );
  });

  it('grants nothing, and names who tried', async () => {
    const reply = await createAccount(api, PROXY_ADDRESS, { [HEADER]: 'admin' }, 'wrong-token-of-somebody');
    expect(reply.status).toBe(401);
    expect(logged('security event')).toContainEqual(
      expect.objectContaining({ event: 'sign_in_failed', person: 'admin' }),
    );
  });

  it.each([
    ['a peer that TRUST_PROXY does not name', '127.0.0.1', ANNA, 'peer'],
    ['a proxy that passes on the client\u2019s header beside its own', PROXY_ADDRESS, ['eve', ANNA], 'more than once'],
    ['a proxy that has joined both', PROXY_ADDRESS, `eve, ${ANNA}`, 'more than once'],
    ['a proxy, with over 254 characters', PROXY_ADDRESS, 'a'.repeat(255), '254'],
    ['a proxy, with a tab', PROXY_ADDRESS, 'anna\tsmith', 'characters'],
    ['a proxy, with a control character', PROXY_ADDRESS, utf8('anna\u009b2J'), 'characters'],
    ['a proxy, with an override of the direction', PROXY_ADDRESS, utf8('anna\u202esmith'), 'characters'],
    ['a proxy, with a space that nobody sees', PROXY_ADDRESS, utf8('anna\u200b'), 'characters'],
    ['a proxy, with bytes that are not UTF-8', PROXY_ADDRESS, 'ann\u00e1', 'UTF-8'],
  ])('is ignored from %s, with a log line', async (_what, from, value, reason) => {
    const reply = await createAccount(api, from, { [HEADER]: value });
    expect(reply.status).toBe(201);
    const requestId = String(reply.headers['x-request-id']);
    expect(await newest({ requestId })).not.toHaveProperty('person');
    expect(logged('OPERATOR_HEADER was ignored')).toEqual([
      expect.objectContaining({ level: 'warn', reason: expect.stringContaining(reason) as string, peer: from }),
    ]);
  });

  it('takes names in UTF-8, and ignores an empty one without a word', async () => {
    await createAccount(api, PROXY_ADDRESS, { [HEADER]: utf8('Zażółć 王') });
    await newest({ person: 'Zażółć 王' });
    await createAccount(api, PROXY_ADDRESS, { [HEADER]: '' });
    await eventually(async () => !('person' in (await newest({ via: 'admin API' }))), { what: 'an entry without' });
    expect(logged('OPERATOR_HEADER was ignored')).toEqual([]);
  });
});

test('without OPERATOR_HEADER, the operations port trusts nobody', async () => {
  const api = await startApi({ TRUST_PROXY: '127.0.0.0/8' });
  const reply = await createAccount(api, PROXY_ADDRESS, { [HEADER]: ANNA, 'x-forwarded-for': '9.9.9.9' }, ADMIN_TOKEN);
  const requestId = String(reply.headers['x-request-id']);
  const { body } = (await api.admin('get', '/admin/audit?limit=1')) as { body: { items: Entry[] } };
  expect(body.items).toEqual([expect.objectContaining({ requestId, client: PROXY_ADDRESS })]);
  expect(body.items[0]).not.toHaveProperty('person');
  await api.close();
});

describe('the configuration of OPERATOR_HEADER', () => {
  const tokens = { ADMIN_TOKEN: 'an-admin-token-of-this-test', PRODUCER_TOKEN: 'the-producer-token-of-a-test' };
  const TRUST_PROXY = '10.0.0.0/8';

  test.each(['', '1'])('needs the networks of the proxy, not TRUST_PROXY=%j', (trusted) => {
    expect(() => loadConfig({ ...tokens, OPERATOR_HEADER: 'X-Forwarded-Email', TRUST_PROXY: trusted })).toThrow(
      'OPERATOR_HEADER needs TRUST_PROXY with the networks of your sign-in proxy',
    );
  });

  test.each(['Authorization', 'proxy-authorization', 'COOKIE', 'X Forwarded', 'X-Forwarded-Email:', 'x'.repeat(70)])(
    'refuses %s, which would put a secret into the audit log or is no name',
    (name) => {
      expect(() => loadConfig({ ...tokens, TRUST_PROXY, OPERATOR_HEADER: name })).toThrow('OPERATOR_HEADER is');
    },
  );

  test('takes the names that proxies use', () => {
    for (const OPERATOR_HEADER of ['X-Auth-Request-Email', 'Remote-User', 'Cf-Access-Authenticated-User-Email'])
      expect(loadConfig({ ...tokens, TRUST_PROXY, OPERATOR_HEADER })).toMatchObject({ OPERATOR_HEADER });
  });
});
