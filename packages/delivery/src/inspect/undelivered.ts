import type { Redis } from '@mailhook/platform/redis';
import type { EngineKeys } from '../mailbox/keys.ts';

/** Counts the events of both mechanisms in these shards that are appended but neither delivered nor given up, resends included. */
export async function countUndelivered(
  redis: Redis,
  places: readonly Pick<EngineKeys, 'undelivered'>[],
): Promise<number> {
  const hashes = [...new Set(places.map((keys) => keys.undelivered))];
  const counts = await Promise.all(hashes.map((key) => redis.hvals(key)));
  return counts.flat().reduce((total, count) => total + Number(count), 0);
}
