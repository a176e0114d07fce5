import type { RecordWithTtl } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { setTimeout as after } from 'node:timers/promises';
import { createHostsFile } from './hosts-file.ts';
import { isLocalhost } from './literal-address.ts';
import { createResolverCheck, isSilence, ResolverAwayError } from './resolver-check.ts';

export interface ResolveOptions {
  /** A lookup that takes longer fails. */
  readonly timeoutMs: number;
  /** The default is the system's name servers. */
  readonly nameServers?: readonly string[] | undefined;
  readonly hostsFile?: string | undefined;
}

/**
 * Returns all addresses of a name. If there are none, rejects with an error that has a `code` (`ENOTFOUND`, `ETIMEOUT`,
 * ...). If Mailhook could not make the lookup, rejects with `ResolverAwayError` or the system's error (`EMFILE`, ...).
 */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

export interface Names {
  readonly resolve: Resolve;
  /** The addresses of a name, if its last answer is still valid. */
  known(hostname: string): readonly string[] | undefined;
}

/** Bounds of an answer's TTL. Many requests share an answer of 0 s, and nobody waits a day for a failover. */
const TTL_MIN_MS = 1000;
const TTL_MAX_MS = 60_000;
const NAMES_MAX = 100_000;
/** After this share of the TTL, a name in use is looked up again, so that no request waits for it. */
const REFRESH_SHARE = 0.8;
/** How long a lookup with IPv4 addresses waits for IPv6 addresses. */
const IPV6_PATIENCE_MS = 200;
/** Shares of a lookup's timeout. A check of the resolver takes at most `CHECK_SHARE`. */
const CHECK_SHARE = 0.25;
const FIRST_CHECK_AT_SHARE = 0.33;
const LAST_CHECK_AT_SHARE = 0.7;

interface Answer {
  readonly addresses: readonly string[];
  readonly ttlMs: number;
}

/** The knowledge of a lookup without an answer about the resolver. */
interface Doubt {
  fault?: Error | undefined;
  /** The resolver answered another query, and then got a second query for the name. */
  isAskedAgain?: true;
}

interface Entry {
  addresses: Promise<readonly string[]>;
  known: readonly string[] | undefined;
  refreshMs: number;
  expiresMs: number;
}

/**
 * Creates a resolver on c-ares. libuv's `getaddrinfo` has only four threads per process, gives no TTL, and one
 * customer's dead name server would block them all.
 *
 * The hosts file has priority. Answers are cached for their TTL (1 s to 60 s), failures for a second. Names that are
 * used in the last fifth of this time are looked up again meanwhile. Concurrent lookups of a name share one query. A
 * lookup without an answer rejects with `ResolverAwayError` if the name servers do not answer other queries either.
 */
export function createNames(options: ResolveOptions): Names {
  const lookUp = createLookUp(options);
  const cache = new Map<string, Entry>();

  const validEntry = (name: string): Entry | undefined => {
    const entry = cache.get(name);
    const nowMs = performance.now();
    if (entry === undefined || nowMs >= entry.expiresMs) return undefined;
    if (nowMs >= entry.refreshMs) {
      entry.refreshMs = Number.POSITIVE_INFINITY;
      const { addresses, answer } = lookUp(name);
      addresses.catch(ignored);
      answer.then((next) => keep(entry, next), ignored);
    }
    return entry;
  };

  const newEntry = (name: string): Entry => {
    const { addresses, answer } = lookUp(name);
    const never = Number.POSITIVE_INFINITY;
    const entry: Entry = { addresses, known: undefined, refreshMs: never, expiresMs: never };
    addresses.catch(() => (entry.expiresMs = performance.now() + TTL_MIN_MS));
    // An answer after the failure replaces the failure.
    answer.then((late) => keep(entry, late), ignored);
    cache.delete(name);
    cache.set(name, entry);
    // Evict the names that were looked up longest ago. Callers that wait for such a lookup still get its result.
    for (const oldest of cache.keys()) {
      if (cache.size <= NAMES_MAX) break;
      cache.delete(oldest);
    }
    return entry;
  };

  return {
    resolve(hostname) {
      const name = nameOf(hostname);
      return (validEntry(name) ?? newEntry(name)).addresses;
    },
    known: (hostname) => validEntry(nameOf(hostname))?.known,
  };
}

const nameOf = (hostname: string): string => hostname.toLowerCase().replace(/\.$/, '');

function keep(entry: Entry, { addresses, ttlMs }: Answer): void {
  const keptMs = Math.min(Math.max(ttlMs, TTL_MIN_MS), TTL_MAX_MS);
  entry.addresses = Promise.resolve(addresses);
  entry.known = addresses;
  entry.refreshMs = performance.now() + keptMs * REFRESH_SHARE;
  entry.expiresMs = performance.now() + keptMs;
}

interface Lookup {
  /** Rejects after `timeoutMs`. */
  readonly addresses: Promise<readonly string[]>;
  /** Has no timeout, so that the next lookup can use a late answer. */
  readonly answer: Promise<Answer>;
}

/**
 * Attributes a missing answer to the name only if the resolver was up both before and after the last query for the
 * name.
 */
function createLookUp(options: ResolveOptions): (name: string) => Lookup {
  const { timeoutMs, nameServers } = options;
  const ask = createAsk(options);
  const resolverFault = createResolverCheck({ timeoutMs: timeoutMs * CHECK_SHARE, nameServers });

  const askTwice = async (name: string, doubt: Doubt): Promise<Answer> => {
    const first = ask(name);
    const soon = await Promise.race([first, after(timeoutMs * FIRST_CHECK_AT_SHARE, undefined, { ref: false })]);
    if (soon !== undefined) return soon;
    doubt.fault = await resolverFault();
    if (doubt.fault !== undefined) return first;
    doubt.isAskedAgain = true;
    return anyAnswer(first, ask(name));
  };

  const inTime = async (name: string, answer: Promise<Answer>, doubt: Doubt): Promise<readonly string[]> => {
    let lastCheck: Promise<Error | undefined> | undefined;
    const timer = setTimeout(() => {
      lastCheck = resolverFault();
    }, timeoutMs * LAST_CHECK_AT_SHARE);
    try {
      return (await within(timeoutMs, name, answer)).addresses;
    } catch (error) {
      if (!isSilence(error)) throw error;
      const { isAskedAgain } = doubt;
      const fault = doubt.fault ?? (await (lastCheck ?? resolverFault()));
      throw fault ?? (isAskedAgain === true ? timedOut(name) : new ResolverAwayError('no answer in time'));
    } finally {
      clearTimeout(timer);
    }
  };

  return (name) => {
    const doubt: Doubt = {};
    const answer = askTwice(name, doubt);
    return { answer, addresses: inTime(name, answer, doubt) };
  };
}

/** One query for a name, without a timeout of its caller. */
function createAsk({ timeoutMs, nameServers, hostsFile: path }: ResolveOptions): (name: string) => Promise<Answer> {
  // c-ares doubles the timeout for the second try, so the first try gets a third of the time and the second try the
  // rest.
  const resolver = new Resolver({ timeout: Math.max(50, Math.floor(timeoutMs / 3)), tries: 2 });
  if (nameServers !== undefined) resolver.setServers(nameServers);
  const hostsFile = createHostsFile(path);
  return async (name) => {
    const known = isLocalhost(name) ? ['127.0.0.1', '::1'] : await hostsFile(name);
    if (known.length > 0) return { addresses: known, ttlMs: TTL_MIN_MS };
    const found = await query(resolver, name);
    return {
      addresses: found.map(({ address }) => address),
      ttlMs: Math.min(...found.map(({ ttl }) => ttl)) * 1000,
    };
  };
}

/** Does not wait for IPv6 addresses if there are IPv4 addresses, because broken IPv6 usually means no answer at all. */
async function query(resolver: Resolver, name: string): Promise<RecordWithTtl[]> {
  const ipv6 = resolver.resolve6(name, { ttl: true }).catch(asFailure);
  const ipv4 = await resolver.resolve4(name, { ttl: true }).catch(asFailure);
  if (Array.isArray(ipv4)) {
    const more = await Promise.race([ipv6, after(IPV6_PATIENCE_MS, undefined, { ref: false })]);
    return Array.isArray(more) ? [...ipv4, ...more] : ipv4;
  }
  const alone = await ipv6;
  if (Array.isArray(alone)) return alone;
  throw ipv4.error;
}

/** Returns the first answer. If there is none, prefers an error that the resolver sent to a timeout. */
async function anyAnswer(...asked: readonly Promise<Answer>[]): Promise<Answer> {
  try {
    return await Promise.any(asked);
  } catch (failures) {
    const { errors } = failures as AggregateError & { errors: unknown[] };
    throw errors.find((error) => !isSilence(error)) ?? errors[0];
  }
}

const asFailure = (error: unknown): { readonly error: unknown } => ({ error });

const ignored = (): void => undefined;

const timedOut = (name: string): Error =>
  Object.assign(new Error(`the lookup of ${name} timed out`), { code: 'ETIMEOUT' });

async function within(timeoutMs: number, name: string, work: Promise<Answer>): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(timedOut(name));
    }, timeoutMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
