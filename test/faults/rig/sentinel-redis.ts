import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { closeRedis, connectRedis, whenReady } from '@mailhook/platform/redis';
import { eventually, freePort, startChild, startRedis, startTcpProxy } from '@mailhook/testing';
import type { TestRedis } from '@mailhook/testing';
import type { StackRedis, StackRedisOptions } from './stack-redis.ts';
import { untilReplicated } from './stack-redis.ts';

const run = promisify(execFile);
const NAME = 'mymaster';
const PASSWORD = 'sentinels+only';
const COUNT = 3;
/** Shorter than Sentinel's default of 30 s. With 1 s, a crowded machine causes failovers that nobody asked for. */
const DOWN_AFTER_MS = 3000;

interface Sentinel {
  readonly port: number;
  stop(): Promise<void>;
}

/** Starts a master, its replica, and three sentinels with a password. */
export async function startSentinelRedis({ appendfsync, redisArgs = [] }: StackRedisOptions): Promise<StackRedis> {
  const server = { appendonly: true, appendfsync, args: ['--repl-diskless-sync-delay', '0', ...redisArgs] };
  let [master, replica] = [await startRedis(server), await startRedis(server)];
  await command(replica, 'REPLICAOF', '127.0.0.1', String(master.port));
  await untilFollowed(master);
  const sentinels: Sentinel[] = [];
  for (let i = 0; i < COUNT; i += 1) sentinels.push(await startSentinel(master));
  for (const one of sentinels) await untilKnown(one);
  const proxies = await Promise.all([startTcpProxy(master.port), startTcpProxy(master.port)]);
  const list = sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',');
  const url = `redis-sentinel://${list}/${NAME}?sentinelPassword=${encodeURIComponent(PASSWORD)}`;
  const client = connectRedis({ url, role: 'worker', name: 'faults', onError: () => undefined });
  await whenReady(client, 10_000);
  /** Resolves when the sentinels name the replica. It becomes `master`. */
  const untilPromoted = async (): Promise<void> => {
    await eventually(async () => (await namedPorts(sentinels)).every((port) => port === replica.port), {
      withinMs: 60_000,
      what: 'the sentinels to name the new master',
    });
    [master, replica] = [replica, master];
  };
  return {
    get master() {
      return master;
    },
    url,
    ...{ workersProxy: proxies[0], apiProxy: proxies[1], client },
    untilReplicated: () => untilReplicated(master),
    async failOver() {
      const startedAtMs = performance.now();
      await master.kill();
      await untilPromoted();
      const promotedMs = Math.round(performance.now() - startedAtMs);
      await replica.restart();
      await untilFollowed(master);
      return promotedMs;
    },
    sentinels: {
      async switchOver() {
        const startedAtMs = performance.now();
        await askSentinel(sentinels[0], 'FAILOVER', NAME);
        await untilPromoted();
        const promotedMs = Math.round(performance.now() - startedAtMs);
        await untilFollowed(master);
        return promotedMs;
      },
    },
    async close() {
      await closeRedis(client);
      await Promise.all([...proxies.map((proxy) => proxy.close()), ...sentinels.map((one) => one.stop())]);
      await Promise.all([master.stop(), replica.stop()]);
    },
  };
}

async function startSentinel(master: TestRedis): Promise<Sentinel> {
  const dir = await mkdtemp(path.join(tmpdir(), 'mailhook-sentinel-'));
  const port = await freePort();
  const file = path.join(dir, 'sentinel.conf');
  const settings = [
    ...['bind 127.0.0.1', `port ${port}`, `dir ${dir}`],
    ...[`requirepass ${PASSWORD}`, `sentinel sentinel-pass ${PASSWORD}`],
    `sentinel monitor ${NAME} 127.0.0.1 ${master.port} 2`,
    ...[`sentinel down-after-milliseconds ${NAME} ${DOWN_AFTER_MS}`, `sentinel failover-timeout ${NAME} 10000`],
  ];
  await writeFile(file, `${settings.join('\n')}\n`);
  const child = await startChild({
    command: 'redis-server',
    args: [file, '--sentinel'],
    isReady: (line) => line.includes('+monitor master'),
  });
  return {
    port,
    async stop() {
      await child.end('SIGKILL');
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** Resolves when the sentinel knows the other sentinels and the replica. */
const untilKnown = (sentinel: Sentinel): Promise<boolean> =>
  eventually(
    async () => {
      const master = await askSentinel(sentinel, 'MASTER', NAME);
      return new RegExp(`num-slaves\\n1\\nnum-other-sentinels\\n${COUNT - 1}\\n`).test(master);
    },
    { withinMs: 30_000, what: 'sentinels that know each other' },
  );

const namedPorts = (sentinels: readonly Sentinel[]): Promise<number[]> =>
  Promise.all(
    sentinels.map(async (one) => Number((await askSentinel(one, 'GET-MASTER-ADDR-BY-NAME', NAME)).split('\n')[1])),
  );

const untilFollowed = (master: TestRedis): Promise<boolean> =>
  eventually(async () => /slave0:.*state=online/.test(await command(master, 'INFO', 'replication')), {
    withinMs: 60_000,
    what: 'a replica that follows the master',
  });

const askSentinel = async (sentinel: Sentinel | undefined, ...args: string[]): Promise<string> =>
  (await run('redis-cli', ['-p', String(sentinel?.port), '--no-auth-warning', '-a', PASSWORD, 'SENTINEL', ...args]))
    .stdout;

const command = async ({ port }: TestRedis, ...args: string[]): Promise<string> =>
  (await run('redis-cli', ['-p', String(port), ...args])).stdout;
