import { createMetrics } from '@mailhook/platform/metrics';
import type { Redis } from '@mailhook/platform/redis';
import { closeRedis, connectRedis, whenReady } from '@mailhook/platform/redis';
import { testRedisUrl, uniqueName } from '@mailhook/testing';
import { engineKeys, Installation, startTrendSamples, startTrendTotals, trendPlace } from '@mailhook/delivery';
import { createTrends } from './trends.ts';

describe('the trends of an installation', () => {
  let redis: Redis;
  beforeAll(async () => {
    redis = connectRedis({ url: await testRedisUrl(), role: 'fail-fast', name: 'trends', onError: () => undefined });
    await whenReady(redis, 5000);
  });
  afterAll(() => closeRedis(redis));

  test('are minutes of all shards, also across an hour, and unknown samples stay unknown', async () => {
    const prefix = uniqueName('trends');
    const nowMs = Date.UTC(2026, 0, 5, 11, 0, 20);
    const write = async (shard: number, name: Parameters<typeof trendPlace>[1], atMs: number, value: number) => {
      const { key, field } = trendPlace(engineKeys(prefix, shard, 'campaign'), name, atMs);
      await redis.hset(key, field, value);
    };
    await write(0, 'accepted', nowMs - 60_000, 7);
    await write(0, 'memory', nowMs - 60_000, 1_000_000);
    await write(0, 'oldest', nowMs - 60_000, 2500);
    await write(0, 'delivered', nowMs, 2);
    await write(1, 'delivered', nowMs, 3);
    const minutes = await createTrends(new Installation(redis, prefix, 2)).read(3, nowMs);
    expect(minutes).toEqual([
      { fromMs: Date.UTC(2026, 0, 5, 10, 58), accepted: 0, delivered: 0, oldestMs: 0, usedBytes: undefined },
      { fromMs: Date.UTC(2026, 0, 5, 10, 59), accepted: 7, delivered: 0, oldestMs: 2500, usedBytes: 1_000_000 },
      { fromMs: Date.UTC(2026, 0, 5, 11, 0), accepted: 0, delivered: 5, oldestMs: 0, usedBytes: undefined },
    ]);
  });

  test('the oldest event is that of a chunk job or a mailbox, and none has no age', async () => {
    const installation = new Installation(redis, uniqueName('trends'), 1);
    const { readOldest } = createTrends(installation);
    expect(await readOldest(10_000)).toBe(0);
    await installation.queue('campaign-chunks', 0).add('chunk', {}, { timestamp: 4000 });
    expect(await readOldest(10_000)).toBe(6000);
    await installation.close();
  });

  test('counters of several processes add up, and one that stands still writes nothing', async () => {
    const installation = new Installation(redis, uniqueName('trends'), 2);
    const startOne = () => {
      const metrics = createMetrics();
      const counter = metrics.counter({ name: 'mailhook_events_total', help: 'Events', labels: ['kind', 'result'] });
      const errors: Error[] = [];
      const onError = (error: Error): void => void errors.push(error);
      return { counter, errors, totals: startTrendTotals('delivered', { installation, metrics, onError }) };
    };
    const [one, other, still] = [startOne(), startOne(), startOne()];
    const fromMs = Date.now();
    one.counter.inc({ kind: 'campaign', result: 'delivered' }, 5);
    one.counter.inc({ kind: 'campaign', result: 'dead' }, 100);
    other.counter.inc({ kind: 'transactional', result: 'delivered' }, 3);
    await still.totals.close();
    expect(await redis.keys(`*${installation.prefix}*`)).toEqual([]);
    await Promise.all([one.totals.close(), other.totals.close()]);
    const minutes = await createTrends(installation).read(2, fromMs + 60_000);
    expect(minutes.reduce((sum, { delivered }) => sum + delivered, 0)).toBe(8);
    const [key = ''] = await redis.keys(`*${installation.prefix}*`);
    expect(await redis.ttl(key)).toBeGreaterThan(24 * 3600);
    expect([...one.errors, ...other.errors]).toEqual([]);
  });

  test('of several replicas, one takes the sample of a minute', async () => {
    const installation = new Installation(redis, uniqueName('trends'), 1);
    const errors: Error[] = [];
    let readings = 0;
    const readOldest = () => Promise.resolve(1500 + (readings += 1));
    const onError = (error: Error): void => void errors.push(error);
    const fromMs = Date.now();
    const replicas = Array.from({ length: 4 }, () => startTrendSamples({ installation, readOldest, onError }));
    await Promise.all(replicas.map((one) => one.close()));
    const minutes = await createTrends(installation).read(2, fromMs + 60_000);
    const taken = minutes.filter(({ usedBytes }) => usedBytes !== undefined);
    // The start may be at the end of a minute.
    expect([1, 2]).toContain(taken.length);
    expect([readings, errors]).toEqual([taken.length, []]);
    expect(taken[0]?.oldestMs).toBe(1501);
    expect(taken[0]?.usedBytes).toBeGreaterThan(500_000);
  });
});
