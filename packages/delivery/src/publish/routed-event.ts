import type { ProducerEvent } from '@mailhook/core';

/** A valid event and the ids of its destinations, which may be none. */
export interface RoutedEvent {
  readonly event: ProducerEvent;
  readonly destinations: readonly string[];
}
