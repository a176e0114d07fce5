import { closeRedis, connectRedis, whenReady } from '@mailhook/platform/redis';
import { testRedisUrl, uniqueName } from '@mailhook/testing';
import { engineKeys, Installation } from '@mailhook/delivery';
import { oldestChunkMs } from './gauges.ts';

test('the oldest waiting chunk is found behind chunks that overtook it', async () => {
  const redis = connectRedis({ url: await testRedisUrl(), role: 'fail-fast', name: 'test', onError: () => undefined });
  await whenReady(redis, 5000);
  const prefix = uniqueName('gauges');
  const queue = new Installation(redis, prefix, 1).queue('campaign-chunks', 0);
  const oldest = () => oldestChunkMs(redis, engineKeys(prefix, 0, 'campaign'));
  try {
    expect(await oldest()).toBe(Number.POSITIVE_INFINITY);
    await queue.add('chunk', {}, { timestamp: 4000, priority: 1001 });
    await queue.add('chunk', {}, { timestamp: 2000, priority: 1014 });
    await queue.add('chunk', {}, { timestamp: 3000, priority: 1000 });
    expect(await oldest()).toBe(2000);
    await queue.add('chunk', {}, { timestamp: 1000 });
    expect(await oldest()).toBe(1000);
  } finally {
    await queue.close();
    await closeRedis(redis);
  }
});
