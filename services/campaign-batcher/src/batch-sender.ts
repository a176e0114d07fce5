import { batchBody, batchOutcome, fragmentHashes, partToSend } from '@mailhook/core';
import type { ReceiverClient, Sender } from '@mailhook/delivery';
import { deliveryHeaders } from '@mailhook/delivery';

/** Mechanism B: one array of 1 to 1000 events a request (spec, "Delivery rules" 1 and 2), acknowledged event by event. */
export const batchSender = (client: Pick<ReceiverClient, 'post'>): Sender => ({
  webhookId: ({ id }) => `msg_${id}`,
  async send(batch, { address, secrets }, webhookId) {
    const part = partToSend({ fragments: batch.content, events: batch.events, split: batch.split });
    const body = batchBody(part.fragments, batch.attempt);
    const headers = deliveryHeaders({ webhookId, attempt: batch.attempt, secrets }, body, Date.now());
    const exchange = await client.post({ address, body, headers, needsBody: true });
    if (exchange.type === 'local-fault') return { localFault: exchange };
    const hashes = fragmentHashes(part.fragments);
    const outcome = batchOutcome(exchange, hashes);
    return { outcome, durationMs: exchange.durationMs, events: part.events, eventKeys: hashes };
  },
});
