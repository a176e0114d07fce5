import type { TraceContext } from '@mailhook/core';
import type { NewLane } from './layout.ts';
import { afterMark, eventsIn, FRAGMENT_SEPARATOR, isNotification, markedContext, traceMark } from '@mailhook/core';

/**
 * An entry of a mailbox list is one text: the time of acceptance (8 base-36 digits), the number of events (4 digits),
 * the trace mark if its events have a trace context, and the events' fragments. A chunk stores its entries without the
 * time, because all of them have the same.
 */
const TIME_CHARS = 8;
const COUNT_CHARS = 4;
const HEAD_CHARS = TIME_CHARS + COUNT_CHARS;

/** Also the time of a resend, in its field `at`. */
export const timeText = (acceptedAtMs: number): string => acceptedAtMs.toString(36).padStart(TIME_CHARS, '0');

/**
 * The time of acceptance at the start of an entry, or of a resend's `at`, in Unix milliseconds. NaN for an empty text.
 */
export const acceptedAtMs = (entry: string): number => parseInt(entry.slice(0, TIME_CHARS), 36);

export const eventsOf = (entry: string): number => Number(entry.slice(TIME_CHARS, HEAD_CHARS));

/** The fragments of an entry, one per line. */
export const fragmentsOf = (entry: string): string => entry.slice(afterMark(entry, HEAD_CHARS));

export const traceOf = (entry: string): TraceContext | undefined => markedContext(entry, HEAD_CHARS);

const countText = (events: number): string => String(events).padStart(COUNT_CHARS, '0');

/** An entry as a chunk stores it, without the time. */
export const chunkEntry = (fragments: readonly string[], trace: TraceContext | undefined): string =>
  countText(fragments.length) + traceMark(trace) + fragments.join(FRAGMENT_SEPARATOR);

/** Whether a chunk's entry holds a notification of version 1, after its `webhook-id`. */
export const isNotificationEntry = (entry: string): boolean =>
  isNotification(entry.slice(afterMark(entry, COUNT_CHARS)));

/** The number of events of a chunk's entry, and its bytes in a mailbox. */
export const sizeOfChunkEntry = (entry: string): { readonly events: number; readonly bytes: number } => ({
  events: Number(entry.slice(0, COUNT_CHARS)),
  bytes: entry.length + TIME_CHARS,
});

/**
 * A chunk's entry with the events that `keep` selects by their position in the entry, or undefined if none remains.
 */
export function filterChunkEntry(
  entry: string,
  keep: (position: number, fragment: string) => boolean,
): string | undefined {
  const start = afterMark(entry, COUNT_CHARS);
  const text = entry.slice(start);
  const events = eventsIn(text);
  const left = events.filter((fragment, position) => keep(position, fragment));
  return left.length === 0
    ? undefined
    : countText(left.length) + entry.slice(COUNT_CHARS, start) + left.join(FRAGMENT_SEPARATOR);
}

/** An entry of a mailbox with the events that `keep` selects by their fragment, or '' if none remains. */
export function filterEntry(entry: string, keep: (fragment: string) => boolean): string {
  const rest = filterChunkEntry(entry.slice(TIME_CHARS), (_, fragment) => keep(fragment));
  return rest === undefined ? '' : entry.slice(0, TIME_CHARS) + rest;
}

/** One group of an append: its entries have their time and count. */
export interface AppendGroup {
  readonly destination: string;
  readonly account: string;
  readonly lane: NewLane;
  /** Whether its events leave one by one, by what the destination was at intake. Default: no. */
  readonly isSingle?: boolean;
  readonly events: number;
  readonly entries: readonly string[];
}
