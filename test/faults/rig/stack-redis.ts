import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { closeRedis, connectRedis, whenReady } from '@mailhook/platform/redis';
import type { Redis } from '@mailhook/platform/redis';
import { eventually, startRedis, startTcpProxy } from '@mailhook/testing';
import type { RedisOptions, TcpProxy, TestRedis } from '@mailhook/testing';

const run = promisify(execFile);
const SYNC_WITHIN_MS = 60_000;

export interface StackRedisOptions {
  readonly appendfsync: 'always' | 'everysec';
  /** Gives the servers clocks that `setClock` can shift. They start this far ahead. */
  readonly clockAheadMs?: number;
  /** Makes `losePower` of the first server possible. */
  readonly canLosePower?: boolean;
  /** Makes `failWrites` of the first server possible. */
  readonly canFailWrites?: boolean;
  /** Starts a second server that follows the first one, so that `failOver` is possible. */
  readonly hasReplica?: boolean;
  /** The servers' program. Default: `redis-server`. */
  readonly redisCommand?: string | undefined;
  /** How late writes reach the replica. */
  readonly replicaLagMs?: number;
  /** More arguments for the servers. */
  readonly redisArgs?: readonly string[];
}

/** What only a Redis behind sentinels can do. */
interface SentinelControl {
  /** Asks a sentinel for a failover while the master works. Resolves when the old master follows. */
  switchOver(): Promise<SwitchOver>;
}

/** Milliseconds since a sentinel was asked for a failover. */
export interface SwitchOver {
  /** Until all sentinels named the new master. */
  readonly promotedMs: number;
  /** Until the last connection of the services to the old master ended. */
  readonly leftMs: number;
}

/** The Redis of a stack. Its addresses stay the same when a replica takes over from its master. */
export interface StackRedis {
  /** The address by sentinels. Undefined if the services connect through the proxies. */
  readonly url?: string;
  /** The current master. */
  readonly master: TestRedis;
  readonly workersProxy: TcpProxy;
  readonly apiProxy: TcpProxy;
  /** Connects to the current master, past the proxies of the workers and the api. */
  readonly client: Redis;
  /** Resolves when the replica has every write that the master has executed so far. */
  untilReplicated(): Promise<void>;
  /**
   * Kills the master with SIGKILL. Its replica takes over and gets a new replica. Resolves with the milliseconds from
   * the kill to the promotion.
   */
  failOver(): Promise<number>;
  readonly sentinels?: SentinelControl;
  close(): Promise<void>;
}

export async function startStackRedis(options: StackRedisOptions): Promise<StackRedis> {
  const server: RedisOptions = {
    command: options.redisCommand,
    appendonly: true,
    appendfsync: options.appendfsync,
    args: ['--repl-diskless-sync-delay', '0', ...(options.redisArgs ?? [])],
    ...(options.clockAheadMs === undefined ? {} : { clockAheadMs: options.clockAheadMs }),
  };
  const { canLosePower = false, canFailWrites = false, replicaLagMs = 0 } = options;
  let master = await startRedis({ ...server, canLosePower, canFailWrites });
  // Between a replica and its master.
  const lagging = await startTcpProxy(master.port);
  let replica = options.hasReplica === true ? await startReplica(server, lagging.port) : undefined;
  lagging.delayReplies(replicaLagMs);
  const workersProxy = await startTcpProxy(master.port);
  const apiProxy = await startTcpProxy(master.port);
  const ownProxy = await startTcpProxy(master.port);
  const url = `redis://127.0.0.1:${ownProxy.port}`;
  const client = connectRedis({ url, role: 'worker', name: 'faults', onError: () => undefined });
  await whenReady(client, 10_000);
  return {
    get master() {
      return master;
    },
    workersProxy,
    apiProxy,
    client,
    untilReplicated: () => untilReplicated(master),
    async failOver() {
      if (replica === undefined) throw new Error('the stack has no replica: start it with hasReplica');
      const old = master;
      const killedAtMs = performance.now();
      await old.kill();
      await command(replica, 'REPLICAOF', 'NO', 'ONE');
      const promotedMs = Math.round(performance.now() - killedAtMs);
      [master, replica] = [replica, undefined];
      for (const proxy of [workersProxy, apiProxy, ownProxy]) proxy.moveTo(master.port);
      await old.stop();
      lagging.moveTo(master.port);
      lagging.delayReplies(0);
      replica = await startReplica(server, lagging.port);
      lagging.delayReplies(replicaLagMs);
      return promotedMs;
    },
    async close() {
      await closeRedis(client);
      await Promise.all([workersProxy, apiProxy, ownProxy, lagging].map((proxy) => proxy.close()));
      await Promise.all([master.stop(), replica?.stop()]);
    },
  };
}

/** Starts a replica. Resolves when it has everything and follows its master. */
async function startReplica(server: RedisOptions, masterPort: number): Promise<TestRedis> {
  const replica = await startRedis(server);
  try {
    // Not a server argument, because a restart after a failover would make the server follow the dead master again.
    await command(replica, 'REPLICAOF', '127.0.0.1', String(masterPort));
    await eventually(async () => (await command(replica, 'INFO', 'replication')).includes('master_link_status:up'), {
      withinMs: SYNC_WITHIN_MS,
      what: 'a replica that has everything',
    });
  } catch (error) {
    await replica.stop();
    throw error;
  }
  return replica;
}

/** Compares the replica's offset with the master's offset at the start, because the master keeps executing writes. */
export async function untilReplicated(master: TestRedis): Promise<void> {
  const read = () => command(master, 'INFO', 'replication');
  const wanted = Number(/master_repl_offset:(\d+)/.exec(await read())?.[1]);
  await eventually(async () => Number(/slave0:.*offset=(\d+)/.exec(await read())?.[1]) >= wanted, {
    withinMs: SYNC_WITHIN_MS,
    what: 'a replica that has every write',
  });
}

const command = async ({ port }: TestRedis, ...args: string[]): Promise<string> =>
  (await run('redis-cli', ['-p', String(port), ...args])).stdout;
