import type { RoutedEvent } from './routed-event.ts';
import { fragmentOf } from './chunk.ts';

/** Largest request. Each event counts once per destination. */
export interface FanOutLimit {
  readonly deliveries: number;
  readonly bytes: number;
}

/**
 * Limits the copies of one request's events in mailboxes, one per destination. 10,000 events of usual size fit even
 * with the most subscriptions that an account may have.
 */
const FAN_OUT_MAX: FanOutLimit = { deliveries: 200_000, bytes: 64 * 1024 * 1024 };

/** The size of a request's events, estimated from their long fields without serializing them. */
export interface EventsSize {
  readonly deliveries: number;
  /** Characters of the long fields. Each event counts once. */
  readonly longTextChars: number;
  /** The same, but each event counts once for each of its destinations. */
  readonly deliveredLongTextChars: number;
  /** Characters of each account's deliveries, about. */
  readonly charsByAccount: ReadonlyMap<string, number>;
}

export function sizeOf(events: readonly RoutedEvent[]): EventsSize {
  let deliveries = 0;
  let longTextChars = 0;
  let deliveredLongTextChars = 0;
  const charsByAccount = new Map<string, number>();
  for (const { event, destinations } of events) {
    let chars = (event.email?.length ?? 0) + (event.messageId?.length ?? 0);
    if ('url' in event) chars += event.url.length;
    if ('userAgent' in event) chars += event.userAgent?.length ?? 0;
    if ('reason' in event) chars += event.reason?.length ?? 0;
    deliveries += destinations.length;
    longTextChars += chars;
    deliveredLongTextChars += destinations.length * chars;
    const delivered = roughChars(destinations.length, destinations.length * chars);
    charsByAccount.set(event.account, (charsByAccount.get(event.account) ?? 0) + delivered);
  }
  return { deliveries, longTextChars, deliveredLongTextChars, charsByAccount };
}

/** Size of the other fields of a serialized event: usually, and at most. */
const USUAL_REST_CHARS = 200;
const REST_BYTES_MAX = 1000;
/** JSON writes a character as at most 6 bytes (`\u0001`). */
const CHAR_BYTES_MAX = 6;

/** Estimated characters of `count` copies of events, with the total length of their long fields. */
export const roughChars = (count: number, longTextChars: number): number => count * USUAL_REST_CHARS + longTextChars;

/** As long as a derived hash. */
const anyHash = (): string => 'x'.repeat(43);

/** The factor by which these events exceed the limit, or 0. Serializes each event at most once. */
export function fanOutExcess(
  events: readonly RoutedEvent[],
  limit: FanOutLimit = FAN_OUT_MAX,
  { deliveries, deliveredLongTextChars } = sizeOf(events),
): number {
  if (deliveries > limit.deliveries) return deliveries / limit.deliveries;
  // Nearly every request ends here. Serializing its events would cost as much as the rest of the intake.
  if (deliveries * REST_BYTES_MAX + deliveredLongTextChars * CHAR_BYTES_MAX <= limit.bytes) return 0;
  let bytes = 0;
  for (const { event, destinations } of events) {
    for (const { version } of destinations) bytes += Buffer.byteLength(fragmentOf(event, version, anyHash));
  }
  return bytes > limit.bytes ? bytes / limit.bytes : 0;
}

/**
 * The number of consecutive events per job so that no job exceeds the limit: all, a half, a quarter, ..., at least one.
 */
export function fittingCut(events: readonly RoutedEvent[], limit: FanOutLimit = FAN_OUT_MAX): number {
  let cut = events.length;
  while (cut > 1 && slices(events, cut).some((slice) => fanOutExcess(slice, limit) > 0)) cut = Math.ceil(cut / 2);
  return cut;
}

export const slices = <Item>(items: readonly Item[], cut: number): Item[][] =>
  Array.from({ length: Math.ceil(items.length / cut) }, (_, i) => items.slice(i * cut, (i + 1) * cut));
