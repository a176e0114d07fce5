import { typesOf } from './event-types.ts';

/** What counts events that no active destination takes: the type of a transactional event, or `campaign`. */
export const UNROUTED_TYPES = [...typesOf('transactional_email'), 'campaign'] as const;
export type UnroutedType = (typeof UNROUTED_TYPES)[number];

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** The times that pictures show, as a number of bars of one length. The last bar is the current one. */
export const HISTORY_RANGES = {
  '1h': { barMs: 5 * MINUTE_MS, bars: 12 },
  '24h': { barMs: HOUR_MS, bars: 24 },
  '7d': { barMs: 6 * HOUR_MS, bars: 28 },
} as const;
export type HistoryRange = keyof typeof HISTORY_RANGES;

/** A time that pictures show: bars of one length, which begin at multiples of it. */
export interface HistorySpan {
  readonly fromMs: number;
  readonly barMs: number;
  readonly bars: number;
}

export function rangeSpan(range: HistoryRange, nowMs: number): HistorySpan {
  const { barMs, bars } = HISTORY_RANGES[range];
  return { fromMs: (Math.floor(nowMs / barMs) - bars + 1) * barMs, barMs, bars };
}

const DAY_MS = 24 * HOUR_MS;
const KEPT_MS = 7 * DAY_MS;
/** Cells of minutes are kept a little longer than an hour. */
const IN_MINUTES_MS = HOUR_MS + HISTORY_RANGES['1h'].barMs;
const IN_HOURS_MS = 2 * DAY_MS;

/** The bars with some part of a time, as far as they are kept. Without bars if nothing is. */
export function spanBetween(fromMs: number, toMs: number, nowMs: number): HistorySpan {
  const [firstMs, endMs] = [Math.max(fromMs, nowMs - KEPT_MS), Math.min(Math.max(toMs, fromMs + 1), nowMs)];
  const isRecent = endMs - firstMs <= HOUR_MS && firstMs >= nowMs - IN_MINUTES_MS;
  const range = isRecent ? '1h' : endMs - firstMs <= IN_HOURS_MS ? '24h' : '7d';
  const { barMs } = HISTORY_RANGES[range];
  const first = Math.floor(firstMs / barMs);
  return { fromMs: first * barMs, barMs, bars: Math.max(0, Math.ceil(endMs / barMs) - first) };
}

/** What is counted of a destination's attempts in some time. */
export interface DeliveryCounts {
  /** Delivered events. */
  readonly events: number;
  /** Events that the receiver left out of its acknowledgements. */
  readonly unconfirmed: number;
  /** Attempts that delivered all of their events. */
  readonly delivered: number;
  /** All other attempts, those that were given up included. */
  readonly failed: number;
  /** Attempts by the time to the reply or to the deadline, at the index that `replyBucketOf` gives. */
  readonly replies: readonly number[];
  /** Attempts without a reply within the deadline. `replies` has them too. */
  readonly timeouts: number;
}

/** The counts of one destination in some minutes or hours. */
export interface HistoryBar extends DeliveryCounts {
  /** When it began, in Unix milliseconds. */
  readonly fromMs: number;
}

/** The bars of a time, oldest first. */
export type DestinationHistory = readonly HistoryBar[];

export interface AccountHistory {
  /** The time that was asked for, by public id of the destination. */
  readonly byId: ReadonlyMap<string, DestinationHistory>;
  /** The same of all destinations together. */
  readonly total: DestinationHistory;
  /** Accepted events of the last 24 hours that no active destination took. Only types that have some. */
  readonly unrouted: Partial<Record<UnroutedType, number>>;
}
