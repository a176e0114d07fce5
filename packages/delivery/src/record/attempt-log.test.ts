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
});
