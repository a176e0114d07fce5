import { appendFile, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { eventually, fillDisk, freeDisk, startRedis, startRedisCluster, startTcpProxy } from '@mailhook/testing';
import { unlessMissing } from '@mailhook/testing';
import type { TestRedis } from '@mailhook/testing';
import type { Logger } from '../logger/index.ts';
import { closeRedis, connectRedis, whenReady } from './connect.ts';
import type { Redis } from './connect.ts';
import { rewriteAfterEachStart } from './rewrite.ts';

/** The start of what Redis writes for a function, cut off in its second command. */
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

async function connect(url: string, role: 'worker' | 'fail-fast' = 'worker'): Promise<Redis> {
  const redis = connectRedis({ url, role, name: 'test', onError: () => undefined });
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
  /aof_rewrite_in_progress:0[^]*aof_last_bgrewrite_status:ok[^]*aof_rewrites:[1-9]/.test(
    await redis.info('persistence'),
  );

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

describe('asks again until Redis has rewritten its file', () => {
  const WITHIN = { withinMs: 20_000 };

  test('when the first question after a reconnect gets no reply in time', async () => {
    const server = await start();
    const proxy = await startTcpProxy(server.port);
    opened.push(proxy);
    const redis = await connect(`redis://127.0.0.1:${proxy.port}`, 'fail-fast');
    await rewriteAfterEachStart(redis, logger);
    redis.once('ready', () => {
      // Longer than the timeout of a command, shorter than that of the connection.
      proxy.delayReplies(2500);
      redis.ping().catch(() => proxy.delayReplies(0));
    });
    await server.restart();
    const direct = await connect(server.url);
    await eventually(() => isRewritten(direct), { ...WITHIN, what: 'a rewrite' });
  }, 60_000);

  test('when a rewrite ends with a failure', async () => {
    const server = await start();
    const redis = await connect(server.url);
    await redis.mset('a', '1', 'b', '2');
    // A rewrite waits 30 s at each key.
    await redis.config('SET', 'rdb-key-save-delay', '30000000');
    await rewriteAfterEachStart(redis, logger);
    const children = await readFile(`/proc/${server.pid}/task/${server.pid}/children`, 'utf8');
    await redis.config('SET', 'rdb-key-save-delay', '0');
    process.kill(Number(children), 'SIGKILL');
    await eventually(() => isRewritten(redis), { ...WITHIN, what: 'a rewrite' });
    expect(warnings).toEqual([]);
  }, 60_000);

  unlessMissing(test, 'prlimit')(
    'when its disk is full, and warns once',
    async () => {
      const server = await start();
      const redis = await connect(server.url);
      fillDisk(server.pid);
      await rewriteAfterEachStart(redis, logger);
      const isAskedAgain = async () => /bgrewriteaof:calls=([2-9]|\d\d)/.test(await redis.info('commandstats'));
      await eventually(isAskedAgain, { ...WITHIN, what: 'another command' });
      freeDisk(server.pid);
      await eventually(() => isRewritten(redis), { ...WITHIN, what: 'a rewrite' });
      expect(warnings).toHaveLength(1);
    },
    60_000,
  );
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
