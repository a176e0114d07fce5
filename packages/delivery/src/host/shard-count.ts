import { ConfigError } from '@mailhook/platform/config';
import type { Redis } from '@mailhook/platform/redis';

/** A prefix that is a hash tag. All keys that begin with it lie in one slot of a cluster. */
const HASH_TAG = /^\{[^{}]+\}$/;

/**
 * Stores `QUEUE_SHARDS` at the first start. Accounts are assigned to shards by it, so with another number workers would
 * not find their events. Rejects with a sentence for the operator if the stored number differs, and with a ConfigError
 * if the prefix cannot be used on a cluster.
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
