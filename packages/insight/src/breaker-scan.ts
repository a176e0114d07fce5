import type { Mechanism } from '@mailhook/core';
import type { Redis } from '@mailhook/platform/redis';
import type { EngineKeys, Installation } from '@mailhook/delivery';
import { ACTIVE, createClock, DELETED, readMailboxes } from '@mailhook/delivery/mailbox';
import type { MailboxState } from '@mailhook/delivery/mailbox';

/**
 * What a destination's breaker says. `closed`: its last attempt succeeded. `failing`: its breaker is open or half-open.
 */
export type BreakerVerdict = 'failing' | 'closed' | 'inactive' | 'undecided';

interface ScannedBreaker {
  readonly account: string;
  readonly verdict: BreakerVerdict;
}

/**
 * The breakers of one mechanism and shard, for a watcher that reads a bounded number of them at a time. All methods
 * reject while Redis is away.
 */
export interface BreakerScan {
  readonly kind: Mechanism;
  readonly shard: number;
  /**
   * About `count` parked or paused destinations. A scan from '0' to the returned '0' finds all that are parked for its
   * whole time.
   */
  parked(cursor: string, count: number): Promise<{ readonly cursor: string; readonly ids: readonly string[] }>;
  /** Leaves out unknown and deleted destinations. */
  read(ids: readonly string[]): Promise<ReadonlyMap<string, ScannedBreaker>>;
  /** The time of the engine's functions, in Unix milliseconds. */
  readonly nowMs: () => Promise<number>;
}

export const createBreakerScans = (installation: Installation): BreakerScan[] =>
  installation.allKeys().map((keys) => scanOf(installation.redis, keys));

function scanOf(redis: Redis, keys: EngineKeys): BreakerScan {
  const nowMs = createClock(redis, keys);
  return {
    kind: keys.kind,
    shard: keys.shard,
    nowMs,
    async parked(cursor, count) {
      const [next, members] = await redis.zscan(keys.parked, cursor, 'COUNT', count);
      return { cursor: next, ids: members.filter((_, i) => i % 2 === 0) };
    },
    async read(ids) {
      if (ids.length === 0) return new Map();
      const now = await nowMs();
      const found = new Map<string, ScannedBreaker>();
      for (const { destination, state, record } of await readMailboxes(redis, keys, ids)) {
        if (record === undefined || record.record === DELETED) continue;
        const verdict = record.record === ACTIVE ? verdictOf(state, now) : 'inactive';
        found.set(destination, { account: record.account, verdict });
      }
      return found;
    },
  };
}

/**
 * A pause decides nothing, and neither does a breaker that closed because the address changed: nothing has succeeded
 * there yet.
 */
function verdictOf({ pausedUntilMs, parkMs, isProven }: MailboxState, nowMs: number): BreakerVerdict {
  if (pausedUntilMs > nowMs) return 'undecided';
  if (parkMs > 0) return 'failing';
  return isProven ? 'closed' : 'undecided';
}
