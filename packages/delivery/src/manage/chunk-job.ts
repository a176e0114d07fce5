import type { Redis } from '@mailhook/platform/redis';
import type { EngineKeys } from '../mailbox/keys.ts';
import { chunkQueueKeys } from '../mailbox/keys.ts';

/** Whether a chunk has a job that has not failed. A failed one waits for an operator, perhaps without end. */
export async function hasChunkJob(redis: Redis, keys: EngineKeys, chunk: string): Promise<boolean> {
  const queue = chunkQueueKeys(keys);
  const [exists, failedAt] = await Promise.all([redis.exists(queue.job(chunk)), redis.zscore(queue.failed, chunk)]);
  return exists === 1 && failedAt === null;
}
