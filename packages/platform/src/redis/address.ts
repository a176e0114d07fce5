/** The address of a Redis Cluster: some of its nodes, from which the client learns the others. */
export interface ClusterAddress {
  readonly nodes: readonly { readonly host: string; readonly port: number }[];
  readonly isTls: boolean;
  readonly username: string | undefined;
  readonly password: string | undefined;
}

const SHAPE = /^(rediss?)-cluster:\/\/(?:([^:@/]*)(?::([^@/]*))?@)?([^@/?#]+)\/?$/;
const NODE = /^(\[[\da-f:.]+\]|[\w.-]+)(?::(\d{1,5}))?$/i;
const DEFAULT_PORT = 6379;
const SENTINEL_PORT = 26_379;
const SENTINEL_SHAPE =
  /^(rediss?)-sentinel:\/\/(?:([^:@/]*)(?::([^@/]*))?@)?([^@/?#]+)\/([\w.-]+)(?:\/(\d{1,5}))?(?:\?([^#]*))?$/;
const SENTINEL_QUERY = ['sentinelUsername', 'sentinelPassword'];

/** The address of a Redis behind sentinels, which name its current master. */
export interface SentinelAddress extends ClusterAddress {
  /** The sentinels. */
  readonly nodes: ClusterAddress['nodes'];
  /** The name under which the sentinels know the master. */
  readonly name: string;
  readonly db: number;
  readonly sentinelUsername: string | undefined;
  readonly sentinelPassword: string | undefined;
}

/** The accepted forms of `REDIS_URL`, for error messages. */
export const REDIS_URL_FORMS =
  'redis://host:port or redis://host:port/database-number, for a cluster redis-cluster://host:port,host:port, or for ' +
  'sentinels redis-sentinel://host:26379,host:26379/master-name (with TLS rediss)';

// ioredis reads a database that is no number as database 0.
const isSingle = ({ protocol, pathname, search, hash }: URL): boolean =>
  ['redis:', 'rediss:'].includes(protocol) && /^(\/\d{0,5})?$/.test(pathname) && !search.includes('@') && hash === '';

/** Whether the text is an address of one Redis, a cluster, or sentinels. */
export const isRedisUrl = (text: string): boolean =>
  (URL.canParse(text) && isSingle(new URL(text))) ||
  parseClusterUrl(text) !== undefined ||
  parseSentinelUrl(text) !== undefined;

/**
 * Reads `redis-cluster://[user[:password]@]host[:port][,host[:port]...]`, or `rediss-cluster:` for TLS. User and
 * password are percent-encoded. Returns undefined for other texts, such as the URL of a single Redis
 * (docs/decisions/0012).
 */
export function parseClusterUrl(url: string): ClusterAddress | undefined {
  const [, scheme, username, password, list] = SHAPE.exec(url) ?? [];
  if (list === undefined) return undefined;
  const nodes = readNodes(list, DEFAULT_PORT);
  if (nodes === undefined) return undefined;
  try {
    return { nodes, isTls: scheme === 'rediss', username: decoded(username), password: decoded(password) };
  } catch {
    return undefined;
  }
}

/**
 * Reads `redis-sentinel://[user[:password]@]host[:port][,host[:port]...]/name[/db]`, or `rediss-sentinel:` for TLS to
 * Redis and to the sentinels. The user is that of Redis. The query may have `sentinelUsername` and `sentinelPassword`.
 * All four are percent-encoded. Returns undefined for other texts.
 */
export function parseSentinelUrl(url: string): SentinelAddress | undefined {
  const [, scheme, username, password, list, name, db = '0', query = ''] = SENTINEL_SHAPE.exec(url) ?? [];
  if (list === undefined || name === undefined) return undefined;
  const nodes = readNodes(list, SENTINEL_PORT);
  // Not URLSearchParams, which reads the plus sign of a password as a space.
  const pairs = query === '' ? [] : query.split('&').map((pair) => pair.split('='));
  const isKnown = pairs.every(([key = '', ...value]) => SENTINEL_QUERY.includes(key) && value.length === 1);
  if (nodes === undefined || !isKnown) return undefined;
  const parameter = (wanted: string): string | undefined => decoded(pairs.find(([key]) => key === wanted)?.[1]);
  try {
    return {
      nodes,
      name,
      db: Number(db),
      isTls: scheme === 'rediss',
      username: decoded(username),
      password: decoded(password),
      sentinelUsername: parameter('sentinelUsername'),
      sentinelPassword: parameter('sentinelPassword'),
    };
  } catch {
    return undefined;
  }
}

/** User and password of Redis and of its sentinels. */
export type RedisCredentials = Pick<SentinelAddress, 'username' | 'password' | 'sentinelUsername' | 'sentinelPassword'>;

/** Reads the credentials of an address of any form. Without a user or password, they are undefined. */
export function credentialsOf(url: string): RedisCredentials {
  const { username, password } = parseClusterUrl(url) ?? parseSentinelUrl(url) ?? singleCredentials(url);
  const { sentinelUsername, sentinelPassword } = parseSentinelUrl(url) ?? {};
  return { username, password, sentinelUsername, sentinelPassword };
}

/** As ioredis reads them. */
function singleCredentials(url: string): Pick<RedisCredentials, 'username' | 'password'> {
  const { username, password, searchParams } = new URL(url);
  return {
    username: decoded(username) ?? searchParams.get('username') ?? undefined,
    password: decoded(password) ?? searchParams.get('password') ?? undefined,
  };
}

/** An address without its credentials, to compare two addresses. */
export const placeOfRedisUrl = (url: string): string =>
  url.replace(/\/\/[^/]*@/, '//').replaceAll(/[?&](?:sentinelU|u)sername=[^&]*|[?&](?:sentinelP|p)assword=[^&]*/g, '');

function readNodes(list: string, defaultPort: number): { host: string; port: number }[] | undefined {
  const nodes = list.split(',').map((text) => readNode(text, defaultPort));
  return nodes.every((node) => node !== undefined) ? nodes : undefined;
}

function readNode(text: string, defaultPort: number): { host: string; port: number } | undefined {
  const [, host, port = defaultPort] = NODE.exec(text) ?? [];
  if (host === undefined || Number(port) > 65_535) return undefined;
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) };
}

const decoded = (text: string | undefined): string | undefined =>
  text === undefined || text === '' ? undefined : decodeURIComponent(text);
