import type {
  AccountHistory,
  DestinationHistory,
  HistoryBar,
  HistoryRange,
  RecentDeliveries,
  UnroutedType,
} from '@mailhook/core';
import {
  destinationIdOf,
  HISTORY_RANGES,
  publicIdOf,
  recentOf,
  sumOfCounts,
  totalOfHistories,
  UNROUTED_TYPES,
} from '@mailhook/core';
import type { EngineKeys, Installation } from '@mailhook/delivery';
import { HOURS, MINUTES, readHistory, unroutedId } from '@mailhook/delivery';
import type { Redis } from '@mailhook/platform/redis';

export interface DeliveryHistory {
  /** By destination id. */
  read(
    account: string,
    destinations: readonly string[],
    nowMs: number,
    range?: HistoryRange,
  ): Promise<ReadonlyMap<string, DestinationHistory>>;
  /** Of these destinations, by public id, and of events without one. */
  readonly readAccount: (
    account: string,
    which: { readonly destinations: readonly string[]; readonly range: HistoryRange },
    nowMs: number,
  ) => Promise<AccountHistory>;
}

export function createDeliveryHistory(installation: Installation): DeliveryHistory {
  const read: DeliveryHistory['read'] = async (account, destinations, nowMs, range = '24h') => {
    const { barMs, bars } = HISTORY_RANGES[range];
    const series = barMs < HOURS.cellMs ? MINUTES : HOURS;
    // Bars begin at multiples of their length, so the last one may have fewer cells.
    const firstMs = (Math.floor(nowMs / barMs) - bars + 1) * barMs;
    const cells = Math.floor((nowMs - firstMs) / series.cellMs) + 1;
    const keys = installation.keysOf(account, 'campaign');
    const found = await readHistory(installation.redis, keys, account, { series, cells, nowMs }, destinations);
    const perBar = barMs / series.cellMs;
    return new Map([...found].map(([id, all]) => [id, barsOf(all, bars, perBar)]));
  };
  return {
    read,
    async readAccount(account, { destinations, range }, nowMs) {
      const shown = destinations.map((id) => destinationIdOf(account, id));
      const unrouted = UNROUTED_TYPES.map((type) => unroutedId(account, type));
      const [day, found = day] = await Promise.all([
        read(account, [...shown, ...unrouted], nowMs),
        range === '24h' ? undefined : read(account, shown, nowMs, range),
      ]);
      return {
        byId: new Map(shown.map((id) => [publicIdOf(account, id), found.get(id) ?? []])),
        total: totalOfHistories(shown.map((id) => found.get(id) ?? [])),
        unrouted: unroutedIn(day, account),
      };
    },
  };
}

const barsOf = (cells: readonly HistoryBar[], bars: number, perBar: number): DestinationHistory =>
  perBar === 1
    ? cells
    : Array.from({ length: bars }, (_, i) => {
        const own = cells.slice(i * perBar, (i + 1) * perBar);
        return { fromMs: own[0]?.fromMs ?? 0, ...sumOfCounts(own) };
      });

/** What the state of a destination depends on besides its mailbox. */
export interface RecentHistory {
  readonly lastHour: RecentDeliveries;
  /** Whether something was sent in the last 7 days. */
  readonly isTried: boolean;
}

const DAYS_HOURS = 7 * 24;

/** By destination id. */
export async function readRecent(
  redis: Redis,
  keys: EngineKeys,
  account: string,
  destinations: readonly string[],
  nowMs: number,
): Promise<ReadonlyMap<string, RecentHistory>> {
  const ofLastHour = { series: MINUTES, cells: HISTORY_RANGES['1h'].bars, nowMs };
  const minutes = await readHistory(redis, keys, account, ofLastHour, destinations);
  const quiet = destinations.filter((id) => minutes.get(id)?.some(isTried) !== true);
  const hours = await readHistory(redis, keys, account, { series: HOURS, cells: DAYS_HOURS, nowMs }, quiet);
  return new Map(
    destinations.map((id) => [
      id,
      {
        lastHour: recentOf(sumOfCounts(minutes.get(id) ?? [])),
        isTried: hours.get(id)?.some(isTried) ?? true,
      },
    ]),
  );
}

const isTried = ({ delivered, failed }: HistoryBar): boolean => delivered + failed > 0;

/** Accepted events of the last 24 hours that no active destination took, by type. Only types that have some. */
export function unroutedIn(
  found: ReadonlyMap<string, DestinationHistory>,
  account: string,
): Partial<Record<UnroutedType, number>> {
  const counts = UNROUTED_TYPES.map((type) => {
    const bars = found.get(unroutedId(account, type)) ?? [];
    return [type, bars.reduce((sum, { events }) => sum + events, 0)] as const;
  });
  return Object.fromEntries(counts.filter(([, events]) => events > 0));
}
