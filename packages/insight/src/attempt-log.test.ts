import { closeRedis, connectRedis, whenReady } from '@mailhook/platform/redis';
import type { Redis } from '@mailhook/platform/redis';
import { testRedisUrl, uniqueName } from '@mailhook/testing';
import { createAttemptRecorder, engineKeys, Installation, KEPT_ATTEMPTS } from '@mailhook/delivery';
import type { AttemptRecord } from '@mailhook/delivery';
import { createAttemptLog } from './attempt-log.ts';

const attempt = (account: string, status: AttemptRecord['status'], number: number): AttemptRecord => ({
  id: `${account}-${status}-${number}`,
  time: new Date(1_700_000_000_000 + number).toISOString(),
  account,
  status,
  eventKeys: ['k'],
  kind: 'campaign',
  shape: 'batch',
  destination: 'campaign',
  address: 'http://127.0.0.1:9/',
  events: 1,
  attempt: 1,
  durationMs: 1,
});

/** A row as Redis keeps it. */
const rowText = (change: Partial<AttemptRecord>): string =>
  JSON.stringify({ ...attempt('any', 'failed', 0), account: undefined, keys: 'AAAAAA==', ...change });

describe('the log of attempts', () => {
  let redis: Redis;
  beforeAll(async () => {
    redis = connectRedis({ url: await testRedisUrl(), role: 'fail-fast', name: 'test', onError: () => undefined });
    await whenReady(redis, 5000);
  });
  afterAll(() => closeRedis(redis));

  test('keeps as many delivered attempts as `KEPT_ATTEMPTS` says, counts the rest, and keeps all others', async () => {
    let dropped = 0;
    const installation = new Installation(redis, uniqueName('log'), 1);
    const log = createAttemptLog(installation);
    const recorder = createAttemptRecorder(installation, {
      onDropped: (attempts) => (dropped += attempts),
      onError: (error) => {
        throw error;
      },
    });
    const accounts = Array.from({ length: 6 }, () => uniqueName('account'));
    for (const account of accounts) {
      for (let i = 0; i < 30; i += 1) recorder.record(attempt(account, 'delivered', i));
    }
    for (let i = 0; i < 30; i += 1) recorder.record(attempt(accounts[0]!, 'failed', i));
    await recorder.close();
    const kept = await Promise.all(
      accounts.map(async (account) => (await log.list(account, { limit: 100, status: 'delivered' })).items.length),
    );
    // One flush. There are ten per second.
    expect(kept).toEqual([20, 20, 20, 20, 20, 0]);
    expect(KEPT_ATTEMPTS).toContain(
      'only a sample while a worker makes more than 200 a second, or over 1,000 for all accounts',
    );
    expect(dropped).toBe(6 * 30 - 100);
    for (const status of ['failed', 'not_delivered'] as const)
      expect((await log.list(accounts[0]!, { limit: 100, status })).items).toHaveLength(30);
  });

  test('lists by event type and time, page by page, and finds by recipient and `webhook-id`', async () => {
    const installation = new Installation(redis, uniqueName('log'), 1);
    const log = createAttemptLog(installation);
    const recorder = createAttemptRecorder(installation, { onError: () => undefined });
    const account = uniqueName('account');
    const records: Partial<AttemptRecord>[] = [
      { types: ['open'], emails: ['anna@example.com'], webhookId: 'msg_1', httpStatus: 200 },
      {
        types: ['click', 'open'],
        emails: ['bob@example.com'],
        webhookId: 'msg_2',
        httpStatus: 503,
        attempt: 2,
        facts: {
          reply: { status: 503, headers: {}, body: '{"error": "No Such Table"}', isBodyWhole: true },
          eventKeys: [],
        },
      },
      {
        types: ['click'],
        eventKeys: ['j', 'k'],
        emails: ['bob@example.com', 'anna@example.com'],
        webhookId: 'msg_2-0-5',
        httpStatus: 200,
      },
      // After an internal error.
      { kind: 'test' },
    ];
    for (const [i, more] of records.entries()) {
      recorder.record({ ...attempt(account, i === 1 ? 'failed' : 'delivered', i), ...more });
    }
    await recorder.close();
    const list = async (query: object) =>
      (await log.list(account, { limit: 100, ...query })).items.map(({ time }) => Date.parse(time) - 1_700_000_000_000);
    expect(await list({ type: 'click' })).toEqual([2, 1]);
    expect(await list({ type: 'open', status: 'delivered' })).toEqual([0]);
    expect(await list({ reply: '503' })).toEqual([1]);
    expect(await list({ reply: '5xx', attempt: 'later' })).toEqual([1]);
    expect(await list({ reply: '5xx', attempt: 'first' })).toEqual([]);
    expect(await list({ reply: '2xx' })).toEqual([2, 0]);
    expect(await list({ reply: 'none' })).toEqual([3]);
    expect(await list({ text: 'no such table' })).toEqual([1]);
    expect(await list({ text: 'no such column' })).toEqual([]);
    expect(await list({ kind: 'test' })).toEqual([3]);
    expect(await list({ fromMs: 1_700_000_000_001, toMs: 1_700_000_000_003 })).toEqual([2, 1]);
    const page = await log.list(account, { limit: 1, type: 'click' });
    expect(await list({ type: 'click', cursor: page.nextCursor })).toEqual([1]);
    const find = async (wanted: Parameters<typeof log.find>[1]) =>
      (await log.find(account, wanted)).attempts.map(({ time }) => Date.parse(time) - 1_700_000_000_000);
    expect(await find({ email: 'Anna@Example.com' })).toEqual([2, 0]);
    expect(await find({ webhookId: 'msg_2' })).toEqual([2, 1]);
    expect(await find({ webhookId: 'msg_2-0-5' })).toEqual([2]);
    expect(await find({ webhookId: 'msg_' })).toEqual([]);
    expect(JSON.stringify((await log.list(account, { limit: 100 })).items)).not.toContain('emails');
  });

  test('a filter that matches little reads a limited number of rows, and finds each attempt once', async () => {
    const queuePrefix = uniqueName('log');
    let read = 0;
    const log = createAttemptLog(new Installation(redis, queuePrefix, 1), {
      onRead: (_account, rows) => (read += rows),
    });
    const account = uniqueName('account');
    const key = engineKeys(queuePrefix, 0, 'campaign').attempts(account, 'failed');
    const rows = Array.from({ length: 10_000 }, (_, n) => {
      // Rows are out of order by up to 9 s.
      const time = new Date(1_700_000_000_000 + n * 100 - (n % 10) * 1000).toISOString();
      return rowText({ id: `row-${n}`, time, types: n % 2500 === 7 ? ['bounce'] : ['open'] });
    });
    await redis.lpush(key, ...rows);
    const pages: string[][] = [];
    let cursor: string | undefined;
    do {
      read = 0;
      const page = await log.list(account, { limit: 2, type: 'bounce', cursor });
      expect(read).toBeLessThanOrEqual(6500);
      pages.push(page.items.map(({ id }) => id));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(pages.flat()).toEqual(['row-7507', 'row-5007', 'row-2507', 'row-7']);
    expect(pages.length).toBeGreaterThan(2);
    read = 0;
    const { items } = await log.list(account, { limit: 2, toMs: 1_700_000_000_000 + 30_000 });
    expect(items).toHaveLength(2);
    expect(read).toBeLessThanOrEqual(1500);
  });

  test('a search ends although more rows than one call reads have the same time', async () => {
    const queuePrefix = uniqueName('log');
    const log = createAttemptLog(new Installation(redis, queuePrefix, 1));
    const account = uniqueName('account');
    const key = engineKeys(queuePrefix, 0, 'campaign').attempts(account, 'failed');
    const rowOf = (n: number): string => rowText({ id: `row-${n}`, types: [n === 3 ? 'bounce' : 'open'] });
    await redis.lpush(key, ...Array.from({ length: 10_000 }, (_, n) => rowOf(n)));
    const found: string[] = [];
    let cursor: string | undefined;
    let calls = 0;
    do {
      const page = await log.list(account, { limit: 5, type: 'bounce', cursor });
      found.push(...page.items.map(({ id }) => id));
      cursor = page.nextCursor;
      calls += 1;
    } while (cursor !== undefined && calls < 20);
    expect([found, calls < 20]).toEqual([['row-3'], true]);
  });
});
