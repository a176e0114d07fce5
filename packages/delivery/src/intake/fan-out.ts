import type { RoutedEvent } from '../ports.ts';
import { fragmentOf } from './chunk-builder.ts';

/** How large one job may grow, every event counted once for each of its destinations. */
export interface FanOutLimit {
  readonly deliveries: number;
  readonly bytes: number;
}

/**
 * Beyond this a job would block its process for long (about 2 µs a delivery), and somewhat later be longer than a text can be. It lets 10,000
 * events through to an account that has all the subscriptions it may have.
 */
export const FAN_OUT_MAX: FanOutLimit = { deliveries: 200_000, bytes: 64 * 1024 * 1024 };

/** Names of fields, numbers, and texts of few characters, as they are sent. */
const REST_BYTES_MAX = 1000;
/** A character of a text is so many bytes at most: `\u0001` of JSON. */
const CHAR_BYTES_MAX = 6;

/** As long as a derived hash. */
const anyHash = (): string => 'x'.repeat(43);

/** By how many times these events exceed the limit; 0: they do not. Nothing is built: an event is serialised once, however many get it. */
export function fanOutExcess(events: readonly RoutedEvent[], limit: FanOutLimit = FAN_OUT_MAX): number {
  let deliveries = 0;
  for (const { destinations } of events) deliveries += destinations.length;
  if (deliveries > limit.deliveries) return deliveries / limit.deliveries;
  // Nearly every request passes here: serialising would cost as much as all the rest of its way.
  if (mostBytes(events) <= limit.bytes) return 0;
  let bytes = 0;
  for (const { event, destinations } of events) {
    if (destinations.length > 0) bytes += destinations.length * Buffer.byteLength(fragmentOf(event, anyHash));
  }
  return bytes > limit.bytes ? bytes / limit.bytes : 0;
}

/** What they cannot exceed, by the lengths of their longer texts. */
function mostBytes(events: readonly RoutedEvent[]): number {
  let most = 0;
  for (const { event, destinations } of events) {
    let chars = event.module === 'campaign' ? event.email.length : event.messageId.length;
    if ('url' in event) chars += event.url.length;
    if ('userAgent' in event) chars += event.userAgent.length;
    if ('reason' in event) chars += event.reason.length;
    most += destinations.length * (REST_BYTES_MAX + CHAR_BYTES_MAX * chars);
  }
  return most;
}

/** How many events in a row can be one job, so that none of these jobs is over the limit: all of them, a half, a quarter, ..., at least one. */
export function fittingCut(events: readonly RoutedEvent[], limit: FanOutLimit = FAN_OUT_MAX): number {
  let cut = events.length;
  while (cut > 1 && slices(events, cut).some((slice) => fanOutExcess(slice, limit) > 0)) cut = Math.ceil(cut / 2);
  return cut;
}

export const slices = <Item>(items: readonly Item[], cut: number): Item[][] =>
  Array.from({ length: Math.ceil(items.length / cut) }, (_, i) => items.slice(i * cut, (i + 1) * cut));
