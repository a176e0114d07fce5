import { PassThrough } from 'node:stream';
import request from 'supertest';
import { createLogger } from '@mailhook/platform/logger';
import { createMetrics } from '@mailhook/platform/metrics';
import { eventually } from '@mailhook/testing';
import { ADMIN_TOKEN, PRODUCER_TOKEN, startApi } from '../api-rig.suite.ts';
import type { ApiRig } from '../api-rig.suite.ts';
import { SUBSCRIPTIONS } from '../customer-api/customer-api-rig.suite.ts';
import { browserOf, PAGE } from '../settings-page-rig.suite.ts';
import { createSecurityEvents } from './security-events.ts';

type Line = Readonly<Record<string, unknown>>;

/** The log lines of security events. */
function collect(log: NodeJS.ReadableStream): () => Line[] {
  let text = '';
  log.on('data', (chunk: Buffer) => (text += chunk.toString()));
  return () =>
    text
      .split('\n')
      .filter((line) => line.includes('security event'))
      .map((line) => JSON.parse(line) as Line);
}

describe('security events', () => {
  let api: ApiRig;
  let lines: () => Line[];
  beforeAll(async () => {
    api = await startApi({ TRUST_PROXY: '1' });
    lines = collect(api.log);
  });
  afterAll(() => api.close());

  let number = 0;
  /** Runs a request from a new address. Resolves with the line that it logs. */
  async function lineOf(send: (address: string) => PromiseLike<{ readonly headers: unknown }>): Promise<Line> {
    const before = lines().length;
    number += 1;
    const { headers } = await send(`198.51.100.${number}`);
    await eventually(() => lines().length > before, { what: 'a line' });
    const line = lines()[before] ?? {};
    expect(line['requestId']).toBe((headers as Record<string, string>)['x-request-id']);
    expect(JSON.stringify(lines().slice(before))).not.toMatch(/mhk_|wrong-token|of-the-tests/);
    return line;
  }
  const from = (address: string) => ({ 'x-forwarded-for': address });
  const counted = async (event: string): Promise<number> =>
    Number(
      new RegExp(`^mailhook_security_events_total\\{event="${event}"\\} (\\d+)$`, 'm').exec(
        await (await fetch(`${api.opsUrl}/metrics`)).text(),
      )?.[1],
    );

  test('are sign-ins with a token, once per address, and refusals, with address and request', async () => {
    const account = await api.newAccount();
    const call = (token: string | undefined) => (address: string) =>
      api.as(token)('get', SUBSCRIPTIONS).set(from(address));
    const failedBefore = await counted('sign_in_failed');
    const facts = { method: 'GET', path: SUBSCRIPTIONS };
    const signedIn = await lineOf(call(account.token));
    const client = `198.51.100.${number}`;
    expect(signedIn).toMatchObject({ ...facts, event: 'sign_in', client, account: account.id, token: account.tokenId });
    await api.as(account.token)('get', SUBSCRIPTIONS).set(from(client));
    expect(await lineOf(call('wrong-token'))).toMatchObject({ ...facts, event: 'sign_in_failed' });
    expect(await lineOf(call(undefined))).toMatchObject({ ...facts, event: 'token_missing' });
    expect(await lineOf(call(ADMIN_TOKEN))).toMatchObject({ ...facts, event: 'sign_in_failed' });
    expect(await counted('sign_in_failed')).toBe(failedBefore + 2);
    const produce = (token: string) => (address: string) => api.as(token)('post', '/v3/events', []).set(from(address));
    expect(await lineOf(produce(PRODUCER_TOKEN))).toMatchObject({
      event: 'sign_in',
      token: expect.any(String) as string,
    });
    expect(await lineOf(produce(account.token))).toMatchObject({ event: 'sign_in_failed', path: '/v3/events' });
  });

  test('are sign-ins at the operations port', async () => {
    const before = await counted('sign_in');
    const board = (password: string) => () =>
      request(api.opsUrl)
        .get('/admin')
        .auth('admin', password)
        .ok(() => true);
    await board(ADMIN_TOKEN)();
    expect(await counted('sign_in')).toBe(before + 1);
    expect(await lineOf(board('wrong-token'))).toMatchObject({ event: 'sign_in_failed', client: '127.0.0.1' });
    expect(await lineOf(() => api.opsAs('wrong-token')('get', '/admin/accounts'))).toMatchObject({
      event: 'sign_in_failed',
    });
    const foreign = () => board(ADMIN_TOKEN)().set('origin', 'https://evil.example.com');
    expect(
      await lineOf(() =>
        request(api.opsUrl)
          .post('/admin')
          .auth('admin', ADMIN_TOKEN)
          .set('origin', 'https://evil.example')
          .ok(() => true),
      ),
    ).toMatchObject({ event: 'foreign_site', path: '/admin' });
    expect((await foreign()).status).toBe(200);
  });

  test('are tokens and portal links that are made and revoked, and what portal links are used for', async () => {
    const { id } = await api.newAccount();
    const one = `/admin/accounts/${id}`;
    const created = await lineOf(() => api.admin('post', `${one}/tokens`, {}));
    expect(created).toMatchObject({ event: 'token_created', account: id, object: expect.any(String) as string });
    const token = String(created['object']);
    expect(await lineOf(() => api.admin('delete', `${one}/tokens/${token}`))).toMatchObject({
      event: 'token_revoked',
      account: id,
      object: token,
    });
    expect(await lineOf(() => api.admin('post', '/admin/producer-tokens', {}))).toMatchObject({
      event: 'token_created',
    });
    let url = '';
    const makeLink = async () => {
      const reply = await api.admin('post', `${one}/portal`, {});
      url = (reply.body as { url: string }).url;
      return reply;
    };
    expect(await lineOf(makeLink)).toMatchObject({ event: 'portal_link_created', account: id });
    const link = new URL(url).searchParams.get('link') ?? '';
    const open = (address: string) =>
      request(api.baseUrl)
        .post('/settings/portal')
        .set(from(address))
        .type('form')
        .send({ link })
        .ok(() => true);
    expect(await lineOf(open)).toMatchObject({ event: 'portal_link_used', account: id });
    expect(await lineOf(open)).toMatchObject({ event: 'portal_link_refused' });
    expect(await lineOf(() => api.admin('delete', `${one}/portal`))).toMatchObject({
      event: 'portal_sessions_ended',
      account: id,
    });
  });

  test('are sign-ins and sign-outs of the settings page', async () => {
    const { id, token } = await api.newAccount();
    const signIn = (given: string) => (address: string) =>
      request(api.baseUrl)
        .post(`${PAGE}/sign-in`)
        .set(from(address))
        .type('form')
        .send({ token: given })
        .ok(() => true);
    expect(await lineOf(signIn(token))).toMatchObject({ event: 'sign_in', account: id, path: `${PAGE}/sign-in` });
    expect(await lineOf(signIn('wrong-token'))).toMatchObject({ event: 'sign_in_failed' });
    const browser = await browserOf(api, token);
    expect(await lineOf(() => browser.signOut())).toMatchObject({ event: 'sign_out', account: id });
    expect(await lineOf(() => browser.send({}, { origin: 'https://evil.example.com' }))).toMatchObject({
      event: 'foreign_site',
    });
  });

  test('of a flood are a few lines and a count, also for attempts beyond the limit', async () => {
    const before = { failed: await counted('sign_in_failed'), blocked: await counted('sign_in_blocked') };
    const linesBefore = lines().length;
    for (let i = 0; i < 75; i += 1) await api.as(`wrong-token-${i}`)('get', SUBSCRIPTIONS).set(from('203.0.113.1'));
    expect(await counted('sign_in_failed')).toBe(before.failed + 60);
    expect(await counted('sign_in_blocked')).toBe(before.blocked + 15);
    const own = lines().slice(linesBefore);
    expect(own.filter(({ event }) => event === 'sign_in_failed').length).toBeLessThanOrEqual(2 * 10);
    expect(own.filter(({ event }) => event === 'sign_in_blocked').length).toBeLessThanOrEqual(2 * 10);
  });
});

test('a flood from many addresses has a maximum of lines; the rest is counted by client', async () => {
  const log = new PassThrough();
  const lines = collect(log);
  const events = createSecurityEvents({
    metrics: createMetrics(),
    logger: createLogger({ level: 'info', service: 'test', pretty: false, stream: log }),
  });
  const responseTo = (address: string) => ({
    req: { socket: { remoteAddress: address }, headers: {}, method: 'GET', url: '/?token=secret' },
    getHeader: () => 'request-id',
  });
  for (let i = 0; i < 5000; i += 1) {
    const response = responseTo(`10.0.${i % 20}.${Math.floor(i / 20)}`);
    events.note('sign_in_failed', response as unknown as Parameters<typeof events.note>[1]);
  }
  await eventually(() => lines().length === 200, { what: '200 lines' });
  await events.close();
  await eventually(() => lines().length === 1201, { what: 'the counts' });
  const counts = lines().slice(200);
  expect(counts.reduce((sum, { count }) => sum + Number(count), 0)).toBe(4800);
  expect(counts.map(({ client }) => client)).toContain('other clients');
  expect(JSON.stringify(lines())).not.toContain('secret');
});
