import type { LoggedFields } from '@mailhook/core';

/** The place of an event in the order of the log: by acceptance, then by name. */
export interface EntryPosition {
  readonly acceptedAtMs: number;
  /** Id of the chunk that carried the event: letters, digits and dashes, a letter first. */
  readonly chunk: string;
  /** Number of the event in its chunk. */
  readonly n: number;
}

/** An accepted event, as the log keeps it. Events with one name (see `entryName`) are one event. */
export interface LoggedEvent extends EntryPosition, LoggedFields {
  /** The destinations that the event was spread to, which may be none. */
  readonly destinations: readonly string[];
}

export const OUTCOME_RESULTS = ['delivered', 'dead', 'discarded', 'waiting'] as const;
export type OutcomeResult = (typeof OUTCOME_RESULTS)[number];

/** What an attempt or a person made of the events of one batch at one destination, without the events. */
export interface OutcomeFacts {
  readonly destination: string;
  readonly result: OutcomeResult;
  readonly attempt: number;
  readonly atMs: number;
  readonly webhookId: string;
  /** Id of the replay that sent the batch, '' if none did. */
  readonly replay: string;
}

/** What became of the events of one batch at one destination. */
export interface LoggedOutcome extends OutcomeFacts {
  readonly account: string;
  /** 8 bytes per event (see `outcomeKey`). */
  readonly keys: Uint8Array;
}

/** `store`: the log was off, or could not be written. */
export const GAP_REASONS = ['store', 'redis'] as const;
export type GapReason = (typeof GAP_REASONS)[number];

/** A span in which events of an account were accepted and not kept. */
export interface LoggedGap {
  readonly account: string;
  readonly fromMs: number;
  readonly toMs: number;
  /** The number of events, 0 if unknown. */
  readonly events: number;
  readonly reason: GapReason;
}

/** What a segment is made of. */
export interface LogContent {
  readonly events: readonly LoggedEvent[];
  readonly outcomes: readonly LoggedOutcome[];
  readonly gaps: readonly LoggedGap[];
}

/** An event that the reader lists, with the newest outcome per destination. */
export interface LogItem {
  readonly event: LoggedEvent;
  /** Of the event's own destinations in their order, then of destinations that a replay sent it to. */
  readonly outcomes: readonly EventOutcome[];
}

/** The newest outcome of an event at a destination. Without a recorded outcome: `waiting`, without a time. */
export interface EventOutcome extends Omit<OutcomeFacts, 'atMs'> {
  readonly atMs?: number;
}

const NAME = /^(?<at>\d{1,15})-(?<chunk>[A-Za-z][A-Za-z0-9-]*)-(?<n>\d{1,9})$/;

/** The name of an entry: `<acceptedAtMs>-<chunk>-<n>`, the same however often its chunk runs. */
export const entryName = ({ acceptedAtMs, chunk, n }: EntryPosition): string => `${acceptedAtMs}-${chunk}-${n}`;

/** The position that a name stands for, or undefined if the text is no name. */
export function parseEntryName(name: string): EntryPosition | undefined {
  const { at, chunk, n } = NAME.exec(name)?.groups ?? {};
  return chunk === undefined ? undefined : { acceptedAtMs: Number(at), chunk, n: Number(n) };
}

/** Compares two entries in the order of the log, oldest first. 0 only for the same entry. */
export function compareEntries(a: EntryPosition, b: EntryPosition): number {
  if (a.acceptedAtMs !== b.acceptedAtMs) return a.acceptedAtMs - b.acceptedAtMs;
  if (a.chunk !== b.chunk) return a.chunk < b.chunk ? -1 : 1;
  return a.n - b.n;
}
