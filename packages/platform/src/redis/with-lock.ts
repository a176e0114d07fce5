import { randomUUID } from 'node:crypto';
import type { Redis } from './connect.ts';

export interface Lock {
  readonly key: string;
  /**
   * The lock of a process that died is free after this time. Work renews it, for up to ten times as long: another
   * process must go on when work hangs.
   */
  readonly forMs: number;
  /** Nobody gets the lock for this long after the work. Default 0. */
  readonly restMs?: number;
}

/** Renewals per lease, and the most of all. */
const RENEWALS = { perLease: 3, max: 30 };

/** Only for the holder of the lock, because another one may hold it after `forMs`. */
const RENEW = `
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end`;
const RELEASE = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return end
if ARGV[2] == '0' then redis.call('DEL', KEYS[1]) else redis.call('PEXPIRE', KEYS[1], ARGV[2]) end`;

/**
 * Runs work that one process at a time may do. Resolves with its result, or with undefined if another process holds the
 * lock. All processes share the key.
 */
export async function withLock<Result>(
  redis: Redis,
  { key, forMs, restMs = 0 }: Lock,
  work: () => Promise<Result>,
): Promise<{ readonly result: Result } | undefined> {
  const self = randomUUID();
  if ((await claimKey(redis, key, self, forMs)) !== self) return undefined;
  let renewals = 0;
  const timer = setInterval(() => {
    renewals += 1;
    if (renewals >= RENEWALS.max) clearInterval(timer);
    // A renewal that fails leaves time for others.
    redis.eval(RENEW, 1, key, self, forMs).catch(() => undefined);
  }, forMs / RENEWALS.perLease);
  try {
    return { result: await work() };
  } finally {
    clearInterval(timer);
    // A lock that could not be released ends by itself.
    await redis.eval(RELEASE, 1, key, self, restMs).catch(() => undefined);
  }
}

/** Gives a key to the first who claims it, for a time. Resolves with its holder. */
export async function claimKey(redis: Redis, key: string, holder: string, forMs: number): Promise<string> {
  const [other, leftMs] = await Promise.all([redis.set(key, holder, 'PX', forMs, 'NX', 'GET'), redis.pttl(key)]);
  if (other === null) return holder;
  // After a step back of Redis's clock, the key would stay for as long as the step.
  if (leftMs > forMs) await redis.pexpire(key, forMs);
  return other;
}
