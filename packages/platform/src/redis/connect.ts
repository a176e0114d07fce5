import { Redis } from 'ioredis';

export interface RedisConnectOptions {
  readonly url: string;
  /**
   * `fail-fast`, for whoever answers a request: while Redis is away, commands are rejected at once, and a command without reply after 2 s.
   * `worker`, for whoever has time: commands wait for Redis to come back and are sent again (BullMQ's workers demand it).
   */
  readonly role: 'fail-fast' | 'worker';
  /** Shown by `CLIENT LIST`. */
  readonly name: string;
  /** Every lost or refused connection; without it ioredis would write to the console. */
  readonly onError: (error: Error) => void;
}

const COMMAND_TIMEOUT_MS = 2000;
/** Longer than any blocking command of ours or BullMQ's (10 s): a connection that is silent for longer is dead. */
const SOCKET_TIMEOUT_MS = 30_000;
const RECONNECT_MAX_MS = 1000;

const roles = {
  'fail-fast': {
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    commandTimeout: COMMAND_TIMEOUT_MS,
  },
  worker: { maxRetriesPerRequest: null, socketTimeout: SOCKET_TIMEOUT_MS },
} as const;

/** A client that connects at once and reconnects for ever. A `fail-fast` one rejects commands until it is ready: see `whenReady`. */
export function connectRedis(options: RedisConnectOptions): Redis {
  const redis = new Redis(options.url, {
    ...roles[options.role],
    connectionName: options.name,
    connectTimeout: 5000,
    keepAlive: 10_000,
    retryStrategy: (attempt) => Math.min(20 * 2 ** Math.min(attempt, 10), RECONNECT_MAX_MS),
    // After a failover the old master answers READONLY: reconnect, and send that command again.
    reconnectOnError: (error) => (error.message.startsWith('READONLY') ? 2 : false),
  });
  redis.on('error', options.onError);
  return redis;
}

/** Resolves when the client can take commands. Rejects after `timeoutMs`, naming the host that did not answer. */
export async function whenReady(redis: Redis, timeoutMs: number): Promise<void> {
  if (redis.status === 'ready') return;
  await new Promise<void>((resolve, reject) => {
    const onReady = (): void => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(() => {
      redis.off('ready', onReady);
      const { host, port } = redis.options;
      reject(
        new Error(
          `Redis at ${host ?? ''}:${port ?? ''} did not answer within ${timeoutMs} ms; check REDIS_URL and that Redis runs`,
        ),
      );
    }, timeoutMs);
    redis.once('ready', onReady);
  });
}

/** Ends the connection: politely where Redis answers, at once where it does not. Never rejects. */
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

const afterMs = (waitMs: number): Promise<false> =>
  new Promise((resolve) => {
    setTimeout(() => {
      resolve(false);
    }, waitMs).unref();
  });
