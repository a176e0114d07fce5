import { closeRedis, connectRedis, whenReady } from '@mailhook/platform/redis';
import type { Redis } from '@mailhook/platform/redis';
import { testRedisUrl, uniqueName } from '@mailhook/testing';
import { readBlocks } from '../mailbox/accounts.ts';
import { ROWS_PER_BLOCK } from '../mailbox/constants.ts';
import { Installation } from '../mailbox/installation.ts';
import { createRunner } from '../mailbox/functions.ts';
import type { AttemptRecord } from '../record/attempt-record.ts';
import { createAttemptRecorder } from '../record/attempt-recorder.ts';
import { packRows, rowsIn } from '../record/row-blocks.ts';
import { eraseAttempts } from './erase-attempts.ts';

const ANNA = 'anna@example.com';

const attempt = (account: string, number: number, email: string): AttemptRecord => ({
  id: `attempt-${number}-1`,
  time: new Date(Date.now() + number).toISOString(),
  account,
  kind: 'campaign',
  shape: 'array',
  destination: 'campaign',
  address: 'http://127.0.0.1:9/',
  webhookId: `msg_${number}`,
  events: 1,
  attempt: 1,
  status: 'delivered',
  durationMs: 1,
  eventKeys: [`evt_${number}`],
  emails: [email],
  facts: { eventKeys: [`evt_${number}`] },
});

describe('erasing a recipient from the log of delivered attempts', () => {
  let redis: Redis;
  beforeAll(async () => {
    redis = connectRedis({ url: await testRedisUrl(), role: 'fail-fast', name: 'test', onError: () => undefined });
    await whenReady(redis, 5000);
  });
  afterAll(() => closeRedis(redis));

  const scene = async (attempts: number) => {
    const installation = new Installation(redis, uniqueName('erase'), 1);
    const account = uniqueName('account');
    const keys = installation.keysOf(account, 'campaign');
    for (let from = 0; from < attempts; from += 10) {
      const recorder = createAttemptRecorder(installation, { onError: (error) => expect(error).toBeUndefined() });
      for (let i = from; i < Math.min(attempts, from + 10); i += 1)
        recorder.record(attempt(account, i, i % 7 === 3 ? ANNA : `other-${i}@example.com`));
      await recorder.close();
    }
    const erase = () =>
      eraseAttempts({ redis, keys, account, wanted: { email: ANNA }, signal: new AbortController().signal });
    const rows = async (): Promise<string[]> => [
      ...(await redis.lrange(keys.attempts(account, 'delivered'), 0, -1)),
      ...(await readBlocks(redis, keys, account, { newest: 9, count: 10 })).flatMap(([, block]) => rowsIn(block)),
    ];
    return { account, keys, erase, rows };
  };

  test('names leave rows and blocks, the fingerprints stay, and nothing is erased a second time', async () => {
    const { account, keys, erase, rows } = await scene(2 * ROWS_PER_BLOCK + 10);
    expect(await redis.hlen(keys.attempts(account, 'packed'))).toBe(2);
    const before = await rows();
    expect(await erase()).toBe(true);
    const after = await rows();
    expect(after.map((row) => (JSON.parse(row) as { id: string }).id)).toEqual(
      before.map((row) => (JSON.parse(row) as { id: string }).id),
    );
    const named = after.filter((row) => /evt_\d/.test(row)).map((row) => Number(/evt_(\d+)/.exec(row)?.[1]));
    expect(named.filter((number) => number % 7 === 3)).toEqual([]);
    expect(named).toHaveLength(after.filter((_row, i) => i % 7 !== 3).length);
    expect(await erase()).toBe(false);
  });

  test('rows that were erased after a worker read them do not come back in its block', async () => {
    const { account, keys, erase, rows } = await scene(ROWS_PER_BLOCK - 1);
    const key = keys.attempts(account, 'delivered');
    const run = createRunner(redis);
    const last = JSON.stringify({ id: 'last', time: new Date().toISOString(), keys: '', kind: 'campaign' });
    const [ripe = []] = (await run('add-rows', keys, key, 100, 1e6, 1000, account, 1, last)) as string[][];
    const [, version = '', ...read] = ripe;
    expect(read).toHaveLength(ROWS_PER_BLOCK);
    await erase();
    const pack = (of: string) => run('pack-rows', keys, account, read.length, of, packRows(read), 10, 1e6, 1e6, 1e9);
    expect(await pack(version)).toBe(0);
    expect((await rows()).filter((row) => row.includes('"evt_3"'))).toEqual([]);
  });
});
