import { LRUCache } from 'lru-cache';

/** The TLS sessions of one set of trusted certificates, and one proxy or none. */
export interface Sessions {
  /** Returns the newest session of `name:port`. */
  get(key: string): Buffer | undefined;
  /** `isResumed`: the handshake that gave this session has itself resumed one. */
  keep(key: string, session: Buffer, isResumed: boolean): void;
  forget(key: string): void;
}

interface Kept {
  readonly session: Buffer;
  /** When the certificate was checked, by `performance.now()`. */
  readonly checkedMs: number;
}

const BYTES_MAX = 16_000_000;
/** What an entry costs besides its session. */
const ENTRY_BYTES = 600;
/** A resumed handshake shows no certificate. So that an expired one is noticed, a full handshake follows in time. */
const UNCHECKED_MAX_MS = 3_600_000;

/**
 * Keeps the newest session per origin, and forgets the least recently used ones first. A session holds the server's
 * certificate, so it has 1 to 2.5 kB. It may serve several connections. A server that takes each ticket once makes a
 * full handshake for the others.
 */
export function createSessions(bytesMax = BYTES_MAX): Sessions {
  const cache = new LRUCache<string, Kept>({
    maxSize: bytesMax,
    sizeCalculation: ({ session }, key) => session.length + key.length + ENTRY_BYTES,
  });
  return {
    get(key) {
      const kept = cache.get(key);
      if (kept === undefined || performance.now() - kept.checkedMs < UNCHECKED_MAX_MS) return kept?.session;
      cache.delete(key);
      return undefined;
    },
    keep(key, session, isResumed) {
      const checkedMs = isResumed ? cache.peek(key)?.checkedMs : performance.now();
      // A resumed session that is no longer kept has an unknown age.
      if (checkedMs !== undefined) cache.set(key, { session, checkedMs });
    },
    forget: (key) => void cache.delete(key),
  };
}
