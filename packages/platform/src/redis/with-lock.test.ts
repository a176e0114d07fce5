import { eventually, testRedisUrl, uniqueName } from '@mailhook/testing';
import { closeRedis, connectRedis, whenReady } from './connect.ts';
import type { Redis } from './connect.ts';
import { withLock } from './with-lock.ts';

const HOUR_MS = 3_600_000;

describe('a lock', () => {
  let redis: Redis;
  let key: string;

  beforeAll(async () => {
    redis = connectRedis({ url: await testRedisUrl(), role: 'worker', name: 'test', onError: () => undefined });
    await whenReady(redis, 5000);
  });
  afterAll(() => closeRedis(redis));
  beforeEach(() => (key = uniqueName('lock')));

  const run = <Result>(work: () => Promise<Result>, more: { forMs?: number; restMs?: number } = {}) =>
    withLock(redis, { key, forMs: HOUR_MS, ...more }, work);
  const nothing = () => Promise.resolve();

  test('lets one run its work at a time, and the next one after its end', async () => {
    expect(await run(() => run(nothing))).toEqual({ result: undefined });
    expect(await run(() => Promise.resolve(1))).toEqual({ result: 1 });
  });

  test('is released by work that fails', async () => {
    await expect(run(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await run(nothing)).toBeDefined();
  });

  test('stays for its rest after the work', async () => {
    await run(nothing, { restMs: HOUR_MS });
    expect(await redis.pttl(key)).toBeGreaterThan(HOUR_MS - 60_000);
    expect(await run(nothing)).toBeUndefined();
  });

  test('is renewed while the work runs', async () => {
    const renewed = async (): Promise<boolean> => {
      let last = Infinity;
      await eventually(
        async () => {
          const before = last;
          last = await redis.pttl(key);
          return last > before;
        },
        { what: 'a renewed lock' },
      );
      return true;
    };
    expect(await run(renewed, { forMs: 1500 })).toEqual({ result: true });
  });

  test('is not released by work that held it too long, if another one holds it', async () => {
    const another = await run(
      async () => {
        await eventually(async () => (await redis.exists(key)) === 0, { what: 'the end of the lock' });
        await redis.set(key, 'another');
        return redis.get(key);
      },
      { forMs: 50 },
    );
    expect([another, await redis.get(key)]).toEqual([{ result: 'another' }, 'another']);
  });

  test('is free in time after the clock of Redis stepped back', async () => {
    await redis.set(key, 'a holder that died', 'PX', 4 * 24 * HOUR_MS);
    await eventually(async () => (await run(nothing, { forMs: 300 })) !== undefined, { what: 'a free lock' });
  });
});
