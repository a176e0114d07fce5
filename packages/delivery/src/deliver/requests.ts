import {
  arrayBody,
  batchBody,
  batchOutcome,
  FRAGMENT_SEPARATOR,
  fragmentHashes,
  fragmentId,
  fragmentMessageId,
  isNotification,
  isVersion2,
  notificationOutcome,
  objectOf,
} from '@mailhook/core';
import type { Outcome, ReceiverExchange } from '@mailhook/core';
import type { FrozenBatch } from '../mailbox/replies.ts';

/** The request that carries a batch. */
export interface DeliveryRequest {
  readonly body: string;
  /** The events of the body. */
  readonly fragments: string;
  /** Whether the outcome depends on the reply's body. */
  readonly needsBody: boolean;
  /** What names each of the events in the attempt log. */
  readonly eventKeys: readonly string[];
  readonly outcomeOf: (exchange: ReceiverExchange) => Outcome;
}

/** The `webhook-id` of a batch that is sent for the first time. */
export const webhookIdOf = ({ id, content }: Pick<FrozenBatch, 'id' | 'content'>): string =>
  isNotification(content) ? content.slice(0, content.indexOf('\n')) : `msg_${id}`;

/**
 * Makes the request of a batch (docs/protocol.md). Events of version 1 leave as the specification says: a notification
 * alone, campaign events as a batch. Those of version 2 leave in the shape that the batch was frozen in.
 */
export function requestOf({
  content,
  attempt,
  shape,
}: Pick<FrozenBatch, 'content' | 'attempt' | 'shape'>): DeliveryRequest {
  if (isNotification(content)) {
    const body = content.slice(content.indexOf('\n') + 1);
    return whole(body, body, [fragmentMessageId(body)]);
  }
  if (!isVersion2(content)) return acknowledged(content, attempt);
  const ids = content.split(FRAGMENT_SEPARATOR).map(fragmentId);
  switch (shape) {
    case 'single':
      return whole(objectOf(content), content, ids);
    case 'array':
      return whole(arrayBody(content), content, ids);
    case 'batch':
      return acknowledged(content, attempt, ids);
  }
}

/** The status line decides about the whole request. */
const whole = (body: string, fragments: string, eventKeys: readonly string[]): DeliveryRequest => ({
  body,
  fragments,
  needsBody: false,
  eventKeys,
  outcomeOf: notificationOutcome,
});

/** The reply acknowledges each event by its hash. Without `ids`, the hashes name the events. */
function acknowledged(content: string, attempt: number, ids?: readonly string[]): DeliveryRequest {
  const hashes = fragmentHashes(content);
  return {
    body: batchBody(content, attempt),
    fragments: content,
    needsBody: true,
    eventKeys: ids ?? hashes,
    outcomeOf: (exchange) => batchOutcome(exchange, hashes),
  };
}
