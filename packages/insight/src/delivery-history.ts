import type { AccountHistory, DestinationHistory, RecentDeliveries, UnroutedType } from '@mailhook/core';
import { campaignDestinationId, lastHourOf, UNROUTED_TYPES } from '@mailhook/core';
import type { Redis } from '@mailhook/platform/redis';
import type { EngineKeys, Installation } from '@mailhook/delivery';
import { historyFields, HOUR_MS } from '@mailhook/delivery/mailbox';
import { unroutedId } from '@mailhook/delivery';

export interface DeliveryHistory {
  /** By destination id. */
  read(
    account: string,
    destinations: readonly string[],
    nowMs: number,
  ): Promise<ReadonlyMap<string, DestinationHistory>>;
  /** Of the campaign webhook, these subscriptions, and events without a destination. */
  readonly readAccount: (account: string, subscriptions: readonly string[], nowMs: number) => Promise<AccountHistory>;
}

const HOURS = 24;

export function createDeliveryHistory(installation: Installation): DeliveryHistory {
  const read: DeliveryHistory['read'] = async (account, destinations, nowMs) => {
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
  };
  return {
    read,
    async readAccount(account, subscriptions, nowMs) {
      const campaign = campaignDestinationId(account);
      const unrouted = UNROUTED_TYPES.map((type) => unroutedId(account, type));
      const found = await read(account, [campaign, ...subscriptions, ...unrouted], nowMs);
      const byId = new Map(
        [campaign, ...subscriptions].map((id) => [id === campaign ? 'campaign' : id, found.get(id)]),
      );
      return {
        byId: byId as ReadonlyMap<string, DestinationHistory>,
        unrouted: unroutedIn(found, account),
      };
    },
  };
}

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
