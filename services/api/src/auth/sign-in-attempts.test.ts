import request from 'supertest';
import { connectRedis, closeRedis, whenReady } from '@mailhook/platform/redis';
import type { Redis } from '@mailhook/platform/redis';
import type { ProblemError } from '@mailhook/platform/http-server';
import { anOpen, eventually, startRedis, testRedisUrl, uniqueName } from '@mailhook/testing';
import { ADMIN_TOKEN, PRODUCER_TOKEN, startApi } from '../api-rig.suite.ts';
import type { ApiRig } from '../api-rig.suite.ts';
import { SUBSCRIPTIONS, expectProblem } from '../customer-api/customer-api-rig.suite.ts';
import { createSignInAttempts } from './sign-in-attempts.ts';
import type { SignInAttempts } from './sign-in-attempts.ts';

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

  it('a wrong token gets 429 in place of 401, and every valid token passes, also one that is new here', async () => {
    const { token } = await api.newAccount();
    expect(await client.fail()).toEqual(Array.from({ length: LIMIT }, () => 401));
    const wrong = await client.get('wrong');
    expectProblem(wrong, 429, 'rate_limited');
    expect(Number(wrong.headers['retry-after'])).toBeGreaterThan(0);
    for (const other of [PRODUCER_TOKEN, ADMIN_TOKEN]) expectProblem(await client.get(other), 429);
    expect((await client.get(token)).status).toBe(200);
    // No event is in the body.
    expectProblem(await client.produce(PRODUCER_TOKEN), 422);
    for (const other of ['wrong', token]) expectProblem(await client.produce(other), 429);
    expectProblem(await clientAt(api, '203.0.113.1').get('wrong'), 401);
  });

  it('a token no longer passes after it was revoked', async () => {
    const account = await api.newAccount();
    expect((await client.get(account.token)).status).toBe(200);
    await client.fail();
    await api.admin('delete', `/admin/accounts/${account.id}/tokens/${account.tokenId}`);
    await eventually(async () => (await client.get(account.token)).status === 429, { what: 'the refusal' });
  });

  it('an operator passes at the operations port, by the admin API and by pages', async () => {
    // The operations port sees the address of the socket.
    await clientAt(api, '127.0.0.1').fail(LIMIT + 1);
    expectProblem(await api.opsAs('wrong')('get', '/admin/accounts'), 429);
    expect((await api.admin('get', '/admin/accounts')).status).toBe(200);
    const page = (password: string) =>
      request(api.opsUrl)
        .get('/admin')
        .auth('admin', password)
        .redirects(0)
        .ok(() => true);
    expect((await page(ADMIN_TOKEN)).status).toBe(200);
    expectProblem(await page('wrong'), 429);
  });

  it('a request without a token does not count as a failure', async () => {
    for (let i = 0; i < LIMIT + 5; i += 1) expect((await client.get(undefined)).status).toBe(401);
    expect((await client.get((await api.newAccount()).token)).status).toBe(200);
  });

  it('a burst of guesses cannot exceed the limit', async () => {
    const replies = await Promise.all(Array.from({ length: 3 * LIMIT }, (_, i) => client.get(`wrong-${i}`)));
    expect(replies.filter(({ status }) => status === 401)).toHaveLength(LIMIT);
  });

  it('replicas share failures', async () => {
    await client.fail();
    const address = `198.51.100.${number}`;
    const other = await startApi({ ...BEHIND_PROXY, QUEUE_PREFIX: api.prefix });
    try {
      const there = clientAt(other, address);
      expectProblem(await there.get('wrong'), 429);
      expect((await there.get((await api.newAccount()).token)).status).toBe(200);
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
      await redis.kill();
      const statuses = new Set<number>();
      for (let i = 0; i < LIMIT / 2; i += 1) {
        statuses.add((await api.opsAs(`wrong-${i}`)('get', '/admin/accounts')).status);
        statuses.add((await api.as(`wrong-${i}`)('post', '/v3/events', anOpen())).status);
      }
      expect(statuses).toEqual(new Set([401]));
      expectProblem(await api.opsAs('wrong')('get', '/admin/accounts'), 429);
      expectProblem(await api.as('wrong')('post', '/v3/events', anOpen()), 429);
      expectProblem(await api.as(PRODUCER_TOKEN)('post', '/v3/events', anOpen()), 503);
      expectProblem(await api.admin('get', '/admin/accounts'), 503);
    } finally {
      await api.close();
      await redis.stop();
    }
  });
});

describe('sign-in attempts', () => {
  let redis: Redis;
  let attempts: SignInAttempts;
  beforeAll(async () => {
    redis = connectRedis({ url: await testRedisUrl(), role: 'fail-fast', name: 'test', onError: () => undefined });
    await whenReady(redis, 10_000);
  });
  afterAll(() => closeRedis(redis));
  beforeEach(() => {
    attempts = createSignInAttempts({ redis, prefix: uniqueName('attempts'), windowS: 10 });
  });

  const signIn = (address: string, token: string, verify: () => Promise<string | undefined>, begun?: string[]) =>
    attempts
      .run({ address, kind: 'producer', tokenHash: token, verify, onFirstUse: (identity) => begun?.push(identity) })
      .catch((error: unknown) => (error as ProblemError).status);
  const wrong = (address: string) => signIn(address, 'wrong', () => Promise.resolve(undefined));
  const good = (address: string, begun?: string[]) => signIn(address, 'good', () => Promise.resolve('account'), begun);
  const fail = async (address: (i: number) => string) => {
    for (let i = 0; i <= LIMIT; i += 1) await wrong(address(i));
  };

  it('are 401 again when the window ends', async () => {
    attempts = createSignInAttempts({ redis, prefix: uniqueName('attempts'), windowS: 1 });
    await fail(() => '192.0.2.1');
    await eventually(async () => (await wrong('192.0.2.1')) === undefined, { what: 'the end of the window' });
  });

  it('count by the IPv6 network that one client may own, which also begins to use a token once', async () => {
    const begun: string[] = [];
    for (const last of [1, 2]) expect(await good(`2001:db8::${last}`, begun)).toBe('account');
    expect(begun).toEqual(['account']);
    expect([attempts.isInUse('2001:db8::3', 'good'), attempts.isInUse('2001:db9::3', 'good')]).toEqual([true, false]);
    await fail((i) => `2001:db8::${i}`);
    expect([await wrong('2001:db8::2'), await wrong('2001:db9::2')]).toEqual([429, undefined]);
  });

  it('of an address beyond the limit are verified one after the other, but not those with a token in use', async () => {
    await good('192.0.2.1');
    await fail(() => '192.0.2.1');
    const open: (() => void)[] = [];
    const slow = () => new Promise<undefined>((resolve) => open.push(() => resolve(undefined)));
    const guesses = ['a', 'b'].map((token) => signIn('192.0.2.1', token, slow));
    expect(await good('192.0.2.1')).toBe('account');
    expect(open).toHaveLength(1);
    open[0]?.();
    await eventually(() => open.length === 2, { what: 'the next one' });
    open[1]?.();
    expect(await Promise.all(guesses)).toEqual([429, 429]);
  });
});
