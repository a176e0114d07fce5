import { batchBody, batchOutcome, fragmentHashes } from '@mailhook/core';
import type { ReceiverClient, OpenSender } from '@mailhook/delivery';
import { deliveryHeaders } from '@mailhook/delivery';

/**
 * Sends campaign batches, one array of 1 to 1000 events per request. The receiver acknowledges each event separately
 * (docs/protocol.md).
 */
export const batchSender = (client: Pick<ReceiverClient, 'post'>): OpenSender => ({
  webhookId: ({ id }) => `msg_${id}`,
  async send(batch, { address }, { secrets, headers: custom }, webhookId, handle) {
    const body = batchBody(batch.content, batch.attempt);
    const headers = deliveryHeaders({ webhookId, attempt: batch.attempt, secrets, custom }, body, Date.now());
    const exchange = await client.post({ address, body, headers, needsBody: true, handle });
    if (exchange.type === 'local-fault') return { localFault: exchange };
    const hashes = fragmentHashes(batch.content);
    const { wasSent, isRepeated, received } = exchange;
    const request = { wasSent, isRepeated, headers, body, received };
    const outcome = batchOutcome(exchange, hashes);
    const { content: fragments, events } = batch;
    return { outcome, durationMs: exchange.durationMs, events, fragments, eventKeys: hashes, request };
  },
});
