import { Redis } from 'ioredis';
import { engineKeys } from '@mailhook/delivery';
import { startApi } from '../api-rig.suite.ts';
import type { ApiRig, TestAccount } from '../api-rig.suite.ts';
import { SUBSCRIPTIONS, expectProblem } from '../customer-api/customer-api-rig.suite.ts';
import { browserOf, PAGE } from '../settings-page-rig.suite.ts';
import { createRequestLimits } from './request-limits.ts';

const DELIVERIES = '/v3/webhook/deliveries';

describe('requests of one customer', () => {
  let api: ApiRig;
  let mine: TestAccount;
  beforeAll(async () => {
    // So slow that no time of a test fills a bucket again: a token has 20 requests, an account 40.
    api = await startApi({ CUSTOMER_REQUESTS_PER_SECOND: '1' });
  });
  afterAll(() => api.close());
  beforeEach(async () => {
    mine = await api.newAccount();
  });

  const secondTokenOf = async ({ id }: TestAccount): Promise<string> =>
    ((await api.admin('post', `/admin/accounts/${id}/tokens`, {})).body as { token: string }).token;

  /** Sends requests until the first 429, at most `times`. On a slow machine, a bucket has filled up a little before. */
  const callUntilRefused = async (call: () => PromiseLike<Reply>, times: number) => {
    const statuses: number[] = [];
    for (let i = 0; i < times; i += 1) {
      const reply = await call();
      if (reply.status === 429) return { statuses, refusal: reply };
      statuses.push(reply.status);
    }
    throw new Error(`none of ${times} requests was refused`);
  };

  interface Reply {
    readonly status: number;
    readonly headers: Record<string, string>;
    readonly body: unknown;
  }

  test('a token beyond its limit gets 429 with Retry-After; the other token and other accounts do not', async () => {
    const first = await api.as(mine.token)('get', SUBSCRIPTIONS);
    expect(first.headers['ratelimit-policy']).toBe('"token";q=20;w=20, "account";q=40;w=20');
    expect(first.headers['ratelimit']).toBe('"token";r=19;t=1, "account";r=39;t=1');
    const { refusal } = await callUntilRefused(() => api.as(mine.token)('get', SUBSCRIPTIONS), 60);
    expectProblem(refusal, 429, 'rate_limited');
    expect(Number(refusal.headers['retry-after'])).toBeGreaterThan(0);
    expect(refusal.headers['ratelimit']).toMatch(/^"token";r=0;t=\d+, "account";r=\d+;t=\d+$/);
    expect((await api.as(await secondTokenOf(mine))('get', SUBSCRIPTIONS)).status).toBe(200);
    expect((await api.as((await api.newAccount()).token)('get', SUBSCRIPTIONS)).status).toBe(200);
  });

  test('an account beyond its limit gets 429 with every token and on its settings page', async () => {
    const browser = await browserOf(api, mine.token);
    const tokens = [mine.token, await secondTokenOf(mine), await secondTokenOf(mine)];
    for (const token of tokens) {
      await callUntilRefused(() => api.as(token)('get', SUBSCRIPTIONS), 60);
    }
    for (const call of [() => browser.get(), () => browser.get(`${PAGE}/news`), () => browser.send({ do: 'resume' })]) {
      expectProblem((await callUntilRefused(call, 60)).refusal, 429, 'rate_limited');
    }
  });

  test('open settings pages use the requests of the page, not those of a token', async () => {
    const browser = await browserOf(api, mine.token);
    const { statuses } = await callUntilRefused(() => browser.get(`${PAGE}/news`), 60);
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect((await api.as(mine.token)('get', SUBSCRIPTIONS)).status).toBe(200);
  });

  test('every route of customers is limited', async () => {
    await callUntilRefused(() => api.as(mine.token)('get', SUBSCRIPTIONS), 60);
    const document = (await api.as(undefined)('get', '/openapi.json')).body as {
      paths: Record<string, Record<string, unknown>>;
    };
    const routes = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => [method, path] as const),
    );
    const customers = routes.filter(([, path]) => path.startsWith('/v3/webhook'));
    expect(customers.length).toBeGreaterThan(20);
    for (const [method, path] of customers) {
      await callUntilRefused(() => api.as(mine.token)(method as 'get', path.replaceAll(/\{\w+\}/g, 'x')), 60);
    }
  });

  test('a search of the log counts by the rows that it reads', async () => {
    const redis = new Redis(api.redisUrl);
    const row = JSON.stringify({
      id: 'a',
      time: '2026-01-02T03:04:05.000Z',
      status: 'failed',
      types: ['open'],
      keys: '',
    });
    await redis.lpush(
      `${engineKeys(api.prefix, 0, 'campaign').shared}attempts:${mine.id}:failed`,
      ...Array.from({ length: 5000 }, () => row),
    );
    redis.disconnect();
    await api.as(mine.token)('get', `${DELIVERIES}?type=bounce`);
    const headers = (await api.as(mine.token)('get', SUBSCRIPTIONS)).headers as Record<string, string>;
    // Two requests, ten for 5,000 rows, and some for the time that the search took.
    const [, token, account] =
      /^"token";r=(\d+);t=\d+, "account";r=(\d+);t=\d+$/.exec(headers['ratelimit'] ?? '') ?? [];
    expect(Number(token)).toBeGreaterThanOrEqual(18);
    expect(Number(account)).toBeLessThanOrEqual(29);
  });

  test('events of producers are not limited', async () => {
    for (let i = 0; i < 50; i += 1) expect((await api.post([])).status).toBe(422);
  });
});

test('the default lets a client poll ten times per second, and create hundreds of subscriptions', async () => {
  const api = await startApi();
  try {
    const { token } = await api.newAccount();
    const replies = await Promise.all(Array.from({ length: 300 }, () => api.as(token)('get', SUBSCRIPTIONS)));
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
  } finally {
    await api.close();
  }
});

test('a bucket fills up again steadily, up to 20 seconds\u2019 worth', () => {
  const clock = { ms: 0 };
  const limits = createRequestLimits({ perSecond: 5, now: () => clock.ms });
  const response = { set: () => response } as unknown as Parameters<typeof limits.admit>[0];
  const admit = (times: number): void => {
    for (let i = 0; i < times; i += 1) limits.admit(response, 'a', 't');
  };
  admit(100);
  expect(() => admit(1)).toThrow('more than 5 requests per second');
  clock.ms += 1000;
  admit(5);
  expect(() => admit(1)).toThrow();
  clock.ms += 3_600_000;
  admit(100);
  expect(() => admit(1)).toThrow();
});
