import type { Destination } from '@mailhook/core';
import { shardOf } from '@mailhook/core';
import type { Redis } from '@mailhook/platform/redis';
import type { EngineKeys } from '../mailbox/keys.ts';
import { engineKeys } from '../mailbox/keys.ts';
import { readWindow } from '../mailbox/window.ts';
import { deliveredField, failedField, historyKey, HOUR_MS } from './history-keys.ts';

export interface DeliveryHistoryOptions {
  readonly redis: Redis;
  readonly queuePrefix: string;
  readonly shards: number;
}

/** One hour of one destination, in events. */
export interface HistoryHour {
  /** When the hour began, in Unix milliseconds. */
  readonly fromMs: number;
  readonly delivered: number;
  /** Events of failed attempts. An event that failed three times counts three times. */
  readonly failed: number;
}

export interface DestinationHistory {
  /** The last 24 hours, oldest first. The last one is the current hour. */
  readonly hours: readonly HistoryHour[];
  /** Undelivered events in the mailbox: new, in flight or in resends. Partly estimated if there are more than 100 resends. */
  readonly waiting: number;
}

/** Reads the history of some destinations of one account, by destination id. */
export interface DeliveryHistory {
  read(
    account: string,
    destinations: readonly HistoryDestination[],
    nowMs: number,
  ): Promise<ReadonlyMap<string, DestinationHistory>>;
}

export type HistoryDestination = Pick<Destination, 'id' | 'kind'>;

const HOURS = 24;
/** Resends that are read to count their events. The events of further resends are estimated from these. */
const RESENDS_LOOKED_AT = 100;

export const createDeliveryHistory = (options: DeliveryHistoryOptions): DeliveryHistory => ({
  async read(account, destinations, nowMs) {
    const [hours, waiting] = await Promise.all([
      readHours(options, account, nowMs),
      readWaiting(options, account, destinations),
    ]);
    return new Map(
      destinations.map(({ id }, i) => [
        id,
        {
          hours: hours.map(({ fromMs, counts }) => ({
            fromMs,
            delivered: Number(counts[deliveredField(id)] ?? 0),
            failed: Number(counts[failedField(id)] ?? 0),
          })),
          waiting: waiting[i] ?? 0,
        },
      ]),
    );
  },
});

async function readHours({ redis, queuePrefix, shards }: DeliveryHistoryOptions, account: string, nowMs: number) {
  const current = Math.floor(nowMs / HOUR_MS);
  const hours = Array.from({ length: HOURS }, (_, i) => current - HOURS + 1 + i);
  const counts = await Promise.all(hours.map((hour) => redis.hgetall(historyKey(queuePrefix, shards, account, hour))));
  return hours.map((hour, i) => ({ fromMs: hour * HOUR_MS, counts: counts[i] ?? {} }));
}

function readWaiting(
  { redis, queuePrefix, shards }: DeliveryHistoryOptions,
  account: string,
  destinations: readonly HistoryDestination[],
): Promise<number[]> {
  const shard = shardOf(account, shards);
  return Promise.all(
    destinations.map(async ({ id, kind }) => {
      const keys = engineKeys(queuePrefix, shard, kind);
      const [[fresh, unsubscribes, window], resends] = await Promise.all([
        redis.hmget(keys.destination(id), 'ef', 'eu', 'win'),
        countResends(redis, keys, id),
      ]);
      return Number(fresh ?? 0) + Number(unsubscribes ?? 0) + eventsInWindow(window) + resends;
    }),
  );
}

/** Events of new batches in flight. A resend in flight is counted with the resends. */
const eventsInWindow = (window: string | null | undefined): number =>
  readWindow(window)
    .filter(({ isDone, lane }) => !isDone && lane !== 'x')
    .reduce((sum, { events }) => sum + events, 0);

async function countResends(redis: Redis, keys: EngineKeys, destination: string): Promise<number> {
  const key = keys.resendsOf(destination);
  const [batches, some] = await Promise.all([redis.scard(key), redis.srandmember(key, RESENDS_LOOKED_AT)]);
  if (some.length === 0) return 0;
  const counts = await Promise.all(some.map((id) => redis.hget(keys.resend(id), 'events')));
  const events = counts.reduce((sum, count) => sum + Number(count ?? 0), 0);
  return Math.round((events * batches) / some.length);
}
