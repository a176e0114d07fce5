import type { Redis } from '@mailhook/platform/redis';
import type { EngineKeys, Installation } from '@mailhook/delivery';
import { LONG_FIELD, readHeavyAccounts, readSums } from '@mailhook/delivery/mailbox';

const SCAN_COUNT = 1000;
/** Most accounts that a scan looks through. */
const SCANNED_MAX = 10_000;
/** Accounts with more than 1 MB that are counted one by one beyond that. */
const HEAVY_MAX = 1000;

interface ScannedSums {
  /** Undelivered events, without those in chunk jobs, by account. */
  readonly events: ReadonlyMap<string, number>;
  readonly isComplete: boolean;
}

/** Scans the accounts of a shard with undelivered events, up to 10,000 of them. */
export async function scanSums(redis: Redis, { sums }: EngineKeys): Promise<ScannedSums> {
  const events = new Map<string, number>();
  let cursor = '0';
  do {
    const [next, pairs] = await redis.hscanBuffer(sums, cursor, 'COUNT', SCAN_COUNT);
    cursor = String(next);
    for (let i = 0; i < pairs.length; i += 2) {
      const account = String(pairs[i]);
      if (account !== LONG_FIELD) events.set(account, readSums(pairs[i + 1]).events);
    }
  } while (cursor !== '0' && events.size < SCANNED_MAX);
  return { events, isComplete: cursor === '0' };
}

/**
 * Counts the events that are appended but neither delivered nor given up, resends included. Exact up to 10,000 accounts
 * per shard. Beyond that, those with more than 1 MB count exactly, and the others as much as those that a scan sees.
 * Rejects while Redis is away.
 */
export async function countUndelivered(installation: Installation): Promise<number> {
  const counts = await Promise.all(installation.allKeys(['campaign']).map((keys) => countOf(installation.redis, keys)));
  return sum(counts);
}

async function countOf(redis: Redis, keys: EngineKeys): Promise<number> {
  const { events, isComplete } = await scanSums(redis, keys);
  if (isComplete) return sum([...events.values()]);
  const [accounts, heavy] = await Promise.all([redis.hlen(keys.sums), readHeavyAccounts(redis, keys, HEAVY_MAX)]);
  const heavyEvents = new Map(heavy.map(([account, sums]) => [account, sums.events]));
  const others = [...events].filter(([account]) => !heavyEvents.has(account)).map(([, count]) => count);
  const each = sum(others) / Math.max(1, others.length);
  return sum([...heavyEvents.values()]) + Math.round(each * Math.max(0, accounts - heavyEvents.size));
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
