import type { Redis } from '@mailhook/platform/redis';
import type { EngineKeys } from '../mailbox/keys.ts';

const HOUR_MS = 3_600_000;
export const MINUTE_MS = 60_000;

/** A day and the current hour. */
export const TRENDS_KEPT_S = 25 * 3600;

/**
 * What the hash of a shard and hour has per minute: accepted and delivered events, the age of the oldest undelivered
 * event in milliseconds (absent for none), and the bytes that Redis uses.
 */
export type TrendName = 'accepted' | 'delivered' | 'oldest' | 'memory';

/** Where a value of a minute is. `atMs` is in Unix milliseconds. */
export const trendPlace = (keys: EngineKeys, name: TrendName, atMs: number) => ({
  key: keys.trends(Math.floor(atMs / HOUR_MS)),
  field: `${Math.floor((atMs % HOUR_MS) / MINUTE_MS)}:${name}`,
});

/** The values of a shard, by name and time. Reads each hour once. */
export async function readTrends(
  redis: Redis,
  keys: EngineKeys,
  minutes: readonly number[],
): Promise<(name: TrendName, atMs: number) => number | undefined> {
  const hours = [...new Set(minutes.map((atMs) => keys.trends(Math.floor(atMs / HOUR_MS))))];
  const read = new Map(await Promise.all(hours.map(async (key) => [key, await redis.hgetall(key)] as const)));
  return (name, atMs) => {
    const { key, field } = trendPlace(keys, name, atMs);
    const value = read.get(key)?.[field];
    return value === undefined ? undefined : Number(value);
  };
}
