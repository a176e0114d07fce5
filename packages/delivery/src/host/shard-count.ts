import { ConfigError } from '@mailhook/platform/config';
import type { Redis } from '@mailhook/platform/redis';

/** A prefix that is one hash tag: every key that begins with it lies in one slot. */
const HASH_TAG = /^\{[^{}]+\}$/;

/**
 * Fixes `QUEUE_SHARDS` at first start: accounts are spread by it, so another number would look for their mail elsewhere.
 * Rejects with a sentence for the operator when the stored number differs, and (ConfigError) when the prefix cannot be used on a cluster.
 */
export async function claimShardCount(redis: Redis, queuePrefix: string, shards: number): Promise<void> {
  if (redis.isCluster && !HASH_TAG.test(queuePrefix)) {
    throw new ConfigError(
      `On a Redis Cluster QUEUE_PREFIX must be in braces, so that each queue lies on one node: set QUEUE_PREFIX={${queuePrefix.replaceAll(/[{}]/g, '')}}`,
    );
  }
  const key = `${queuePrefix}:shards`;
  await redis.setnx(key, shards);
  const stored = Number(await redis.get(key));
  if (stored !== shards) {
    throw new Error(
      `QUEUE_SHARDS is ${shards}, but this Redis was first used with ${stored}: set QUEUE_SHARDS=${stored}, or use another QUEUE_PREFIX`,
    );
  }
}
