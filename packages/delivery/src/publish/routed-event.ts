import type { Matched, ProducerEvent } from '@mailhook/core';

/** A valid event and its destinations, which may be none. */
export interface RoutedEvent extends Matched {
  readonly event: ProducerEvent;
}
