import {
  batchOutcome,
  FRAGMENT_SEPARATOR,
  fragmentHashes,
  fragmentId,
  fragmentMessageId,
  isNotification,
  isVersion2,
  notificationOutcome,
  requestBody,
} from '@mailhook/core';
import type { Outcome, ReceiverExchange } from '@mailhook/core';
import type { FrozenBatch } from '../mailbox/replies.ts';

/** The request that carries a batch. */
export interface DeliveryRequest {
  readonly body: string;
  /** Whether the outcome depends on the reply's body. */
  readonly needsBody: boolean;
  /** What names each of the events in the attempt log. */
  readonly eventKeys: readonly string[];
  readonly outcomeOf: (exchange: ReceiverExchange) => Outcome;
}

/** The `webhook-id` of a batch that is sent for the first time. */
export const webhookIdOf = ({ id, fragments }: Pick<FrozenBatch, 'id' | 'fragments'>): string =>
  isNotification(fragments) ? fragments.slice(0, fragments.indexOf('\n')) : `msg_${id}`;

/** Makes the request of a batch (docs/protocol.md). */
export function requestOf({
  fragments,
  attempt,
  shape,
}: Pick<FrozenBatch, 'fragments' | 'attempt' | 'shape'>): DeliveryRequest {
  const body = requestBody(fragments, attempt, shape);
  const ids = isVersion2(fragments) ? fragments.split(FRAGMENT_SEPARATOR).map(fragmentId) : undefined;
  if (shape !== 'batch') {
    // The status line decides about the whole request.
    const eventKeys = ids ?? [fragmentMessageId(fragments)];
    return { body, needsBody: false, eventKeys, outcomeOf: notificationOutcome };
  }
  // The reply acknowledges each event by its hash.
  const hashes = fragmentHashes(fragments);
  const outcomeOf = (exchange: ReceiverExchange): Outcome => batchOutcome(exchange, hashes);
  return { body, needsBody: true, eventKeys: ids ?? hashes, outcomeOf };
}
