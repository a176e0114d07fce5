import { fragmentMessageId, notificationOutcome } from '@mailhook/core';
import type { FrozenBatch, ReceiverClient, Sender } from '@mailhook/delivery';
import { deliveryHeaders } from '@mailhook/delivery';

/** A frozen notification: its `webhook-id`, made at intake, a line break, its body. */
function parts({ content }: FrozenBatch): { webhookId: string; body: string } {
  const end = content.indexOf('\n');
  return { webhookId: content.slice(0, end), body: content.slice(end + 1) };
}

/** Sends notifications: one object per request (spec, "Notification body, mechanism A"); any 2xx delivers. */
export const notificationSender = (client: Pick<ReceiverClient, 'post'>): Sender => ({
  webhookId: (batch) => parts(batch).webhookId,
  async send(batch, { address, secrets }, webhookId, handle) {
    const { body } = parts(batch);
    const headers = deliveryHeaders({ webhookId, attempt: batch.attempt, secrets }, body, Date.now());
    const exchange = await client.post({ address, body, headers, needsBody: false, handle });
    if (exchange.type === 'local-fault') return { localFault: exchange };
    const outcome = notificationOutcome(exchange);
    return { outcome, durationMs: exchange.durationMs, events: 1, eventKeys: [fragmentMessageId(body)] };
  },
});
