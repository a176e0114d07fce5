import { Cluster, Redis as SingleRedis } from 'ioredis';
import type { ClusterAddress } from './address.ts';
import { parseClusterUrl } from './address.ts';

/** A client of one Redis or of a Redis Cluster. In a cluster, the keys of a script, a pipeline or a transaction must be in one slot. */
export type Redis = SingleRedis | Cluster;

export interface RedisConnectOptions {
  /** `redis://` or `rediss://` of one Redis; `redis-cluster://` or `rediss-cluster://` of a cluster (see `parseClusterUrl`). */
  readonly url: string;
  /**
   * `fail-fast` is for callers that must answer soon. It rejects commands at once while Redis is away, and after 2 s without a reply. `worker` is for
   * callers that can wait. Its commands wait for Redis to come back and are sent again, as BullMQ's workers need.
   *
   * Both reject commands to a cluster's node that is away after at most 2 s, until its replica has taken over. Both replace a connection that died
   * silently, which means that no byte came for `SOCKET_TIMEOUT_MS` while a command waited for its reply.
   */
  readonly role: 'fail-fast' | 'worker';
  /** The name in `CLIENT LIST`. */
  readonly name: string;
  /** Called for every lost or refused connection. Without a listener, ioredis would write to the console. */
  readonly onError: (error: Error) => void;
}

const COMMAND_TIMEOUT_MS = 2000;
const SOCKET_TIMEOUT_MS = {
  /** As long as two commands, because one timeout may be a short stall of Redis. */
  failFast: 2 * COMMAND_TIMEOUT_MS,
  /** Longer than any blocking command of BullMQ (10 s), which its blocking connections inherit. */
  worker: 12_000,
} as const;
const RECONNECT_MAX_MS = 1000;

const roles = {
  'fail-fast': {
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    commandTimeout: COMMAND_TIMEOUT_MS,
    socketTimeout: SOCKET_TIMEOUT_MS.failFast,
  },
  worker: { enableOfflineQueue: true, maxRetriesPerRequest: null, socketTimeout: SOCKET_TIMEOUT_MS.worker },
} as const;

const reconnectAfterMs = (attempt: number): number => Math.min(20 * 2 ** Math.min(attempt, 10), RECONNECT_MAX_MS);

const connectionOptions = ({ role, name }: RedisConnectOptions) => ({
  ...roles[role],
  connectionName: name,
  connectTimeout: 5000,
  // A connection that died silently never confirms its end.
  disconnectTimeout: 500,
  keepAlive: 10_000,
});

/** Creates a client that connects at once and never stops reconnecting. A `fail-fast` client rejects commands until it is ready (see `whenReady`). */
export function connectRedis(options: RedisConnectOptions): Redis {
  const cluster = parseClusterUrl(options.url);
  if (cluster !== undefined) return connectCluster(cluster, options);
  const redis = new SingleRedis(options.url, {
    ...connectionOptions(options),
    retryStrategy: reconnectAfterMs,
    // After a failover, the old master replies with READONLY. Reconnect and send the command again.
    reconnectOnError: (error) => (error.message.startsWith('READONLY') ? 2 : false),
  });
  redis.on('error', options.onError);
  return redis;
}

function connectCluster({ nodes, isTls, username, password }: ClusterAddress, options: RedisConnectOptions): Cluster {
  // Only the cluster client may reject commands while it is offline. The connection to a single node must queue commands until it is open.
  const { enableOfflineQueue, ...each } = connectionOptions(options);
  const redis = new Cluster([...nodes], {
    enableOfflineQueue,
    clusterRetryStrategy: reconnectAfterMs,
    redisOptions: {
      ...each,
      ...(username === undefined ? {} : { username }),
      ...(password === undefined ? {} : { password }),
      ...(isTls ? { tls: {} } : {}),
    },
  });
  redis.on('error', options.onError);
  redis.on('node error', options.onError);
  return redis;
}

/** Opens another connection of the same kind, as subscribers need. `commandTimeout` overrides the timeout of its commands. */
export function duplicateRedis(redis: Redis, { commandTimeout }: { readonly commandTimeout?: number } = {}): Redis {
  const own = commandTimeout === undefined ? {} : { commandTimeout, socketTimeout: 2 * commandTimeout };
  return redis instanceof Cluster ? redis.duplicate([], { redisOptions: own }) : redis.duplicate(own);
}

/** Runs `read` on every master of a cluster, or on the single Redis. For commands that report the state of a node. */
export const onEveryMaster = <Result>(redis: Redis, read: (node: SingleRedis) => Promise<Result>): Promise<Result[]> =>
  Promise.all((redis instanceof Cluster ? redis.nodes('master') : [redis]).map(read));

/** Resolves when the client can send commands. Rejects after `timeoutMs` with an error that names the host. */
export async function whenReady(redis: Redis, timeoutMs: number): Promise<void> {
  if (redis.status === 'ready') return;
  await new Promise<void>((resolve, reject) => {
    const onReady = (): void => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(() => {
      redis.off('ready', onReady);
      reject(new Error(`${placeOf(redis)} did not answer within ${timeoutMs} ms; check REDIS_URL and that Redis runs`));
    }, timeoutMs);
    redis.once('ready', onReady);
  });
}

function placeOf(redis: Redis): string {
  if (redis instanceof Cluster) return 'No node of the Redis Cluster';
  const { host, port } = redis.options;
  return `Redis at ${host ?? ''}:${port ?? ''}`;
}

/** Ends the connection with `QUIT` if Redis answers, and otherwise closes it at once. Never rejects. */
export async function closeRedis(redis: Redis): Promise<void> {
  if (redis.status === 'ready') {
    const isQuit = await Promise.race([
      redis.quit().then(
        () => true,
        () => false,
      ),
      afterMs(500),
    ]);
    if (isQuit) return;
  }
  redis.disconnect();
}

export const afterMs = (waitMs: number): Promise<false> =>
  new Promise((resolve) => {
    setTimeout(() => {
      resolve(false);
    }, waitMs).unref();
  });
