import { z } from 'zod';
import { NOTIFICATION_FIELDS } from './event-types.ts';
import { sentEvents } from './sent-event.ts';
import { transactionalModule } from './subscription.ts';

/** The version of the structure of notifications, sent in each of them. */
export const NOTIFICATION_VERSION = 1;

const common = {
  module: transactionalModule,
  messageId: z.string().describe('The message that the event concerns.'),
  time: z.int().describe('When it happened, in Unix seconds.'),
  version: z.literal(NOTIFICATION_VERSION).describe('Version of this structure.'),
};

/**
 * The body of a transactional notification, with exactly these keys (docs/protocol.md). `notificationFragment` in
 * `domain/fragment` writes it.
 */
export const notification = sentEvents(NOTIFICATION_FIELDS, 'name', common);
export type Notification = z.infer<typeof notification>;
