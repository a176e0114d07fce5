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

/** No valid event is longer as it is sent, so that nearly every request passes without being looked at. */
const EVENT_BYTES_MAX = 100_000;

/** As long as a derived hash. */
const anyHash = (): string => 'x'.repeat(43);

/** By how many times these events exceed the limit; 0: they do not. Nothing is built: an event is serialised once, however many get it. */
export function fanOutExcess(events: readonly RoutedEvent[], limit: FanOutLimit = FAN_OUT_MAX): number {
  let deliveries = 0;
  for (const { destinations } of events) deliveries += destinations.length;
  if (deliveries > limit.deliveries) return deliveries / limit.deliveries;
  if (deliveries * EVENT_BYTES_MAX <= limit.bytes) return 0;
  let bytes = 0;
  for (const { event, destinations } of events) {
    if (destinations.length > 0) bytes += destinations.length * Buffer.byteLength(fragmentOf(event, anyHash));
  }
  return bytes > limit.bytes ? bytes / limit.bytes : 0;
}

/** How many events in a row can be one job, so that none of these jobs is over the limit: all of them, a half, a quarter, ..., at least one. */
export function fittingCut(events: readonly RoutedEvent[], limit: FanOutLimit = FAN_OUT_MAX): number {
  let cut = events.length;
  while (cut > 1 && slices(events, cut).some((slice) => fanOutExcess(slice, limit) > 0)) cut = Math.ceil(cut / 2);
  return cut;
}

export const slices = <Item>(items: readonly Item[], cut: number): Item[][] =>
  Array.from({ length: Math.ceil(items.length / cut) }, (_, i) => items.slice(i * cut, (i + 1) * cut));
