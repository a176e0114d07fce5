import request from 'supertest';
import { connectRedis, closeRedis, whenReady } from '@mailhook/platform/redis';
import type { ProblemError } from '@mailhook/platform/http-server';
import { anOpen, eventually, startRedis, testRedisUrl, uniqueName } from '@mailhook/testing';
import { ADMIN_TOKEN, PRODUCER_TOKEN, startApi } from '../api-rig.suite.ts';
import type { ApiRig } from '../api-rig.suite.ts';
import { SUBSCRIPTIONS, expectProblem } from '../customer-api/customer-api-rig.suite.ts';
import { createSignInAttempts } from './sign-in-attempts.ts';

const LIMIT = 60;
/** One trusted proxy, so that a test can have many client addresses. */
const BEHIND_PROXY = { TRUST_PROXY: '1' };

/** Calls from one client address. */
function clientAt(api: ApiRig, address: string) {
  const get = (token: string | undefined) => api.as(token)('get', SUBSCRIPTIONS).set('x-forwarded-for', address);
  const produce = (token: string) => api.as(token)('post', '/v3/events', []).set('x-forwarded-for', address);
  const fail = async (times = LIMIT): Promise<number[]> => {
    const statuses: number[] = [];
    for (let i = 0; i < times; i += 1) statuses.push((await get(`wrong-${i}`)).status);
    return statuses;
  };
  return { get, produce, fail };
}

describe('after too many failed sign-ins from an address', () => {
  let api: ApiRig;
  let client: ReturnType<typeof clientAt>;
  let number = 0;
  beforeAll(async () => {
    api = await startApi(BEHIND_PROXY);
  });
  afterAll(() => api.close());
  beforeEach(() => {
    client = clientAt(api, `198.51.100.${(number += 1)}`);
  });

  it('even a valid token is refused like a wrong one, but passes from another address', async () => {
    const { token } = await api.newAccount();
    expect(await client.fail()).toEqual(Array.from({ length: LIMIT }, () => 401));
    const [wrong, valid] = [await client.get('wrong'), await client.get(token)];
    for (const reply of [wrong, valid]) {
      expectProblem(reply, 429, 'rate_limited');
      expect(Number(reply.headers['retry-after'])).toBeGreaterThan(0);
    }
    expect((await clientAt(api, '203.0.113.1').get(token)).status).toBe(200);
  });

  it('nobody can discover the producer token or the admin token', async () => {
    await client.fail();
    for (const token of [PRODUCER_TOKEN, ADMIN_TOKEN, 'wrong']) expectProblem(await client.produce(token), 429);
    expectProblem(await clientAt(api, '203.0.113.2').produce(PRODUCER_TOKEN), 422);
  });

  it('a token that this address has proven still passes: a broken script beside it stops no producer', async () => {
    const { token } = await api.newAccount();
    expect((await client.get(token)).status).toBe(200);
    expectProblem(await client.produce(PRODUCER_TOKEN), 422);
    await client.fail();
    expect((await client.get(token)).status).toBe(200);
    expectProblem(await client.produce(PRODUCER_TOKEN), 422);
    expectProblem(await client.get('wrong'), 429);
    const { token: another } = await api.newAccount();
    expectProblem(await client.get(another), 429);
  });

  it('a proven token no longer passes after it was revoked', async () => {
    const account = await api.newAccount();
    expect((await client.get(account.token)).status).toBe(200);
    await client.fail();
    await api.admin('delete', `/admin/accounts/${account.id}/tokens/${account.tokenId}`);
    await eventually(async () => (await client.get(account.token)).status === 429, { what: 'the refusal' });
  });

  it('a token keeps its proof after it was sent to the wrong place', async () => {
    const account = await api.newAccount();
    // The operations port sees the address of the socket.
    const local = clientAt(api, '127.0.0.1');
    const admin = () => api.admin('get', '/admin/accounts');
    const page = () =>
      request(api.opsUrl)
        .get('/admin')
        .auth('admin', ADMIN_TOKEN)
        .redirects(0)
        .ok(() => true);
    for (const call of [admin, page]) expect((await call()).status).toBe(200);
    expect((await local.get(account.token)).status).toBe(200);
    expectProblem(await local.produce(PRODUCER_TOKEN), 422);

    for (const token of [ADMIN_TOKEN, PRODUCER_TOKEN]) expectProblem(await local.get(token), 401);
    expectProblem(await local.produce(ADMIN_TOKEN), 401);
    expectProblem(await local.produce(account.token), 403);
    expectProblem(await api.opsAs(PRODUCER_TOKEN)('get', '/admin/accounts'), 403);
    expectProblem(await api.opsAs(account.token)('get', '/admin/accounts'), 401);

    await local.fail();
    for (const call of [admin, page]) expect((await call()).status).toBe(200);
    expect((await local.get(account.token)).status).toBe(200);
    expectProblem(await local.produce(PRODUCER_TOKEN), 422);
  });

  it('a request without a token does not count as a failure', async () => {
    for (let i = 0; i < LIMIT + 5; i += 1) expect((await client.get(undefined)).status).toBe(401);
    expect((await client.get((await api.newAccount()).token)).status).toBe(200);
  });

  it('a burst of guesses cannot exceed the limit', async () => {
    const replies = await Promise.all(Array.from({ length: 3 * LIMIT }, (_, i) => client.get(`wrong-${i}`)));
    expect(replies.filter(({ status }) => status === 401)).toHaveLength(LIMIT);
  });

  it('many new valid tokens all pass at the same time', async () => {
    const accounts = await Promise.all(Array.from({ length: LIMIT + 20 }, () => api.newAccount()));
    const replies = await Promise.all(accounts.map(({ token }) => client.get(token)));
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
  });

  it('replicas share failures and proven tokens', async () => {
    const account = await api.newAccount();
    expect((await client.get(account.token)).status).toBe(200);
    expectProblem(await client.produce(PRODUCER_TOKEN), 422);
    await client.fail();
    const address = `198.51.100.${number}`;
    const other = await startApi({ ...BEHIND_PROXY, QUEUE_PREFIX: api.prefix });
    try {
      const there = clientAt(other, address);
      expectProblem(await there.get('wrong'), 429);
      expectProblem(await there.get((await api.newAccount()).token), 429);
      expect((await there.get(account.token)).status).toBe(200);
      expectProblem(await there.produce(PRODUCER_TOKEN), 422);
    } finally {
      await other.close();
    }
  });
});

describe('while Redis is down', () => {
  it('failed sign-ins stay limited, at both ports', async () => {
    const redis = await startRedis();
    const api = await startApi({ REDIS_URL: redis.url });
    try {
      // The admin token is proven before Redis ends, so it is not limited.
      expect((await api.admin('get', '/admin/accounts')).status).toBe(200);
      await redis.kill();
      const statuses = new Set<number>();
      for (let i = 0; i < LIMIT / 2; i += 1) {
        statuses.add((await api.opsAs(`wrong-${i}`)('get', '/admin/accounts')).status);
        statuses.add((await api.as(`wrong-${i}`)('post', '/v3/events', anOpen())).status);
      }
      expect(statuses).toEqual(new Set([401]));
      expectProblem(await api.opsAs('wrong')('get', '/admin/accounts'), 429);
      expectProblem(await api.as(PRODUCER_TOKEN)('post', '/v3/events', anOpen()), 429);
      expectProblem(await api.admin('get', '/admin/accounts'), 503);
    } finally {
      await api.close();
      await redis.stop();
    }
  });
});

test('when the window ends, tokens are verified again', async () => {
  const redis = connectRedis({ url: await testRedisUrl(), role: 'fail-fast', name: 'test', onError: () => undefined });
  await whenReady(redis, 10_000);
  try {
    const attempts = createSignInAttempts({ redis, prefix: uniqueName('attempts'), windowS: 1 });
    const attempt = (token: string): Promise<unknown> =>
      attempts
        .run({
          address: '192.0.2.1',
          kind: 'producer' as const,
          tokenHash: token,
          verify: () => (token === 'good' ? 'account' : undefined),
        })
        .catch((error: unknown) => (error as ProblemError).status);
    for (let i = 0; i < LIMIT; i += 1) await attempt(`wrong-${i}`);
    expect(await attempt('good')).toBe(429);
    await eventually(async () => (await attempt('good')) === 'account', { what: 'the end of the window' });
    expect(attempts.isProven('192.0.2.1', 'good')).toBe(true);
    expect(attempts.isProven('192.0.2.2', 'good')).toBe(false);
  } finally {
    await closeRedis(redis);
  }
});

test('an IPv6 network that one client may own counts as one address, for failures and for proven tokens', async () => {
  const redis = connectRedis({ url: await testRedisUrl(), role: 'fail-fast', name: 'test', onError: () => undefined });
  await whenReady(redis, 10_000);
  try {
    const attempts = createSignInAttempts({ redis, prefix: uniqueName('attempts') });
    const attempt = (address: string, token: string): Promise<unknown> =>
      attempts
        .run({ address, kind: 'producer', tokenHash: token, verify: () => (token === 'wrong' ? undefined : 'account') })
        .catch((error: unknown) => (error as ProblemError).status);
    expect(await attempt('2001:db8::1', 'good')).toBe('account');
    for (let i = 0; i < LIMIT; i += 1) await attempt(`2001:db8::${i}`, 'wrong');
    expect(await attempt('2001:db8::2', 'another')).toBe(429);
    expect(await attempt('2001:db8::2', 'good')).toBe('account');
    expect(attempts.isProven('2001:db8::2', 'good')).toBe(true);
    expect(attempts.isProven('2001:db9::2', 'good')).toBe(false);
  } finally {
    await closeRedis(redis);
  }
});
