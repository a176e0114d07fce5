import { startRedis } from '@mailhook/testing';
import { closeRedis, connectRedis, whenReady } from './connect.ts';
import { combineMasters, readMasters } from './facts.ts';
import { readFunctionTimes } from './function-times.ts';

test('a Redis on this machine shows its free disk, the size of its file, and how long functions run', async () => {
  const server = await startRedis({ appendonly: true, args: ['--slowlog-log-slower-than', '0'] });
  const redis = connectRedis({ url: server.url, role: 'fail-fast', name: 'test', onError: () => undefined });
  try {
    await whenReady(redis, 5000);
    await redis.set('key', 'x'.repeat(10_000));
    const facts = combineMasters(await readMasters(redis));
    expect(facts.settings).toMatchObject({ appendonly: 'yes', appendfsync: 'everysec' });
    expect(facts.disk.fileBytes).toBeGreaterThan(10_000);
    expect(facts.disk.freeBytes).toBeGreaterThan(0);
    expect(await readFunctionTimes(redis)).toEqual({ calls: 0, meanMs: 0, p99Ms: undefined, slow: [] });

    const lua = "redis.register_function('get_key', function(keys) return redis.call('GET', keys[1]) end)";
    await redis.function('LOAD', `#!lua name=facts\n${lua}`);
    await redis.fcall('get_key', 1, 'key');
    const { calls, slow } = await readFunctionTimes(redis);
    expect([calls, slow.map((one) => one.name)]).toEqual([1, ['get_key']]);
  } finally {
    await closeRedis(redis);
    await server.stop();
  }
});

test('of several masters, bytes are summed, the fullest one counts, and the faults of all are named', () => {
  const one = {
    usedBytes: 10,
    limitBytes: 100,
    headroom: 0.9,
    replicas: 1,
    settings: {
      version: '7.0.0',
      policy: 'noeviction',
      appendonly: 'yes',
      appendfsync: 'everysec',
      noAppendfsyncOnRewrite: 'no',
    },
    failing: ['rewrite'],
    disk: { fileBytes: 5, freeBytes: undefined, delayedSyncs: 1 },
  } as const;
  const other = { ...one, usedBytes: 80, headroom: 0.2, replicas: 0, failing: ['write'] as const };
  expect(combineMasters([one, other])).toMatchObject({
    usedBytes: 90,
    limitBytes: 200,
    headroom: 0.2,
    replicas: 0,
    failing: ['write', 'rewrite'],
    disk: { fileBytes: 10, freeBytes: undefined, delayedSyncs: 2 },
  });
});
