import type { Installation } from '@mailhook/delivery';
import { readSums } from '@mailhook/delivery/mailbox';

/** Counts the events that are appended but neither delivered nor given up, resends included. */
export async function countUndelivered(installation: Installation): Promise<number> {
  const keys = installation.allKeys(['campaign']);
  const sums = await Promise.all(keys.map((one) => installation.redis.hvalsBuffer(one.sums)));
  return sums.flat().reduce((total, packed) => total + readSums(packed).events, 0);
}
