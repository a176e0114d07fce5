import { mechanism } from '@mailhook/core';
import { countDeadLetters, countUndelivered } from '@mailhook/insight';
import type { Installation } from '@mailhook/delivery';
import type { Metrics } from '@mailhook/platform/metrics';
import { shareReading } from '@mailhook/platform/metrics';
import { PAUSED_FIELD, queueKeys } from '@mailhook/platform/queue';
import { boardQueues } from './board.ts';

const STATES = ['waiting', 'active', 'delayed', 'failed', 'paused'] as const;
type State = (typeof STATES)[number];
export type QueueDepths = Readonly<Record<State, number>>;

/**
 * Adds gauges of each queue's jobs over all shards, of dead letters and of waiting events. They read Redis at every
 * scrape.
 */
export function addQueueGauges(metrics: Metrics, installation: Installation): void {
  const depths = shareReading(() => readQueueDepths(installation));
  metrics.gauge({
    name: 'mailhook_queue_jobs',
    help: 'Jobs by queue and state, over all shards',
    labels: ['queue', 'state'],
    collect: async (gauge) => {
      for (const [queue, counts] of (await depths()) ?? []) {
        for (const state of STATES) gauge.set({ queue, state }, counts[state]);
      }
    },
  });
  metrics.gauge({
    name: 'mailhook_dead_letters',
    help: 'Dead letters that are kept and can be re-driven',
    labels: ['kind'],
    collect: async (gauge) => {
      // Count the dead letters themselves, because operators may clear their jobs.
      const counts = await countDeadLetters(installation).catch(() => undefined);
      if (counts === undefined) return;
      for (const kind of mechanism.options) gauge.set({ kind }, counts[kind]);
    },
  });
  metrics.gauge({
    name: 'mailhook_waiting_events',
    help:
      'Accepted events that are not delivered yet, those between two attempts included. Estimated where more than ' +
      '10,000 accounts of a shard have some',
    collect: async (gauge) => {
      const waiting = await countUndelivered(installation).catch(() => undefined);
      if (waiting !== undefined) gauge.set(waiting);
    },
  });
}

/** The jobs of each queue by state, over all shards. Rejects while Redis is away. */
export async function readQueueDepths(installation: Installation): Promise<ReadonlyMap<string, QueueDepths>> {
  const { redis } = installation;
  const depths = new Map<string, QueueDepths>();
  await Promise.all(
    boardQueues(installation).map(async (queue) => {
      const keys = queueKeys(`${queue.prefix}:${queue.name}:`);
      const [unordered, prioritized, active, delayed, failed, isPaused] = await Promise.all([
        redis.llen(keys.waiting),
        redis.zcard(keys.prioritized),
        redis.llen(keys.active),
        redis.zcard(keys.delayed),
        redis.zcard(keys.failed),
        redis.hexists(keys.meta, PAUSED_FIELD),
      ]);
      const inLine = unordered + prioritized;
      const [waiting, paused] = isPaused === 1 ? [0, inLine] : [inLine, 0];
      const before = depths.get(queue.name) ?? { waiting: 0, active: 0, delayed: 0, failed: 0, paused: 0 };
      depths.set(queue.name, {
        waiting: before.waiting + waiting,
        active: before.active + active,
        delayed: before.delayed + delayed,
        failed: before.failed + failed,
        paused: before.paused + paused,
      });
    }),
  );
  return depths;
}
