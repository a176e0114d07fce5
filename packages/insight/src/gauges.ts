import type { Mechanism } from '@mailhook/core';
import { CHUNK_MINUTES_LATE_MAX } from '@mailhook/core';
import type { Metrics } from '@mailhook/platform/metrics';
import { JOB_FIELDS, priorityOfScore, scoreOfPriority } from '@mailhook/platform/queue';
import type { Redis } from '@mailhook/platform/redis';
import type { EngineKeys, Installation } from '@mailhook/delivery';
import type { LostWrites } from '@mailhook/delivery/mailbox';
import {
  chunkQueueKeys,
  countLive,
  readLostWrites,
  readOldestMs,
  readResends,
  readStates,
} from '@mailhook/delivery/mailbox';

interface GaugeDeps {
  readonly metrics: Metrics;
  readonly installation: Installation;
  readonly kinds: readonly Mechanism[];
}

/**
 * Most mailboxes and most resends checked for the oldest event. Mailboxes that have waited longest come first, and of
 * the resends, those due first and last.
 */
const CHECKED_MAX = 200;

type Read = (keys: EngineKeys) => Promise<number>;

/**
 * Gauges of waiting events and live workers, read from Redis at every scrape. Every replica reports the same values.
 * The api reports both mechanisms, so that an alert can fire when no worker lives. A worker reports its mechanism.
 * While Redis is away, the last values stay.
 */
export function createEngineGauges(deps: GaugeDeps): void {
  const { metrics, installation, kinds } = deps;
  const { redis } = installation;
  const add = (name: `mailhook_${string}`, help: string, read: Read, combine: (values: number[]) => number): void => {
    metrics.gauge({
      name,
      help,
      labels: ['kind'],
      collect: async (gauge) => {
        for (const kind of kinds) {
          const values = await Promise.all(installation.allKeys([kind]).map(read)).catch(() => undefined);
          if (values !== undefined) gauge.set({ kind }, combine(values));
        }
      },
    });
  };
  add(
    'mailhook_oldest_waiting_seconds',
    'Age of the oldest event that is not delivered yet, resends included; 0 when none waits. Events in their first ' +
      'attempt may be missing',
    (keys) => oldestWaitingMs(redis, keys),
    ageOfOldest,
  );
  add(
    'mailhook_oldest_ready_seconds',
    'Age of the oldest event that could be sent now but waits for a worker; 0 if there is none',
    (keys) => oldestReadyMs(redis, keys),
    ageOfOldest,
  );
  add(
    'mailhook_resends_scheduled',
    'Batches and notifications that failed and wait for their next attempt',
    ({ due }) => redis.zcard(due),
    sum,
  );
  add(
    'mailhook_workers',
    'Workers with a current heartbeat; with several shards, the smallest number of any shard',
    ({ workers }) => redis.zcount(workers, Date.now(), '+inf'),
    (values) => Math.min(...values),
  );
  add(
    'mailhook_redis_lost_writes_seconds',
    'How long a time Redis has lost the writes of, as found within a day; 0 for none, infinite for all',
    async (keys) => lostSeconds(await readLostWrites(redis, keys)),
    (values) => Math.max(...values),
  );
  addDestinations(deps);
}

function lostSeconds(lost: LostWrites | undefined): number {
  if (lost === undefined) return 0;
  return lost.fromMs === 0 ? Number.POSITIVE_INFINITY : (lost.toMs - lost.fromMs) / 1000;
}

function addDestinations({ metrics, installation, kinds }: GaugeDeps): void {
  const { redis } = installation;
  const paused: Read = (keys) => redis.zcount(keys.paused, Date.now(), '+inf');
  const states: readonly (readonly [string, Read])[] = [
    ['busy', (keys) => countLive(redis, keys)],
    // Paused destinations are in both sets. An alert on parked ones must not count them.
    ['parked', async (keys) => Math.max(0, (await redis.zcard(keys.parked)) - (await paused(keys)))],
    ['paused', paused],
    ['ready', async ({ readyLists: [proven, others] }) => (await redis.llen(proven)) + (await redis.llen(others))],
  ];
  metrics.gauge({
    name: 'mailhook_destinations',
    help:
      'Destinations by state. busy: with undelivered events, an open or half-open breaker, or a pause; parked by ' +
      'their breaker; paused by a person; ready: waiting for a worker',
    labels: ['kind', 'state'],
    collect: async (gauge) => {
      for (const kind of kinds) {
        for (const [state, read] of states) {
          const counts = await Promise.all(installation.allKeys([kind]).map(read)).catch(() => undefined);
          if (counts !== undefined) gauge.set({ kind, state }, sum(counts));
        }
      }
    },
  });
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

const ageOfOldest = (timesMs: readonly number[]): number => {
  const nowMs = Date.now();
  return (nowMs - Math.min(nowMs, ...timesMs)) / 1000;
};

/** Scheduled resends: those that are due first, and those that are due last, which have failed most often. */
export async function resendsAtBothEnds(redis: Redis, { due }: EngineKeys, most: number): Promise<string[]> {
  const [first, last] = await Promise.all([
    redis.zrange(due, '0', String(most - 1)),
    redis.zrange(due, String(-most), '-1'),
  ]);
  return [...new Set([...first, ...last])];
}

/** When the oldest undelivered event was accepted, resends included, in Unix milliseconds. Infinite when none waits. */
export async function oldestWaitingMs(redis: Redis, keys: EngineKeys): Promise<number> {
  const [backlog, ready, resends] = await Promise.all([
    redis.zrange(keys.backlog, '0', String(CHECKED_MAX - 1)),
    firstReady(redis, keys),
    resendsAtBothEnds(redis, keys, CHECKED_MAX),
  ]);
  const times = (await readResends(redis, keys, resends)).map(({ acceptedAtMs }) => acceptedAtMs);
  const heldMs = await oldestMs(redis, keys, [...new Set([...backlog, ...ready])]);
  return Math.min(heldMs, ...times.filter((time) => !Number.isNaN(time)));
}

/**
 * When the oldest event that needs only a worker was accepted: in a chunk job, or in a mailbox at the head of a ready
 * list. Infinite without one.
 */
async function oldestReadyMs(redis: Redis, keys: EngineKeys): Promise<number> {
  const [chunkMs, ready] = await Promise.all([oldestChunkMs(redis, keys), firstReady(redis, keys)]);
  return Math.min(chunkMs, await oldestMs(redis, keys, ready));
}

/** The destinations that have waited longest for a worker. */
async function firstReady(redis: Redis, keys: EngineKeys): Promise<string[]> {
  const lists = await Promise.all(keys.readyLists.map((list) => redis.lrange(list, 0, CHECKED_MAX - 1)));
  return lists.flat();
}

/** When the oldest chunk job that waits for a worker was published, in Unix milliseconds. Infinite when none waits. */
export async function oldestChunkMs(redis: Redis, keys: EngineKeys): Promise<number> {
  const chunks = chunkQueueKeys(keys);
  const [job, [, score]] = await Promise.all([
    redis.lindex(chunks.waiting, -1),
    redis.zrange(chunks.prioritized, '0', '0', 'WITHSCORES'),
  ]);
  // The first chunk may have overtaken older ones. Those are due at most this many minutes later, in the order of their
  // arrival within a minute.
  const first = priorityOfScore(Number(score ?? 0));
  const heads = await Promise.all(
    Array.from({ length: score === undefined ? 0 : CHUNK_MINUTES_LATE_MAX + 1 }, (_, late) =>
      redis.zrangebyscore(chunks.prioritized, scoreOfPriority(first + late), '+inf', 'LIMIT', 0, 1),
    ),
  );
  const jobs = [job, ...heads.flat()].filter((id) => id != null);
  const acceptedAt = await Promise.all(
    [...new Set(jobs)].map((id) => redis.hget(chunks.job(id), JOB_FIELDS.timestamp)),
  );
  return Math.min(Number.POSITIVE_INFINITY, ...acceptedAt.flatMap((at) => (at === null ? [] : [Number(at)])));
}

/** The earliest time of acceptance at the heads of these mailboxes. */
async function oldestMs(redis: Redis, keys: EngineKeys, destinations: readonly string[]): Promise<number> {
  const times = await readOldestMs(redis, keys, await readStates(redis, keys, destinations));
  return Math.min(Number.POSITIVE_INFINITY, ...times);
}
