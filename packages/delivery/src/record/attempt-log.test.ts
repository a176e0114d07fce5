import { closeRedis, connectRedis, whenReady } from '@mailhook/platform/redis';
import type { Redis } from '@mailhook/platform/redis';
import { testRedisUrl, uniqueName } from '@mailhook/testing';
import type { AttemptRecord } from './attempt-record.ts';
import { createAttemptLog, KEPT_ATTEMPTS } from './attempt-log.ts';

const attempt = (account: string, status: AttemptRecord['status'], number: number): AttemptRecord => ({
  ...{
    id: `${account}-${status}-${number}`,
    time: new Date(1_700_000_000_000 + number).toISOString(),
    account,
    status,
  },
  ...{ eventKeys: ['k'], kind: 'campaign', address: 'http://127.0.0.1:9/', events: 1, attempt: 1, durationMs: 1 },
});

describe('the log of attempts', () => {
  let redis: Redis;
  beforeAll(async () => {
    redis = connectRedis({ url: await testRedisUrl(), role: 'fail-fast', name: 'test', onError: () => undefined });
    await whenReady(redis, 5000);
  });
  afterAll(() => closeRedis(redis));

  test('keeps as many delivered attempts as `KEPT_ATTEMPTS` says, counts the rest, and keeps all others', async () => {
    let dropped = 0;
    const log = createAttemptLog({
      ...{ redis, queuePrefix: uniqueName('log'), shards: 1 },
      onDropped: (attempts) => (dropped += attempts),
      onError: (error) => {
        throw error;
      },
    });
    const accounts = Array.from({ length: 6 }, () => uniqueName('account'));
    for (const account of accounts) {
      for (let i = 0; i < 30; i += 1) log.record(attempt(account, 'delivered', i));
    }
    for (let i = 0; i < 30; i += 1) log.record(attempt(accounts[0]!, 'failed', i));
    await log.close();
    const kept = await Promise.all(
      accounts.map(async (account) => (await log.list(account, { limit: 100, status: 'delivered' })).items.length),
    );
    // One flush. There are ten per second.
    expect(kept).toEqual([20, 20, 20, 20, 20, 0]);
    expect(KEPT_ATTEMPTS).toContain(
      'only a sample while a worker makes more than 200 a second, or over 1,000 for all accounts',
    );
    expect(dropped).toBe(6 * 30 - 100);
    expect((await log.list(accounts[0]!, { limit: 100, status: 'failed' })).items).toHaveLength(30);
  });

  test('lists by event type and time, page by page, and finds by recipient and `webhook-id`', async () => {
    const log = createAttemptLog({ redis, queuePrefix: uniqueName('log'), shards: 1, onError: () => undefined });
    const account = uniqueName('account');
    const records: Partial<AttemptRecord>[] = [
      { types: ['open'], emails: ['anna@example.com'], webhookId: 'msg_1' },
      { types: ['click', 'open'], emails: ['bob@example.com'], webhookId: 'msg_2' },
      { types: ['click'], emails: ['bob@example.com', 'anna@example.com'], webhookId: 'msg_2-0-5' },
      // As an older version writes it.
      {},
    ];
    for (const [i, more] of records.entries()) {
      log.record({ ...attempt(account, i === 1 ? 'failed' : 'delivered', i), ...more });
    }
    await log.close();
    const list = async (query: object) =>
      (await log.list(account, { limit: 100, ...query })).items.map(({ time }) => Date.parse(time) - 1_700_000_000_000);
    expect(await list({ type: 'click' })).toEqual([2, 1]);
    expect(await list({ type: 'open', status: 'delivered' })).toEqual([0]);
    expect(await list({ fromMs: 1_700_000_000_001, toMs: 1_700_000_000_003 })).toEqual([2, 1]);
    const page = await log.list(account, { limit: 1, type: 'click' });
    expect(await list({ type: 'click', cursor: page.nextCursor })).toEqual([1]);
    const find = async (wanted: Parameters<typeof log.find>[1]) =>
      (await log.find(account, wanted)).map(({ time }) => Date.parse(time) - 1_700_000_000_000);
    expect(await find({ email: 'Anna@Example.com' })).toEqual([2, 0]);
    expect(await find({ webhookId: 'msg_2' })).toEqual([2, 1]);
    expect(await find({ webhookId: 'msg_2-0-5' })).toEqual([2]);
    expect(await find({ webhookId: 'msg_' })).toEqual([]);
    expect(JSON.stringify((await log.list(account, { limit: 100 })).items)).not.toContain('emails');
  });
});
