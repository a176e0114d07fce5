import { TRANSACTIONAL_TYPES } from './event-types.ts';
import { namesOf } from './tables.ts';

/** What counts events that no active destination takes: the type of a transactional event, or `campaign`. */
export const UNROUTED_TYPES = [...namesOf(TRANSACTIONAL_TYPES), 'campaign'] as const;
export type UnroutedType = (typeof UNROUTED_TYPES)[number];

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

/** The last 24 hours of an account. */
export interface AccountHistory {
  /** By destination id, or `campaign` for the campaign webhook. */
  readonly byId: ReadonlyMap<string, DestinationHistory>;
  /** Accepted events that no active destination took. Only types that have some. */
  readonly unrouted: Partial<Record<UnroutedType, number>>;
}
