import { fragmentMessageId, notificationOutcome } from '@mailhook/core';
import type { FrozenBatch, ReceiverClient, OpenSender } from '@mailhook/delivery';
import { deliveryHeaders } from '@mailhook/delivery';

/** Splits a frozen notification at the first line break, into the `webhook-id` that intake created and the body. */
function parts({ content }: FrozenBatch): { webhookId: string; body: string } {
  const end = content.indexOf('\n');
  return { webhookId: content.slice(0, end), body: content.slice(end + 1) };
}

/** Sends notifications, one object per request. Any 2xx status means delivered (docs/protocol.md). */
export const notificationSender = (client: Pick<ReceiverClient, 'post'>): OpenSender => ({
  webhookId: (batch) => parts(batch).webhookId,
  async send(batch, { address }, { secrets, headers: custom }, webhookId, handle) {
    const { body } = parts(batch);
    const headers = deliveryHeaders({ webhookId, attempt: batch.attempt, secrets, custom }, body, Date.now());
    const exchange = await client.post({ address, body, headers, needsBody: false, handle });
    if (exchange.type === 'local-fault') return { localFault: exchange };
    const outcome = notificationOutcome(exchange);
    const { wasSent, isRepeated, received } = exchange;
    const request = { wasSent, isRepeated, headers, body, received };
    const eventKeys = [fragmentMessageId(body)];
    return { outcome, durationMs: exchange.durationMs, events: 1, fragments: body, eventKeys, request };
  },
});
