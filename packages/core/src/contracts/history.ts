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

/** The bars of a range, oldest first. */
export type DestinationHistory = readonly HistoryBar[];

export interface AccountHistory {
  /** The range that was asked for, by public id of the destination. */
  readonly byId: ReadonlyMap<string, DestinationHistory>;
  /** The same of all destinations together. */
  readonly total: DestinationHistory;
  /** Accepted events of the last 24 hours that no active destination took. Only types that have some. */
  readonly unrouted: Partial<Record<UnroutedType, number>>;
}
