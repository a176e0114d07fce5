import type { RecordWithTtl } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { setTimeout as after } from 'node:timers/promises';
import { createHostsFile } from './hosts-file.ts';
import { isLocalhost } from './literal-address.ts';
import { createResolverCheck, isSilence } from './resolver-check.ts';

export interface ResolveOptions {
  /** A lookup that takes longer fails. */
  readonly timeoutMs: number;
  /** Default: those of the system. */
  readonly nameServers?: readonly string[] | undefined;
  readonly hostsFile?: string | undefined;
}

/**
 * All addresses of a name. When there are none, rejects with an error that has a `code` (`ENOTFOUND`, `ETIMEOUT`, ...). When the lookup could
 * not be made, rejects with ResolverAwayError or the system's error (`EMFILE`, ...).
 */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

const CACHE_MAX_MS = 30_000;
const CACHE_MIN_MS = 1000;
const CACHE_NAMES_MAX = 10_000;
/** How long a name's IPv4 addresses wait for its IPv6 ones. */
const IPV6_PATIENCE_MS = 200;
/** Shares of a lookup's time: the longest check of the resolver, and when an unanswered lookup starts one, so that the check ends in time. */
const CHECK_SHARE = 0.25;
const DOUBT_SHARE = 0.6;

interface Answer {
  readonly addresses: readonly string[];
  readonly ttlMs: number;
}

interface Entry {
  addresses: Promise<readonly string[]>;
  expiresMs: number;
}

/**
 * A resolver on c-ares: libuv's own has four threads for the whole process, and one customer's dead name server would keep them all
 * waiting. The hosts file goes first. Answers are kept as long as they may be (at most 30 s), failures for a second. Concurrent lookups of
 * one name share one query. A lookup without an answer rejects with ResolverAwayError if the name servers answer nothing else either.
 */
export function createResolve(options: ResolveOptions): Resolve {
  const { timeoutMs, nameServers } = options;
  const ask = createAsk(options);
  const resolverFault = createResolverCheck({ graceMs: timeoutMs, timeoutMs: timeoutMs * CHECK_SHARE, nameServers });
  const cache = new Map<string, Entry>();

  const lookUp = async (name: string, answer: Promise<Answer>): Promise<readonly string[]> => {
    const doubt = setTimeout(() => void resolverFault(), timeoutMs * DOUBT_SHARE);
    try {
      return (await within(timeoutMs, name, answer)).addresses;
    } catch (error) {
      if (!isSilence(error)) throw error;
      throw (await resolverFault()) ?? timedOut(name);
    } finally {
      clearTimeout(doubt);
    }
  };

  return (hostname) => {
    const name = hostname.toLowerCase().replace(/\.$/, '');
    const cached = cache.get(name);
    if (cached !== undefined && performance.now() < cached.expiresMs) return cached.addresses;
    const answer = ask(name);
    const addresses = lookUp(name, answer);
    const entry: Entry = { addresses, expiresMs: Number.POSITIVE_INFINITY };
    addresses.catch(() => (entry.expiresMs = performance.now() + CACHE_MIN_MS));
    // An answer that comes after the failure replaces it.
    answer.then((late) => {
      entry.addresses = Promise.resolve(late.addresses);
      entry.expiresMs = performance.now() + Math.min(Math.max(late.ttlMs, CACHE_MIN_MS), CACHE_MAX_MS);
    }, ignored);
    cache.delete(name);
    cache.set(name, entry);
    // The oldest goes; those who wait for its lookup still get the result.
    for (const oldest of cache.keys()) {
      if (cache.size <= CACHE_NAMES_MAX) break;
      cache.delete(oldest);
    }
    return addresses;
  };
}

/** One question about a name, however long the answer takes. */
function createAsk({ timeoutMs, nameServers, hostsFile: path }: ResolveOptions): (name: string) => Promise<Answer> {
  // c-ares doubles the wait at the second try: a third of the time for the first, the rest for the second.
  const resolver = new Resolver({ timeout: Math.max(50, Math.floor(timeoutMs / 3)), tries: 2 });
  if (nameServers !== undefined) resolver.setServers(nameServers);
  const hostsFile = createHostsFile(path);
  return async (name) => {
    const known = isLocalhost(name) ? ['127.0.0.1', '::1'] : await hostsFile(name);
    if (known.length > 0) return { addresses: known, ttlMs: CACHE_MIN_MS };
    const found = await query(resolver, name);
    return {
      addresses: found.map(({ address }) => address),
      ttlMs: Math.min(...found.map(({ ttl }) => ttl)) * 1000,
    };
  };
}

/** IPv4 first: where IPv6 is broken, it is broken silently. */
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
