import type { RecordWithTtl } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { createHostsFile } from './hosts-file.ts';
import { isLocalhost } from './literal-address.ts';

export interface ResolveOptions {
  /** A look-up that takes longer fails. */
  readonly timeoutMs: number;
  /** Default: those of the system. */
  readonly nameServers?: readonly string[] | undefined;
  readonly hostsFile?: string | undefined;
}

/** All addresses of a name; rejects with an error that has a `code` (`ENOTFOUND`, `ETIMEOUT`, ...) when there are none. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

const CACHE_MAX_MS = 30_000;
const CACHE_MIN_MS = 1000;
const CACHE_NAMES_MAX = 10_000;
/** How long a name's IPv4 addresses wait for its IPv6 ones. */
const IPV6_PATIENCE_MS = 200;

interface Entry {
  readonly addresses: Promise<readonly string[]>;
  expiresMs: number;
}

/**
 * A resolver of our own on c-ares: libuv's has four threads for the whole process, and one customer's dead name server would keep them all
 * waiting. The hosts file goes first. Answers are kept as long as they may (at most 30 s), failures for a second; concurrent look-ups of
 * one name are one.
 */
export function createResolve(options: ResolveOptions): Resolve {
  // c-ares doubles the wait at the second try: a third of the time for the first, the rest for the second.
  const resolver = new Resolver({ timeout: Math.max(50, Math.floor(options.timeoutMs / 3)), tries: 2 });
  if (options.nameServers !== undefined) resolver.setServers(options.nameServers);
  const hostsFile = createHostsFile(options.hostsFile);
  const cache = new Map<string, Entry>();

  const lookUp = async (name: string, entry: { expiresMs: number }): Promise<readonly string[]> => {
    const known = isLocalhost(name) ? ['127.0.0.1', '::1'] : await hostsFile(name);
    const found = known.length > 0 ? known.map((address) => ({ address, ttl: 1 })) : await query(resolver, name);
    const ttlMs = Math.min(...found.map((record) => record.ttl)) * 1000;
    entry.expiresMs = performance.now() + Math.min(Math.max(ttlMs, CACHE_MIN_MS), CACHE_MAX_MS);
    return found.map((record) => record.address);
  };

  return (hostname) => {
    const name = hostname.toLowerCase().replace(/\.$/, '');
    const cached = cache.get(name);
    if (cached !== undefined && performance.now() < cached.expiresMs) return cached.addresses;
    const timing = { expiresMs: Number.POSITIVE_INFINITY };
    const addresses = within(options.timeoutMs, name, lookUp(name, timing));
    const entry: Entry = Object.assign(timing, { addresses });
    addresses.catch(() => (timing.expiresMs = performance.now() + CACHE_MIN_MS));
    cache.delete(name);
    cache.set(name, entry);
    // The oldest goes; a look-up under way is still awaited by those who began it.
    for (const oldest of cache.keys()) {
      if (cache.size <= CACHE_NAMES_MAX) break;
      cache.delete(oldest);
    }
    return addresses;
  };
}

/** IPv4 first: where IPv6 is broken, it is broken silently. */
async function query(resolver: Resolver, name: string): Promise<RecordWithTtl[]> {
  const ipv6 = resolver.resolve6(name, { ttl: true }).catch(asFailure);
  const ipv4 = await resolver.resolve4(name, { ttl: true }).catch(asFailure);
  if (Array.isArray(ipv4)) {
    const more = await Promise.race([ipv6, after(IPV6_PATIENCE_MS)]);
    return Array.isArray(more) ? [...ipv4, ...more] : ipv4;
  }
  const alone = await ipv6;
  if (Array.isArray(alone)) return alone;
  throw ipv4.error;
}

const asFailure = (error: unknown): { readonly error: unknown } => ({ error });

const after = (waitMs: number): Promise<undefined> =>
  new Promise((resolve) => {
    setTimeout(() => {
      resolve(undefined);
    }, waitMs).unref();
  });

async function within(timeoutMs: number, name: string, work: Promise<readonly string[]>): Promise<readonly string[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(Object.assign(new Error(`look-up of ${name} timed out`), { code: 'ETIMEOUT' }));
    }, timeoutMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
