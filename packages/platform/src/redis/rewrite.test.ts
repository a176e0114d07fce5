import { appendFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import { eventually, startRedis, startRedisCluster } from '@mailhook/testing';
import type { TestRedis } from '@mailhook/testing';
import type { Logger } from '../logger/index.ts';
import { closeRedis, connectRedis, whenReady } from './connect.ts';
import type { Redis } from './connect.ts';
import { rewriteAfterEachStart } from './rewrite.ts';

/** The start of what Redis writes for a script, cut off in its second command. */
const TORN = '*1\r\n$5\r\nMULTI\r\n*3\r\n$5\r\nRPUSH\r\n$4\r\nlist\r\n$1\r\nx\r\n*4\r\n$4\r\nHSE';

const warnings: string[] = [];
const logger = { info: () => undefined, warn: (text: string) => warnings.push(text) } as unknown as Logger;
const opened: { close: () => Promise<unknown> }[] = [];
beforeEach(() => (warnings.length = 0));
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.close();
});

async function start(): Promise<TestRedis> {
  const server = await startRedis({ appendonly: true, appendfsync: 'always' });
  opened.push({ close: () => server.stop() });
  return server;
}

async function connect(url: string): Promise<Redis> {
  const redis = connectRedis({ url, role: 'worker', name: 'test', onError: () => undefined });
  opened.push({ close: () => closeRedis(redis) });
  await whenReady(redis, 5000);
  return redis;
}

/** What the file holds after the power went in the middle of a write. */
async function losePower(server: TestRedis): Promise<void> {
  await server.kill();
  const folder = path.join(server.dir, 'appendonlydir');
  const file = (await readdir(folder)).find((name) => name.endsWith('.incr.aof')) ?? '';
  await appendFile(path.join(folder, file), TORN);
}

const isRewritten = async (redis: Redis): Promise<boolean> =>
  /aof_rewrite_in_progress:0[^]*aof_rewrites:[1-9]/.test(await redis.info('persistence'));

test.each(['connects after the start of Redis', 'is connected again'])(
  'no acknowledged write is lost by the second restart after a power loss: a client that %s',
  async (when) => {
    const server = await start();
    const before = await connect(server.url);
    if (when === 'is connected again') {
      await rewriteAfterEachStart(before, logger);
      await eventually(() => isRewritten(before), { what: 'the first rewrite' });
    }
    await before.set('before', '1');
    await losePower(server);
    await server.restart();
    const redis = await connect(server.url);
    if (when !== 'is connected again') await rewriteAfterEachStart(redis, logger);
    await eventually(() => isRewritten(redis), { what: 'a rewrite' });
    await redis.set('after', '2');
    await server.kill();
    await server.restart();
    expect([await redis.mget('before', 'after'), await redis.llen('list')]).toEqual([['1', '2'], 0]);
    expect(warnings).toEqual([]);
  },
);

test('a Redis that has rewritten its file since its start is left alone', async () => {
  const redis = await connect((await start()).url);
  await rewriteAfterEachStart(redis, logger);
  await eventually(() => isRewritten(redis), { what: 'a rewrite' });
  await rewriteAfterEachStart(redis, logger);
  expect(await redis.info('persistence')).toContain('aof_rewrites:1\r\n');
});

test('two clients that ask at the same time, and a Redis without the file, are no warning', async () => {
  const redis = await connect((await start()).url);
  await Promise.all([rewriteAfterEachStart(redis, logger), rewriteAfterEachStart(redis, logger)]);
  await eventually(() => isRewritten(redis), { what: 'a rewrite' });
  await redis.config('SET', 'appendonly', 'no');
  await redis.config('RESETSTAT');
  await rewriteAfterEachStart(redis, logger);
  expect(await redis.info('persistence')).toContain('aof_rewrites:0\r\n');
  expect(warnings).toEqual([]);
});

test.each([
  ['an ACL without it', '-bgrewriteaof'],
  ['a managed service that forbids it', '-@admin'],
])('%s is one warning with the remedy', async (_what, less) => {
  const server = await start();
  const admin = await connect(server.url);
  await admin.call('ACL', 'SETUSER', 'tenant', 'on', '>secret', '~*', '&*', '+@all', less);
  const tenant = await connect(server.url.replace('redis://', 'redis://tenant:secret@'));
  await rewriteAfterEachStart(tenant, logger);
  expect(warnings).toEqual([expect.stringContaining('Run BGREWRITEAOF after each start of Redis')]);
  expect(await isRewritten(admin)).toBe(false);
});

test('each master of a cluster is asked, also one that comes back while the client stays ready', async () => {
  const cluster = await startRedisCluster();
  opened.push({ close: () => cluster.stop() });
  const redis = await connect(cluster.url);
  await rewriteAfterEachStart(redis, logger);
  const node = await cluster.masterOf('key');
  const direct = await connect(node.url);
  await eventually(() => isRewritten(direct), { what: 'a rewrite' });
  await node.restart();
  const isBack = (): Promise<boolean> =>
    redis.set('key', '1').then(
      () => true,
      () => false,
    );
  await eventually(isBack, { withinMs: 30_000, what: 'the node in the cluster' });
  await eventually(() => isRewritten(direct), { withinMs: 30_000, what: 'a rewrite after the restart' });
}, 90_000);
