import type {
  AccountHistory,
  DestinationHistory,
  HistoryBar,
  HistorySpan,
  RecentDeliveries,
  UnroutedType,
} from '@mailhook/core';
import {
  destinationIdOf,
  HISTORY_RANGES,
  publicIdOf,
  rangeSpan,
  recentOf,
  sumOfCounts,
  totalOfHistories,
  UNROUTED_TYPES,
} from '@mailhook/core';
import type { EngineKeys, Installation } from '@mailhook/delivery';
import { HOURS, MINUTES, readHistory, unroutedId } from '@mailhook/delivery';
import type { Redis } from '@mailhook/platform/redis';

export interface DeliveryHistory {
  /** By destination id. Default: the last 24 hours. */
  read(
    account: string,
    destinations: readonly string[],
    nowMs: number,
    span?: HistorySpan,
  ): Promise<ReadonlyMap<string, DestinationHistory>>;
  /** Of these destinations, by public id, and of events without one. */
  readonly readAccount: (
    account: string,
    which: { readonly destinations: readonly string[]; readonly span: HistorySpan },
    nowMs: number,
  ) => Promise<AccountHistory>;
}

export function createDeliveryHistory(installation: Installation): DeliveryHistory {
  const read: DeliveryHistory['read'] = async (account, destinations, nowMs, span) => {
    const { fromMs, barMs, bars } = span ?? rangeSpan('24h', nowMs);
    const series = barMs < HOURS.cellMs ? MINUTES : HOURS;
    // The current bar has fewer cells.
    const lastMs = Math.min(nowMs, fromMs + bars * barMs - 1);
    const cells = Math.floor((lastMs - fromMs) / series.cellMs) + 1;
    const keys = installation.keysOf(account, 'campaign');
    const found = await readHistory(installation.redis, keys, account, { series, cells, nowMs: lastMs }, destinations);
    const perBar = barMs / series.cellMs;
    return new Map([...found].map(([id, all]) => [id, barsOf(all, bars, perBar)]));
  };
  return {
    read,
    async readAccount(account, { destinations, span }, nowMs) {
      const shown = destinations.map((id) => destinationIdOf(account, id));
      const unrouted = UNROUTED_TYPES.map((type) => unroutedId(account, type));
      const [found, day] = await Promise.all([read(account, shown, nowMs, span), read(account, unrouted, nowMs)]);
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
