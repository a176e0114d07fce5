import type { Redis } from '@mailhook/platform/redis';
import { closeRedis, connectRedis, whenReady } from '@mailhook/platform/redis';
import { testRedisUrl, uniqueName } from '@mailhook/testing';
import { FORMAT } from '../mailbox/constants.ts';
import { claimFormat } from './format.ts';

describe('the format of an installation', () => {
  let redis: Redis;

  beforeAll(async () => {
    redis = connectRedis({ url: await testRedisUrl(), role: 'fail-fast', name: 'test', onError: () => undefined });
    await whenReady(redis, 5000);
  });
  afterAll(() => closeRedis(redis));

  it('is stored by the first start, and every later start of the same format passes', async () => {
    const prefix = uniqueName('format');
    await Promise.all([claimFormat(redis, prefix), claimFormat(redis, prefix)]);
    await claimFormat(redis, prefix);
    expect(await redis.get(`${prefix}:format`)).toBe(String(FORMAT));
  });

  it.each([
    [FORMAT + 1, 'Start the version that stored it, or a later one.'],
    [FORMAT - 1, 'Start the version that stored it.'],
  ])('%d ends the start with a sentence for the operator, and stays', async (stored, advice) => {
    const prefix = uniqueName('format');
    await redis.set(`${prefix}:format`, stored);
    const start = `Redis holds data of format ${stored} \\(key ${prefix}:format\\), but Mailhook .+ reads format ${FORMAT} only`;
    await expect(claimFormat(redis, prefix)).rejects.toThrow(
      new RegExp(`^${start}\\. ${advice} For an empty installation, set another QUEUE_PREFIX`),
    );
    expect(await redis.get(`${prefix}:format`)).toBe(String(stored));
  });
});
