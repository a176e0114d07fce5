import { startRedis, uniqueName } from '@mailhook/testing';
import type { TestRedis } from '@mailhook/testing';
import { closeRedis, connectRedis, whenReady } from '@mailhook/platform/redis';
import type { Redis } from '@mailhook/platform/redis';
import { commandOf, createRunner, keepFunctions, loadFunctions } from './functions.ts';
import { engineKeys } from './keys.ts';

const HOUR_MS = 3_600_000;

let server: TestRedis;
let redis: Redis;

beforeAll(async () => {
  server = await startRedis();
  redis = connectRedis({ url: server.url, role: 'worker', name: 'test', onError: () => undefined });
  await whenReady(redis, 5000);
});
afterAll(async () => {
  await closeRedis(redis);
  await server.stop();
});
beforeEach(async () => {
  await redis.function('FLUSH');
});

const now = (prefix: string) => createRunner(redis)('now', engineKeys(prefix, 0, 'campaign'));

async function libraries(): Promise<string[]> {
  const found = (await redis.function('LIST')) as unknown[][];
  return found.map((row) => String(row[row.indexOf('library_name') + 1])).sort();
}

test('a Redis without the library, as after a failover to an empty node, gets it with the next call', async () => {
  const prefix = uniqueName('prefix');
  expect(await now(prefix)).toBeGreaterThan(0);
  await redis.function('FLUSH');
  expect(await Promise.all([now(prefix), now(prefix)])).toHaveLength(2);
  expect(await libraries()).toHaveLength(1);
});

test.each(['before the first start', 'later'])(
  'a library of its name with another text is replaced, and noticed: %s',
  async (when) => {
    const prefix = uniqueName('prefix');
    await loadFunctions(redis, prefix);
    const [own = []] = (await redis.function('LIST', 'WITHCODE')) as string[][];
    const text = own[own.indexOf('library_code') + 1] ?? '';
    if (when === 'before the first start') await redis.function('FLUSH');
    const planted = text.replace(/^(#!.*)\n[^]*$/, "$1\nredis.register_function('planted', function() return 1 end)");
    await redis.function('LOAD', 'REPLACE', planted);
    expect(await loadFunctions(redis, prefix)).toEqual({ wasForeign: true });
    expect(await loadFunctions(redis, prefix)).toEqual({ wasForeign: false });
    expect(await now(prefix)).toBeGreaterThan(0);
    await expect(redis.fcall('planted', 0)).rejects.toThrow(/not found/);
  },
);

test('two installations never share a library', async () => {
  await loadFunctions(redis, 'one');
  await loadFunctions(redis, 'two');
  await loadFunctions(redis, '{two}');
  expect(await libraries()).toHaveLength(2);
});

test('a library that no process uses for a day is removed, those of others stay', async () => {
  const prefix = uniqueName('prefix');
  const start = Date.now();
  await loadFunctions(redis, prefix);
  await keepFunctions(redis, prefix, start);
  const [used = ''] = await libraries();
  const earlier = used.replace(/_[0-9a-f]+$/, '_earlier');
  const text = "redis.register_function('of_NAME', function() return 1 end)";
  for (const name of [earlier, 'mailhook_other_1', 'another'])
    await redis.function('LOAD', `#!lua name=${name}\n${text.replace('NAME', name)}`);
  await redis.hset(`${prefix}:libraries`, earlier, start);

  await keepFunctions(redis, prefix, start + 23 * HOUR_MS);
  expect(await libraries()).toHaveLength(4);
  await keepFunctions(redis, prefix, start + 24 * HOUR_MS);
  expect(await libraries()).toEqual(['another', 'mailhook_other_1', used].sort());
  expect(Object.keys(await redis.hgetall(`${prefix}:libraries`))).toEqual([used]);
});

test('the slow log names a command', async () => {
  await redis.config('SET', 'slowlog-log-slower-than', '0');
  await now(uniqueName('prefix'));
  const rows = (await redis.slowlog('GET', 10)) as [number, number, number, string[]][];
  const called = rows.map(([, , , args]) => args).find(([command]) => command?.toLowerCase() === 'fcall');
  expect(commandOf(called?.[1] ?? '')).toBe('now');
  expect(commandOf('other_function')).toBeUndefined();
});
