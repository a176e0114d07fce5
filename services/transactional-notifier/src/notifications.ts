import { fragmentMessageId, notificationOutcome } from '@mailhook/core';
import type { DeliveryRequests } from '@mailhook/delivery';

/**
 * Notifications, one object per request. Any 2xx status means delivered (docs/protocol.md). A frozen notification is
 * the `webhook-id` that intake created, a line break, and the body.
 */
export const notifications: DeliveryRequests = {
  webhookId: ({ content }) => content.slice(0, content.indexOf('\n')),
  requestOf({ content }) {
    const body = content.slice(content.indexOf('\n') + 1);
    return {
      body,
      fragments: body,
      needsBody: false,
      eventKeys: [fragmentMessageId(body)],
      outcomeOf: notificationOutcome,
    };
  },
};
