import { eventually, fillDisk, freeDisk, startRedis, unlessMissing } from '@mailhook/testing';
import { createMetrics } from '../metrics/index.ts';
import { closeRedis, connectRedis, whenReady } from './connect.ts';
import { addRedisGauges } from './gauges.ts';
import { checkRedisSettings } from './settings.ts';

unlessMissing(test, 'prlimit')(
  'the check and the metric report a full disk of Redis until it has space again',
  async () => {
    const server = await startRedis({ appendonly: true });
    const redis = connectRedis({ url: server.url, role: 'fail-fast', name: 'test', onError: () => undefined });
    const metrics = createMetrics();
    addRedisGauges(metrics, redis);
    const failing = async (): Promise<string[]> =>
      [...(await metrics.registry.metrics()).matchAll(/mailhook_redis_disk_failing\{what="(\w+)"\} 1/g)].map(
        ([, what = '']) => what,
      );
    const check = async (): Promise<string[]> => (await checkRedisSettings(redis)).map(({ text }) => text);
    try {
      await whenReady(redis, 5000);
      expect([await check(), await failing()]).toEqual([[], []]);

      fillDisk(server.pid);
      await expect(redis.bgrewriteaof()).rejects.toThrow("Can't execute an AOF background rewriting");
      expect(await failing()).toEqual(['rewrite']);
      expect(await check()).toEqual([expect.stringContaining('failed to rewrite its append-only file')]);

      const isWritten = (): Promise<boolean> =>
        redis.set('key', 'x'.repeat(10_000)).then(
          () => true,
          () => false,
        );
      await eventually(async () => !(await isWritten()), { what: 'a refusal' });
      expect(await check()).toEqual([
        expect.stringMatching(/^Redis cannot write to its disk \(File too large\), .*; give it space\.$/),
      ]);
      expect(await failing()).toEqual(['write', 'rewrite']);

      freeDisk(server.pid);
      await eventually(isWritten, { what: 'a write that is taken' });
      await redis.bgrewriteaof();
      await eventually(async () => (await failing()).length === 0, { what: 'the end of the failure' });
      expect(await check()).toEqual([]);
    } finally {
      await closeRedis(redis);
      await server.stop();
    }
  },
);
