import type { Redis } from '@mailhook/platform/redis';

/**
 * Fixes `QUEUE_SHARDS` at first start: accounts are spread by it, so another number would look for their mail elsewhere.
 * Rejects with a sentence for the operator when the stored number differs.
 */
export async function claimShardCount(redis: Redis, queuePrefix: string, shards: number): Promise<void> {
  const key = `${queuePrefix}:shards`;
  await redis.setnx(key, shards);
  const stored = Number(await redis.get(key));
  if (stored !== shards) {
    throw new Error(
      `QUEUE_SHARDS is ${shards}, but this Redis was first used with ${stored}: set QUEUE_SHARDS=${stored}, or use another QUEUE_PREFIX`,
    );
  }
}
