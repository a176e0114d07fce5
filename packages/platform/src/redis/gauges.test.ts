import type { Redis } from './connect.ts';
import { startRedis } from '@mailhook/testing';
import { createMetrics } from '../metrics/index.ts';
import { closeRedis, connectRedis, whenReady } from './connect.ts';
import { addRedisGauges } from './gauges.ts';

async function withGauges(redis: Redis): Promise<() => Promise<Map<string, number>>> {
  await whenReady(redis, 5000);
  const metrics = createMetrics();
  addRedisGauges(metrics, redis);
  return async () => {
    const lines = (await metrics.registry.metrics()).split('\n').filter((line) => line.startsWith('mailhook_redis_'));
    return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]));
  };
}

test('every scrape reports the memory and the settings of Redis, or the last values while Redis is away', async () => {
  const server = await startRedis({ args: ['--maxmemory', '100mb', '--maxmemory-policy', 'noeviction'] });
  const redis = connectRedis({ url: server.url, role: 'fail-fast', name: 'test', onError: () => undefined });
  try {
    const scrape = await withGauges(redis);
    const first = await scrape();
    const usedBytes = first.get('mailhook_redis_memory_used_bytes') ?? 0;
    expect(usedBytes).toBeGreaterThan(100_000);
    expect(first.get('mailhook_redis_memory_limit_bytes')).toBe(104_857_600);
    expect(first.get('mailhook_redis_memory_headroom_ratio')).toBeCloseTo(1 - usedBytes / 104_857_600, 5);
    expect([first.get('mailhook_redis_replicas'), first.get('mailhook_redis_delayed_syncs')]).toEqual([0, 0]);
    expect(Math.abs(first.get('mailhook_redis_clock_skew_seconds') ?? 9)).toBeLessThan(1);
    const settingsOf = (values: Map<string, number>) => [...values.keys()].filter((name) => name.includes('settings'));
    expect(settingsOf(first)).toEqual([
      expect.stringMatching(
        /^mailhook_redis_settings\{version="\d+\.\d+\.\d+",policy="noeviction",appendonly="no",appendfsync="everysec",no_appendfsync_on_rewrite="no"\}$/,
      ),
    ]);
    expect([
      first.get('mailhook_redis_disk_failing{what="write"}'),
      first.get('mailhook_redis_disk_failing{what="rewrite"}'),
    ]).toEqual([0, 0]);

    await redis.config('SET', 'maxmemory', '0');
    await redis.config('SET', 'maxmemory-policy', 'allkeys-lru');
    const second = await scrape();
    expect(second.get('mailhook_redis_memory_headroom_ratio')).toBe(1);
    expect(settingsOf(second)).toEqual([expect.stringContaining('policy="allkeys-lru"')]);

    await server.kill();
    const away = await scrape();
    expect(away.get('mailhook_redis_memory_headroom_ratio')).toBe(1);
    expect(settingsOf(away)).toEqual(settingsOf(second));
  } finally {
    await closeRedis(redis);
    await server.stop();
  }
});
