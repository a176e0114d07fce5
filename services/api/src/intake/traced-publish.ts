import type { TraceContext } from '@mailhook/core';
import { isSampled } from '@mailhook/core';
import type { Publisher, RoutedEvent } from '@mailhook/delivery';
import { inSpan } from '@mailhook/platform/tracing';
import type { Tracing } from '@mailhook/platform/tracing';

interface TracedPublishDeps {
  readonly publisher: Pick<Publisher, 'publish'>;
  readonly tracing?: Tracing | undefined;
}

interface PublishOrder {
  readonly events: readonly RoutedEvent[];
  readonly chunkId?: string | undefined;
  /** The span of the request or job that the events came with. */
  readonly parent: TraceContext | undefined;
}

/**
 * Publishes events inside a span. If the trace is sampled, the span's context travels with the events, so this one
 * decision determines which attempts have spans. Resolves and rejects like `Publisher.publish`.
 */
export const publishTraced = (
  { publisher, tracing }: TracedPublishDeps,
  { events, chunkId, parent }: PublishOrder,
): Promise<void> => {
  if (tracing === undefined) return publisher.publish(events, chunkId);
  return inSpan(
    tracing,
    'publish',
    { kind: 'producer', parent, attributes: { 'messaging.system': 'bullmq', 'mailhook.events': events.length } },
    (context) => publisher.publish(events, chunkId, isSampled(context) ? context : undefined),
  );
};
