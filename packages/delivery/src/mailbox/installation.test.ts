import { closeRedis, connectRedis, whenReady } from '@mailhook/platform/redis';
import { eventually, testRedisUrl, uniqueName } from '@mailhook/testing';
import { Installation } from './installation.ts';

test('an installation opens each queue once, apart by shard, and keeps its stream of events short', async () => {
  const redis = connectRedis({ url: await testRedisUrl(), role: 'fail-fast', name: 'test', onError: () => undefined });
  await whenReady(redis, 5000);
  const prefix = uniqueName('installation');
  const installation = new Installation(redis, `{${prefix}}`, 2);
  try {
    expect(installation.queue('campaign-chunks', 1)).toBe(installation.queue('campaign-chunks', 1));
    const keys = [installation.queue('email-events'), ...[0, 1].map((shard) => installation.queue('parks', shard))];
    expect(keys.map((queue) => queue.toKey('meta'))).toEqual([
      `{${prefix}}:email-events:meta`,
      `{${prefix}:0}:parks:meta`,
      `{${prefix}:1}:parks:meta`,
    ]);
    const lengths = () => Promise.all(keys.map((queue) => redis.hget(queue.toKey('meta'), 'opts.maxLenEvents')));
    await eventually(async () => (await lengths()).every((length) => length === '100'), { what: 'short streams' });
    expect(installation.allKeys().map(({ kind, queuePrefix }) => `${kind} ${queuePrefix}`)).toEqual([
      `transactional {${prefix}:0}`,
      `campaign {${prefix}:0}`,
      `transactional {${prefix}:1}`,
      `campaign {${prefix}:1}`,
    ]);
    expect(installation.keysOf('acme', 'campaign').shard).toBe(installation.keysOf('acme', 'transactional').shard);
  } finally {
    await installation.close();
    await closeRedis(redis);
  }
});
