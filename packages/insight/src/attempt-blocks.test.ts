import { randomBytes, randomUUID } from 'node:crypto';
import { closeRedis, connectRedis, whenReady } from '@mailhook/platform/redis';
import type { Redis } from '@mailhook/platform/redis';
import { testRedisUrl, uniqueName } from '@mailhook/testing';
import {
  createAttemptRecorder,
  createEventLogBuffers,
  engineKeys,
  Installation,
  LOGGED_ROWS_KEPT,
  ROWS_PER_BLOCK,
} from '@mailhook/delivery';
import type { AttemptRecord } from '@mailhook/delivery';
import { createAttemptLog } from './attempt-log.ts';

/** Most delivered attempts of an account that one write keeps. */
const PER_WRITE = 20;

/** A delivered notification of version 2, as a row of many has it. */
function notification(account: string, number: number, startMs: number): AttemptRecord {
  const chunk = `c${randomBytes(12).toString('hex')}_${number % 10}`;
  const id = randomUUID();
  const time = new Date(startMs + number * 1000 + (randomBytes(1)[0] ?? 0)).toISOString();
  return {
    id: `w0123456789abcdef01234567-0_1a2b_${number.toString(36)}_${randomBytes(2).toString('hex')}-1`,
    time,
    account,
    kind: 'transactional',
    shape: 'single',
    destination: `subscription-${number % 3}`,
    address: `https://hooks${number % 3}.customer.example.com/mailhook`,
    webhookId: `msg_${chunk}`,
    events: 1,
    types: ['open'],
    attempt: 1,
    status: 'delivered',
    httpStatus: 200,
    durationMs: (randomBytes(1)[0] ?? 0) / 10,
    eventKeys: [id],
    emails: [`reader${number}@example.com`],
    messageIds: [`<${number}@mail.example.com>`],
    facts: {
      request: { at: Math.floor(Date.parse(time) / 1000), bytes: 400 + (number % 40), signatures: 1, by: '0.1.0' },
      eventKeys: [id],
    },
  };
}

describe('delivered attempts in blocks', () => {
  let redis: Redis;
  beforeAll(async () => {
    redis = connectRedis({ url: await testRedisUrl(), role: 'fail-fast', name: 'test', onError: () => undefined });
    await whenReady(redis, 5000);
  });
  afterAll(() => closeRedis(redis));

  const open = (logBytesMax?: number) => {
    const installation = new Installation(redis, uniqueName('blocks'), 1);
    const onError = (error: Error): never => {
      throw error;
    };
    return {
      keys: engineKeys(installation.prefix, 0, 'campaign'),
      log: createAttemptLog(installation),
      eventLog: createEventLogBuffers(installation),
      /** As many writes as the attempts need. */
      write: async (attempts: readonly AttemptRecord[]): Promise<void> => {
        for (let from = 0; from < attempts.length; from += PER_WRITE) {
          const recorder = createAttemptRecorder(installation, { logBytesMax, onError });
          for (const one of attempts.slice(from, from + PER_WRITE)) recorder.record(one);
          await recorder.close();
        }
      },
    };
  };

  const notifications = (account: string, count: number, startMs = Date.now() - 3_600_000) =>
    Array.from({ length: count }, (_, i) => notification(account, i, startMs));

  const bytesOf = async (keys: readonly string[]): Promise<number> => {
    const sizes = await Promise.all(keys.map((key) => redis.memory('USAGE', key, 'SAMPLES', 0)));
    return sizes.reduce<number>((sum, bytes) => sum + (bytes ?? 0), 0);
  };

  test('the row of a notification takes at most 100 bytes, and what is counted is what Redis takes', async () => {
    const { keys, write } = open();
    const account = uniqueName('account');
    await write(notifications(account, 3000));
    const [rows, blocks] = [keys.attempts(account, 'delivered'), keys.attempts(account, 'packed')];
    expect(await redis.llen(rows)).toBeLessThan(ROWS_PER_BLOCK);
    const kept = (await redis.hlen(blocks)) * ROWS_PER_BLOCK + (await redis.llen(rows));
    expect(kept).toBe(3000);
    expect((await bytesOf([rows, blocks])) / 3000).toBeLessThanOrEqual(100);
    const counted = (await redis.hgetBuffer(keys.blocks, account))?.readUIntBE(0, 6) ?? 0;
    const used = await bytesOf([blocks]);
    expect([counted > 0.95 * used, counted < 1.25 * used]).toEqual([true, true]);
  }, 30_000);

  test('pages, filters, times, searches and single attempts go through rows and blocks', async () => {
    const { log, write } = open();
    const account = uniqueName('account');
    const attempts = notifications(account, 630);
    await write(attempts);
    const pages: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await log.list(account, { limit: 100, cursor });
      pages.push(...page.items.map(({ id }) => id));
      expect(page.deliveredSince).toBeUndefined();
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    const newestFirst = [...attempts].sort((a, b) => (`${a.time}~${a.id}` < `${b.time}~${b.id}` ? 1 : -1));
    expect(pages).toEqual(newestFirst.map(({ id }) => id));
    const [old, middle] = [attempts[3]!, attempts[300]!];
    const before = await log.list(account, { limit: 2, toMs: Date.parse(middle.time) + 1 });
    expect(before.items[0]?.id).toBe(middle.id);
    const wanted = [{ id: old.eventKeys[0]! }, { email: 'reader3@example.com' }, { webhookId: old.webhookId! }];
    for (const one of wanted) expect((await log.find(account, one)).attempts.map(({ id }) => id)).toEqual([old.id]);
    expect((await log.read(account, old.id))?.facts?.eventKeys).toEqual(old.eventKeys);
    expect(await log.read(account, 'unknown')).toBeUndefined();
  }, 30_000);

  test('workers that write at the same time lose no row and keep none twice', async () => {
    const { keys, log, write } = open();
    const account = uniqueName('account');
    const attempts = notifications(account, 400);
    await Promise.all([0, 1, 2, 3].map((i) => write(attempts.filter((_one, number) => number % 4 === i))));
    const { attempts: found } = await log.find(account, { webhookId: 'msg_none' });
    expect(found).toEqual([]);
    const { items } = await log.list(account, { limit: 1000 });
    expect(new Set(items.map(({ id }) => id))).toEqual(new Set(attempts.map(({ id }) => id)));
    const blocks = await redis.hlen(keys.attempts(account, 'packed'));
    expect(blocks * ROWS_PER_BLOCK + (await redis.llen(keys.attempts(account, 'delivered')))).toBe(400);
  });

  test('without room the oldest go first, of one account or of all, and the log says until when', async () => {
    const { keys, log, write } = open(200_000);
    const startMs = Date.now() - 1_000_000;
    const accounts = Array.from({ length: 30 }, (_, i) => `${i}-${uniqueName('account')}`);
    // A twentieth of the log is 10 kB, about three blocks.
    await write(notifications(accounts[0]!, 250, startMs));
    const own = await log.list(accounts[0]!, { limit: 1000, status: 'delivered' });
    expect(own.items.length).toBeLessThan(200);
    const oldest = own.items.at(-1)?.time ?? '';
    expect([Date.parse(own.deliveredSince ?? '') <= Date.parse(oldest), own.deliveredSince! > '2020']).toEqual([
      true,
      true,
    ]);
    expect((await log.list(accounts[1]!, { limit: 1 })).deliveredSince).toBeUndefined();
    for (const [i, account] of accounts.entries()) if (i > 0) await write(notifications(account, 100, startMs + i));
    const all = (await redis.hgetBuffer(keys.blocks, ''))?.readUIntBE(0, 6) ?? 0;
    expect([all > 150_000, all <= 200_000]).toEqual([true, true]);
    const since = (await log.list(accounts[29]!, { limit: 1 })).deliveredSince ?? '';
    expect(Date.parse(since)).toBeGreaterThanOrEqual(startMs);
    expect(await redis.zcard(keys.blocksOldest)).toBe((await redis.hlen(keys.blocks)) - 1);
    await Promise.all(accounts.map((account) => redis.unlink(keys.attempts(account, 'packed'))));
    // What a deleted account or an expired list took is found when the log needs room.
    const last = uniqueName('account');
    for (let i = 0; i < 5; i += 1) await write(notifications(last, 100, Date.now()));
    const left = (await redis.hgetBuffer(keys.blocks, ''))?.readUIntBE(0, 6) ?? 0;
    expect(left).toBeLessThanOrEqual(200_000);
  }, 60_000);

  test('with the event log, which has an outcome for each, the newest 200 stay, and all failures', async () => {
    const { keys, log, eventLog, write } = open();
    const account = uniqueName('account');
    const attempts = notifications(account, 600);
    await write(attempts.slice(0, 300));
    await eventLog.switchOn(1_000_000);
    await write(attempts.slice(300));
    await write(attempts.slice(0, 250).map((one) => ({ ...one, id: `failed-${one.id}`, status: 'failed' })));
    const { items, deliveredSince = '' } = await log.list(account, { limit: 1000, status: 'delivered' });
    expect([items.length >= LOGGED_ROWS_KEPT, items.length < LOGGED_ROWS_KEPT + ROWS_PER_BLOCK]).toEqual([true, true]);
    const newestFirst = [...attempts].sort((a, b) => (`${a.time}~${a.id}` < `${b.time}~${b.id}` ? 1 : -1));
    expect(items.map(({ id }) => id)).toEqual(newestFirst.slice(0, items.length).map(({ id }) => id));
    expect(Date.parse(deliveredSince)).toBeGreaterThan(0);
    expect((await log.list(account, { limit: 1000, status: 'failed' })).items).toHaveLength(250);
    await eventLog.switchOff();
    await write(notifications(account, 400, Date.now()));
    expect(await redis.hlen(keys.attempts(account, 'packed'))).toBeGreaterThan(10);
  }, 30_000);

  test('attempts older than the log keeps go, although it has room', async () => {
    const { keys, write } = open();
    const [old, account] = [uniqueName('account'), uniqueName('account')];
    await write(notifications(old, 40, Date.now() - 8 * 86_400_000));
    expect(await redis.hlen(keys.attempts(old, 'packed'))).toBe(0);
    expect(await redis.hexists(keys.blocks, old)).toBe(0);
    await write(notifications(account, 40));
    expect(await redis.hlen(keys.attempts(account, 'packed'))).toBe(1);
    expect(await redis.zrange(keys.blocksOldest, '0', '-1')).toEqual([account]);
    expect((await redis.hgetBuffer(keys.blocks, ''))?.readUIntBE(6, 6)).toBe(0);
  });
});
