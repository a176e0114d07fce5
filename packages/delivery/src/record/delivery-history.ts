import type { Redis } from '@mailhook/platform/redis';
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
}

/** Reads the history of some destinations of one account, by destination id. */
export interface DeliveryHistory {
  read(
    account: string,
    destinations: readonly string[],
    nowMs: number,
  ): Promise<ReadonlyMap<string, DestinationHistory>>;
}

const HOURS = 24;

export const createDeliveryHistory = (options: DeliveryHistoryOptions): DeliveryHistory => ({
  async read(account, destinations, nowMs) {
    const hours = await readHours(options, account, nowMs);
    return new Map(
      destinations.map((id) => [
        id,
        {
          hours: hours.map(({ fromMs, counts }) => ({
            fromMs,
            delivered: Number(counts[deliveredField(id)] ?? 0),
            failed: Number(counts[failedField(id)] ?? 0),
          })),
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
