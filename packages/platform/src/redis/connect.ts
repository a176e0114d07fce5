import { Cluster, SentinelConnector, Redis as SingleRedis } from 'ioredis';
import type { ClusterNode, ClusterOptions, Command, RedisOptions, SentinelConnectionOptions } from 'ioredis';
import type { ClusterAddress, RedisCredentials, SentinelAddress } from './address.ts';
import { credentialsOf, parseClusterUrl, parseSentinelUrl } from './address.ts';
import { UnusableRedisError } from './unusable.ts';

/**
 * A client of one Redis or of a Redis Cluster. In a cluster, the keys of a script, a pipeline or a transaction must be
 * in one slot.
 */
export type Redis = SingleRedis | Cluster;

export interface RedisConnectOptions {
  /**
   * `redis://` or `rediss://` of one Redis, `redis-cluster://` of a cluster (see `parseClusterUrl`), or
   * `redis-sentinel://` of sentinels (see `parseSentinelUrl`). A function is for an address whose credentials may
   * change. Each attempt to connect uses those of the address as it is then (see `followRedisUrl`).
   */
  readonly url: string | (() => string);
  /**
   * `fail-fast` is for callers that must answer soon. It rejects commands at once while Redis is away, and after 2 s
   * without a reply. `worker` is for callers that can wait. Its commands wait for Redis to come back and are sent
   * again, as BullMQ's workers need.
   *
   * Both reject commands to a cluster's node that is away after at most 2 s, until its replica has taken over. Both
   * replace a connection that died silently, which means that no byte came for `SOCKET_TIMEOUT_MS` while a command
   * waited for its reply.
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
/** NODE_TLS_REJECT_UNAUTHORIZED must not change it. */
const VERIFIED = { rejectUnauthorized: true };
const RECONNECT_MAX_MS = 1000;
const SENTINEL_RECONNECT_MS = 5000;

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
  // `subscribe` does it. The client's own subscription would leave a rejected promise behind when the connection is
  // closed before the reply.
  autoResubscribe: false,
});

/**
 * Creates a client that connects at once and never stops reconnecting. A `fail-fast` client rejects commands until it
 * is ready (see `whenReady`).
 */
export function connectRedis(options: RedisConnectOptions): Redis {
  const [url, urlNow] = typeof options.url === 'string' ? [options.url] : [options.url(), options.url];
  const cluster = parseClusterUrl(url);
  if (cluster !== undefined) return connectCluster(cluster, options, urlNow);
  const sentinel = parseSentinelUrl(url);
  const own = {
    ...connectionOptions(options),
    retryStrategy: reconnectAfterMs,
    ...(url.startsWith('rediss:') ? { tls: VERIFIED } : {}),
    // After a failover, the old master replies with READONLY. Reconnect and send the command again.
    reconnectOnError: (error: Error) => (error.message.startsWith('READONLY') ? (2 as const) : false),
  };
  const redis =
    sentinel === undefined ? new DatabaseRedis(url, own) : new DatabaseRedis({ ...own, ...sentinelOptions(sentinel) });
  redis.follow(urlNow);
  redis.on('error', options.onError);
  return redis;
}

type UrlNow = (() => string) | undefined;

const CREDENTIALS = [
  'username',
  'password',
  'sentinelUsername',
  'sentinelPassword',
] as const satisfies (keyof RedisCredentials)[];

/**
 * Makes the credentials among a client's options those of the address as it is now. ioredis reads its options at every
 * attempt to connect, for the sentinels and for a cluster's subscriber too.
 */
function followCredentials(options: RedisOptions, urlNow: () => string): void {
  for (const name of CREDENTIALS) {
    Object.defineProperty(options, name, { enumerable: true, get: () => credentialsOf(urlNow())[name] });
  }
}

/**
 * Never becomes ready in another database than its own. If Redis refuses `SELECT`, ioredis only reports an error and
 * uses database 0. BullMQ makes more connections with `duplicate`.
 */
class DatabaseRedis extends SingleRedis {
  #urlNow: UrlNow;
  /** Connected, and not ready yet. */
  #isConnecting = false;

  /**
   * ioredis sends `INFO` and `CLIENT` while it still connects, and forgets them if this connection is lost: they would
   * never settle. `CLIENT` concerns a connection, and `INFO` is sent again, as ioredis does after a ready connection.
   * It forgets none of a cluster's node, which does not reconnect: it rejects all that the node had.
   */
  #settleForgotten(): void {
    for (let item = this.commandQueue.shift(); item !== undefined; item = this.commandQueue.shift()) {
      if (item.command.name === 'info') void this.sendCommand(item.command as Command, item.stream);
      else item.command.reject(new Error('The connection was lost'));
    }
  }

  /** Uses the credentials of this address from now on. So does every duplicate. */
  follow(urlNow: UrlNow): this {
    this.on('connect', () => (this.#isConnecting = true));
    this.on('ready', () => (this.#isConnecting = false));
    this.on('close', () => {
      if (this.#isConnecting) this.#settleForgotten();
      this.#isConnecting = false;
    });
    this.#urlNow = urlNow;
    if (urlNow !== undefined) followCredentials(this.options, urlNow);
    return this;
  }

  override silentEmit(eventName: string, arg?: unknown): boolean {
    if (eventName === 'error' && isSelectRefusal(arg)) this.disconnect(true);
    return super.silentEmit(eventName, arg);
  }

  override duplicate(override?: Partial<RedisOptions>): SingleRedis {
    const { replyMapping: _, ...options }: Partial<RedisOptions> = { ...this.options, ...override };
    return new DatabaseRedis(options).follow(this.#urlNow);
  }
}

function isSelectRefusal(error: unknown): boolean {
  const command: unknown = Reflect.get(Object(error), 'command');
  return typeof command === 'object' && command !== null && Reflect.get(command, 'name') === 'select';
}

/**
 * Finds the master, and ends the subscriptions to the sentinels before each search. ioredis 6.0.0 keeps them until the
 * next connection. If they announce a new master during the search, it closes the client permanently.
 */
class MasterConnector extends SentinelConnector {
  constructor(options: unknown) {
    super(options as SentinelConnectionOptions);
  }

  override connect(...args: Parameters<SentinelConnector['connect']>): ReturnType<SentinelConnector['connect']> {
    this.disconnect();
    return super.connect(...args);
  }
}

/** The options for a master behind sentinels (docs/decisions/0012). */
const sentinelOptions = ({ nodes, name, db, isTls, ...credentials }: SentinelAddress) => ({
  Connector: MasterConnector,
  sentinels: [...nodes],
  name,
  db,
  ...Object.fromEntries(Object.entries(credentials).filter(([, value]) => value !== undefined)),
  // Never undefined: then ioredis would give up, and the client would stay closed until a restart.
  sentinelRetryStrategy: reconnectAfterMs,
  // A sentinel that is connected but silent would block the search for the master forever.
  sentinelCommandTimeout: COMMAND_TIMEOUT_MS,
  // A master that was cut off keeps its connections. The sentinels' message shows that it has been replaced.
  failoverDetector: true,
  sentinelReconnectStrategy: () => SENTINEL_RECONNECT_MS,
  ...(isTls ? { enableTLSForSentinelMode: true, tls: VERIFIED, sentinelTLS: VERIFIED } : {}),
});

/** A cluster client whose connections use the credentials of an address as it is when they are opened. */
class FollowingCluster extends Cluster {
  readonly #nodes: ClusterNode[];
  readonly #urlNow: UrlNow;

  constructor(nodes: ClusterNode[], { redisOptions, ...options }: ClusterOptions, urlNow: UrlNow) {
    const { replyMapping: _, ...each }: Partial<RedisOptions> = redisOptions ?? {};
    super(nodes, { ...options, redisOptions: each });
    this.#nodes = nodes;
    this.#urlNow = urlNow;
    // A node connects after this event, with its first command. For a lost connection, the client makes a new node.
    if (urlNow !== undefined) this.on('+node', (node: SingleRedis) => followCredentials(node.options, urlNow));
  }

  override duplicate(nodes: ClusterNode[] = [], override: ClusterOptions = {}): Cluster {
    const redisOptions = { ...this.options.redisOptions, ...override.redisOptions };
    const options = { ...this.options, ...override, redisOptions };
    return new FollowingCluster(nodes.length > 0 ? nodes : this.#nodes, options, this.#urlNow);
  }
}

function connectCluster(
  { nodes, isTls, username, password }: ClusterAddress,
  options: RedisConnectOptions,
  urlNow: UrlNow,
): Cluster {
  // Only the cluster client may reject commands while it is offline. The connection to a single node must queue
  // commands until it is open.
  const { enableOfflineQueue, ...each } = connectionOptions(options);
  const redisOptions = {
    ...each,
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    ...(isTls ? { tls: VERIFIED } : {}),
  };
  const common = { enableOfflineQueue, clusterRetryStrategy: reconnectAfterMs, redisOptions };
  const redis = new FollowingCluster([...nodes], common, urlNow);
  redis.on('error', options.onError);
  redis.on('node error', options.onError);
  return redis;
}

/**
 * Opens another connection of the same kind, as subscribers need. `commandTimeout` overrides the timeout of its
 * commands.
 */
export function duplicateRedis(redis: Redis, { commandTimeout }: { readonly commandTimeout?: number } = {}): Redis {
  const own = commandTimeout === undefined ? {} : { commandTimeout, socketTimeout: 2 * commandTimeout };
  return redis instanceof Cluster ? redis.duplicate([], { redisOptions: own }) : redis.duplicate(own);
}

/** Runs `read` on every master of a cluster, or on the single Redis. For commands that report the state of a node. */
export const onEveryMaster = <Result>(redis: Redis, read: (node: SingleRedis) => Promise<Result>): Promise<Result[]> =>
  Promise.all((redis instanceof Cluster ? redis.nodes('master') : [redis]).map(read));

/**
 * Resolves when the client can send commands. Rejects after `timeoutMs` with an error that names the host, and sooner
 * with an `UnusableRedisError` if the database of its URL cannot be used.
 */
export async function whenReady(redis: Redis, timeoutMs: number): Promise<void> {
  if (redis.status === 'ready') return;
  let lastFault: Error | undefined;
  let onUnusable: (error: UnusableRedisError) => void = () => undefined;
  const onFault = (error: Error): void => {
    lastFault = error;
    if (isSelectRefusal(error)) onUnusable(unusableDatabase(redis, error));
  };
  for (const event of FAULT_EVENTS) redis.on(event, onFault);
  let timer: NodeJS.Timeout | undefined;
  let onReady = (): void => undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      onReady = resolve;
      onUnusable = reject;
      redis.once('ready', onReady);
      timer = setTimeout(() => {
        const what = `${placeOf(redis)} did not answer within ${timeoutMs} ms`;
        reject(new Error(`${what}${lastFault === undefined ? '' : ` (${lastFault.message})`}; ${fixOf(lastFault)}`));
      }, timeoutMs);
    });
  } finally {
    clearTimeout(timer);
    redis.off('ready', onReady);
    for (const event of FAULT_EVENTS) redis.off(event, onFault);
  }
}

/**
 * Returns a function that waits while the client reconnects, for at most `COMMAND_TIMEOUT_MS`, and returns immediately
 * while it is ready. It never rejects: the caller's next command does. All callers share one wait.
 */
export function createReconnectWait(redis: Redis): () => Promise<void> | undefined {
  let wait: Promise<void> | undefined;
  const end = (): void => {
    wait = undefined;
  };
  return () => (redis.status === 'ready' ? undefined : (wait ??= whenReady(redis, COMMAND_TIMEOUT_MS).then(end, end)));
}

const FAULT_EVENTS = ['error', 'node error'] as const;
const CERTIFICATE_FAULT = /certificate|altnames/i;
const CREDENTIAL_FAULT = /^(WRONGPASS|NOAUTH|NOPERM)/;

function fixOf(fault: Error | undefined): string {
  const message = fault?.message ?? '';
  if (CERTIFICATE_FAULT.test(message))
    return 'name the file of its certificate authority in NODE_EXTRA_CA_CERTS, and in REDIS_URL a host of its certificate';
  if (CREDENTIAL_FAULT.test(message)) return 'check the user and password in REDIS_URL, and the rights of that user';
  return 'check REDIS_URL and that Redis runs';
}

function unusableDatabase(redis: Redis, { message }: Error): UnusableRedisError {
  const database = redis instanceof Cluster ? '' : String(redis.options.db ?? '');
  return new UnusableRedisError(
    `REDIS_URL names database ${database}, which cannot be used (${message}): name another one after the host, or ` +
      'none for database 0',
  );
}

function placeOf(redis: Redis): string {
  if (redis instanceof Cluster) return 'No node of the Redis Cluster';
  const { host, port, sentinels, name } = redis.options;
  if (sentinels) return `No master that the sentinels know as "${name ?? ''}"`;
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
    // Otherwise its subscriptions at the sentinels would stay open.
    if (isQuit && (redis instanceof Cluster || !redis.options.sentinels)) return;
  }
  redis.disconnect();
}

export const afterMs = (waitMs: number): Promise<false> =>
  new Promise((resolve) => {
    setTimeout(() => {
      resolve(false);
    }, waitMs).unref();
  });
