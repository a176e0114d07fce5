import type { ProducerEvent, Route } from '@mailhook/core';

/** A valid event and its destinations, which may be none. */
export interface RoutedEvent {
  readonly event: ProducerEvent;
  readonly destinations: readonly Route[];
}
