import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { closeRedis, connectRedis, whenReady } from '@mailhook/platform/redis';
import { eventually, SENTINEL_PASSWORD, startRedis, startSentinel, startTcpProxy } from '@mailhook/testing';
import type { TestRedis, TestSentinel } from '@mailhook/testing';
import type { StackRedis, StackRedisOptions } from './stack-redis.ts';
import { untilReplicated } from './stack-redis.ts';

const run = promisify(execFile);
const NAME = 'mymaster';
const COUNT = 3;
/** Shorter than Sentinel's default of 30 s. With 1 s, a crowded machine causes failovers that nobody asked for. */
const DOWN_AFTER_MS = 3000;

/** Starts a master, its replica, and three sentinels with a password. */
export async function startSentinelRedis({ appendfsync, redisArgs = [] }: StackRedisOptions): Promise<StackRedis> {
  const server = { appendonly: true, appendfsync, args: ['--repl-diskless-sync-delay', '0', ...redisArgs] };
  let [master, replica] = [await startRedis(server), await startRedis(server)];
  await command(replica, 'REPLICAOF', '127.0.0.1', String(master.port));
  await untilFollowed(master);
  const sentinels: TestSentinel[] = [];
  const watched = { masterPort: master.port, name: NAME, quorum: 2, downAfterMs: DOWN_AFTER_MS };
  for (let i = 0; i < COUNT; i += 1) sentinels.push(await startSentinel(watched));
  for (const one of sentinels) await untilKnown(one);
  const proxies = await Promise.all([startTcpProxy(master.port), startTcpProxy(master.port)]);
  const list = sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',');
  const url = `redis-sentinel://${list}/${NAME}?sentinelPassword=${encodeURIComponent(SENTINEL_PASSWORD)}`;
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
    workersProxy: proxies[0],
    apiProxy: proxies[1],
    client,
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
        const elapsedMs = (): number => Math.round(performance.now() - startedAtMs);
        await sentinels[0]?.command('SENTINEL', 'FAILOVER', NAME);
        await untilPromoted();
        const promotedMs = elapsedMs();
        await untilClientsLeft(replica);
        const leftMs = elapsedMs();
        await untilFollowed(master);
        return { promotedMs, leftMs };
      },
    },
    async close() {
      await closeRedis(client);
      await Promise.all([...proxies.map((proxy) => proxy.close()), ...sentinels.map((one) => one.stop())]);
      await Promise.all([master.stop(), replica.stop()]);
    },
  };
}

/** Resolves when the sentinel knows the other sentinels and the replica. */
const untilKnown = (sentinel: TestSentinel): Promise<boolean> =>
  eventually(
    async () => {
      const master = await sentinel.command('SENTINEL', 'MASTER', NAME);
      return new RegExp(`num-slaves\\n1\\nnum-other-sentinels\\n${COUNT - 1}\\n`).test(master);
    },
    { withinMs: 30_000, what: 'sentinels that know each other' },
  );

const namedPorts = (sentinels: readonly TestSentinel[]): Promise<number[]> =>
  Promise.all(
    sentinels.map(async (one) =>
      Number((await one.command('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', NAME)).split('\n')[1]),
    ),
  );

/** Resolves when no service is connected. The names of their connections begin with `mailhook` or the queue prefix. */
const untilClientsLeft = (old: TestRedis): Promise<boolean> =>
  eventually(async () => !/ name=\S*mailhook/.test(await command(old, 'CLIENT', 'LIST')), {
    withinMs: 10_000,
    what: 'clients that leave the old master',
  });

const untilFollowed = (master: TestRedis): Promise<boolean> =>
  eventually(async () => /slave0:.*state=online/.test(await command(master, 'INFO', 'replication')), {
    withinMs: 60_000,
    what: 'a replica that follows the master',
  });

const command = async ({ port }: TestRedis, ...args: string[]): Promise<string> =>
  (await run('redis-cli', ['-p', String(port), ...args])).stdout;
