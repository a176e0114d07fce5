import type { Mechanism } from '@mailhook/core';
import type { Redis } from '@mailhook/platform/redis';
import type { Installation } from '@mailhook/delivery';
import { DEAD_LETTERS_KEPT_MS } from '@mailhook/core';

/** Most dead letters read per shard. A metric must not read a million of them at every scrape. */
const SAMPLE_MAX = 10_000;

/**
 * Counts the kept dead letters of all accounts and shards. The sum is exact. The split between the mechanisms is exact
 * up to 10,000 dead letters per shard, and beyond that an estimate from 10,000 random ones. Rejects while Redis is
 * away.
 */
export async function countDeadLetters(installation: Installation): Promise<Record<Mechanism, number>> {
  const keys = installation.allKeys(['campaign']);
  const counts = await Promise.all(keys.map(({ deadLetters }) => countOf(installation.redis, deadLetters)));
  const sum = (kind: Mechanism): number => counts.reduce((total, count) => total + count[kind], 0);
  return { transactional: sum('transactional'), campaign: sum('campaign') };
}

/** Counts the dead letters in a sorted set by time. Its members are `c<id>` (campaign) and `t<id>` (transactional). */
async function countOf(redis: Redis, list: string): Promise<Record<Mechanism, number>> {
  const oldestMs = Date.now() - DEAD_LETTERS_KEPT_MS;
  const total = await redis.zcount(list, oldestMs, '+inf');
  if (total === 0) return { transactional: 0, campaign: 0 };
  const members =
    total <= SAMPLE_MAX ? await redis.zrangebyscore(list, oldestMs, '+inf') : await redis.zrandmember(list, SAMPLE_MAX);
  const campaign = members.filter((member) => member.startsWith('c')).length;
  const share = Math.round((total * campaign) / Math.max(1, members.length));
  return { transactional: total - share, campaign: share };
}
