import type { Redis } from '@mailhook/platform/redis';
import type { EngineKeys } from '../mailbox/keys.ts';
import { readSums } from '../mailbox/sums.ts';

/**
 * Counts the events of both mechanisms in these shards that are appended but neither delivered nor given up, resends
 * included.
 */
export async function countUndelivered(redis: Redis, places: readonly Pick<EngineKeys, 'sums'>[]): Promise<number> {
  const hashes = [...new Set(places.map(({ sums }) => sums))];
  const sums = await Promise.all(hashes.map((key) => redis.hvalsBuffer(key)));
  return sums.flat().reduce((total, packed) => total + readSums(packed).events, 0);
}
