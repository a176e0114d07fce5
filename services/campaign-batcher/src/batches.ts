import { batchBody, batchOutcome, fragmentHashes } from '@mailhook/core';
import type { DeliveryRequests } from '@mailhook/delivery';

/**
 * Campaign batches, one array of 1 to 1000 events per request. The receiver acknowledges each event separately
 * (docs/protocol.md).
 */
export const batches: DeliveryRequests = {
  webhookId: ({ id }) => `msg_${id}`,
  requestOf({ content, attempt }) {
    const hashes = fragmentHashes(content);
    return {
      body: batchBody(content, attempt),
      fragments: content,
      needsBody: true,
      eventKeys: hashes,
      outcomeOf: (exchange) => batchOutcome(exchange, hashes),
    };
  },
};
