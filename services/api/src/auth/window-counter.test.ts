import { closeRedis, connectRedis, whenReady } from '@mailhook/platform/redis';
import type { Redis } from '@mailhook/platform/redis';
import { eventually, testRedisUrl, uniqueName } from '@mailhook/testing';
import { createWindowCounter } from './window-counter.ts';

const DAYS_MS = 4 * 86_400_000;

describe('keys that live for days after the clock of Redis stepped back', () => {
  let redis: Redis;

  beforeAll(async () => {
    redis = connectRedis({ url: await testRedisUrl(), role: 'worker', name: 'test', onError: () => undefined });
    await whenReady(redis, 5000);
  });
  afterAll(() => closeRedis(redis));

  test.each([0, 1])('a window ends in time when %d is added', async (points) => {
    const prefix = uniqueName('window');
    const counter = createWindowCounter({ redis, prefix, windowS: 1 });
    await counter.penalty('key');
    expect(await redis.pexpire(`${prefix}:key`, DAYS_MS)).toBe(1);
    expect((await counter.penalty('key', points)).msBeforeNext).toBeLessThanOrEqual(1000);
    await eventually(async () => (await counter.penalty('key', 0)).consumedPoints === 0, {
      what: 'the end of the window',
    });
  });
});
