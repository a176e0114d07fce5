import type { Mechanism } from '@mailhook/core';
import type { Metrics } from '@mailhook/platform/metrics';
import type { Redis } from 'ioredis';
import type { EngineKeys } from './keys.ts';
import { engineKeys } from './keys.ts';

interface GaugeDeps {
  readonly metrics: Metrics;
  readonly redis: Redis;
  readonly kind: Mechanism;
  readonly queuePrefix: string;
  readonly shards: number;
}

/** Mailboxes and resends looked at, those that have waited longest first, to find the oldest event. */
const LOOKED_AT = 200;

/** What waits, read from Redis at every scrape. While Redis is away the last values stand. */
export function createEngineGauges({ metrics, redis, kind, queuePrefix, shards }: GaugeDeps): void {
  const keys = Array.from({ length: shards }, (_, shard) => engineKeys(queuePrefix, shard, kind));
  const sum = async (read: (keys: EngineKeys) => Promise<number>): Promise<number> =>
    (await Promise.all(keys.map(read))).reduce((total, value) => total + value, 0);
  metrics.gauge({
    name: 'mailhook_oldest_waiting_seconds',
    help: 'Age of the oldest event that is not delivered yet, resends included; 0 when none waits',
    labels: ['kind'],
    collect: async (gauge) => {
      const oldest = await Promise.all(keys.map((shard) => oldestMs(redis, shard))).catch(() => undefined);
      if (oldest !== undefined) gauge.set({ kind }, Math.max(0, (Date.now() - Math.min(Date.now(), ...oldest)) / 1000));
    },
  });
  metrics.gauge({
    name: 'mailhook_destinations',
    help: 'Destinations with mail, parked by their breaker, or waiting for a worker',
    labels: ['kind', 'state'],
    collect: async (gauge) => {
      const counts = await Promise.all([
        sum(({ base }) => redis.zcard(`${base}busy`)),
        sum(({ base }) => redis.zcard(`${base}parked`)),
        sum(({ base }) => redis.llen(`${base}ready`)),
      ]).catch(() => undefined);
      if (counts === undefined) return;
      for (const [i, state] of ['busy', 'parked', 'ready'].entries()) gauge.set({ kind, state }, counts[i] ?? 0);
    },
  });
  metrics.gauge({
    name: 'mailhook_resends_scheduled',
    help: 'Batches and notifications that failed and wait for their next attempt',
    labels: ['kind'],
    collect: async (gauge) => {
      const scheduled = await sum(({ base }) => redis.zcard(`${base}due`)).catch(() => undefined);
      if (scheduled !== undefined) gauge.set({ kind }, scheduled);
    },
  });
}

async function oldestMs(redis: Redis, { base }: EngineKeys): Promise<number> {
  const [destinations, resends] = await Promise.all([
    redis.zrange(`${base}busy`, '0', String(LOOKED_AT - 1)),
    redis.zrange(`${base}due`, '0', String(LOOKED_AT - 1)),
  ]);
  const pipeline = redis.pipeline();
  for (const destination of destinations) {
    pipeline.lindex(`${base}f:${destination}`, 0);
    pipeline.lindex(`${base}u:${destination}`, 0);
  }
  for (const resend of resends) pipeline.hget(`${base}x:${resend}`, 'at');
  const replies = (await pipeline.exec()) ?? [];
  const times = replies.flatMap(([, element]) =>
    typeof element === 'string' ? [parseInt(element.slice(0, 8), 36)] : [],
  );
  return Math.min(Number.POSITIVE_INFINITY, ...times.filter((time) => !Number.isNaN(time)));
}
