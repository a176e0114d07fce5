import type { RecentDeliveries } from '@mailhook/core';
import { lastHourOf } from '@mailhook/core';
import type { Redis } from '@mailhook/platform/redis';
import type { Installation } from '../mailbox/installation.ts';
import type { EngineKeys } from '../mailbox/keys.ts';
import { historyFields, HOUR_MS, UNROUTED_TYPES, unroutedId } from './history-keys.ts';
import type { UnroutedType } from './history-keys.ts';

/**
 * One hour of one destination. Attempts count by their status in the attempt log: `failed` includes those that were
 * given up.
 */
export interface HistoryHour {
  /** When the hour began, in Unix milliseconds. */
  readonly fromMs: number;
  /** Delivered events. */
  readonly events: number;
  /** Attempts that delivered all of their events. */
  readonly delivered: number;
  /** All other attempts. */
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

export const createDeliveryHistory = (installation: Installation): DeliveryHistory => ({
  async read(account, destinations, nowMs) {
    const hours = await readHistoryHours(installation, account, nowMs);
    return new Map(
      destinations.map((id) => [
        id,
        {
          hours: hours.map(({ fromMs, counts }) => {
            const fields = historyFields(id);
            const count = (field: string): number => Number(counts[field] ?? 0);
            return {
              fromMs,
              events: count(fields.events),
              delivered: count(fields.delivered),
              failed: count(fields.failed),
            };
          }),
        },
      ]),
    );
  },
});

/** The counts of one destination in about the last hour (see `lastHourOf`). */
export async function readLastHour(
  redis: Redis,
  keys: EngineKeys,
  account: string,
  destination: string,
  nowMs: number,
): Promise<RecentDeliveries> {
  const fields = historyFields(destination);
  const hour = Math.floor(nowMs / HOUR_MS);
  const countsOf = async (which: number): Promise<RecentDeliveries> => {
    const names = [fields.events, fields.unconfirmed, fields.delivered, fields.failed];
    const found = await redis.hmget(keys.history(account, which), ...names);
    const [confirmed = 0, unconfirmed = 0, delivered = 0, failed = 0] = found.map((count) => Number(count ?? 0));
    return { confirmed, unconfirmed, delivered, failed };
  };
  const [current, before] = await Promise.all([countsOf(hour), countsOf(hour - 1)]);
  return lastHourOf(current, before, (nowMs % HOUR_MS) / HOUR_MS);
}

/** The counts of all destinations of an account, hour by hour. */
export async function readHistoryHours(installation: Installation, account: string, nowMs: number) {
  const { redis } = installation;
  const keys = installation.keysOf(account, 'campaign');
  const current = Math.floor(nowMs / HOUR_MS);
  const hours = Array.from({ length: HOURS }, (_, i) => current - HOURS + 1 + i);
  const counts = await Promise.all(hours.map((hour) => redis.hgetall(keys.history(account, hour))));
  return hours.map((hour, i) => ({ fromMs: hour * HOUR_MS, counts: counts[i] ?? {} }));
}

/** Accepted events of the last 24 hours that no active destination took, by type. Only types that have some. */
export function unroutedIn(
  found: ReadonlyMap<string, DestinationHistory>,
  account: string,
): Partial<Record<UnroutedType, number>> {
  const counts = UNROUTED_TYPES.map((type) => {
    const hours = found.get(unroutedId(account, type))?.hours ?? [];
    return [type, hours.reduce((sum, { events }) => sum + events, 0)] as const;
  });
  return Object.fromEntries(counts.filter(([, events]) => events > 0));
}
