import { z } from 'zod';
import { mechanismFields } from './delivery.ts';
import { sentenceField } from './sentence-field.ts';

/** The owner of the operations webhook in the engine. The character `*` is in no account's id. */
export const OPERATIONS_ACCOUNT = '*operations';
/** The operations webhook as a transactional destination. Subscriptions have ids of 16 characters. */
export const OPERATIONS_DESTINATION = 'operations';

/** The path of the customer's settings page, at `PUBLIC_URL`. */
export const SETTINGS_PAGE_PATH = '/settings/webhooks';

const REASON = "A sentence for the platform's staff. Its wording may change.";

const common = {
  id: z.string().describe('The same in every copy of the message, and equal to the header `webhook-id`.'),
  time: z.string().describe('When Mailhook noticed it, ISO 8601 in UTC.'),
  account: z.string(),
  reason: z.string().describe(REASON),
  portalPath: z.literal(SETTINGS_PAGE_PATH).describe('Path of the settings page, where the customer can act.'),
};

const destination = {
  destination: z.string().describe('Its id, or campaign, as in the API.'),
  ...mechanismFields,
  address: z.string().describe("The customer's URL."),
};

const count = z.int().min(0);

/** The body of a request to `OPERATIONS_WEBHOOK_URL`, with exactly these keys (docs/guides/operational-webhooks.md). */
export const operationsMessage = z.discriminatedUnion('type', [
  z.strictObject({
    ...common,
    ...destination,
    type: z.literal('destination.failing'),
    failingSince: z.string().describe('When Mailhook noticed that the destination was parked, ISO 8601 in UTC.'),
    failures: count.describe('Failed attempts in a row.'),
    waiting: count.describe('Undelivered events of the destination.'),
  }),
  z.strictObject({
    ...common,
    ...destination,
    type: z.literal('destination.recovered'),
    failingSince: z.string().describe('The same as in destination.failing.'),
    waiting: count.describe('Undelivered events of the destination, which are being sent.'),
  }),
  z.strictObject({
    ...common,
    ...destination,
    type: z.literal('destination.deactivated'),
    reason: sentenceField().describe(REASON),
  }),
  z.strictObject({
    ...common,
    destination: destination.destination.optional().describe('Present if all are of one destination.'),
    type: z.literal('dead_letters.added'),
    deadLetters: count.describe('Dead letters that were added from `from` to `to`.'),
    events: count.describe('Their events.'),
    from: z.string().describe('ISO 8601 in UTC.'),
    to: z.string().describe('ISO 8601 in UTC.'),
  }),
  z.strictObject({
    ...common,
    type: z.literal('account.limit_reached'),
    events: count.describe('Undelivered events of the account.'),
    eventsMax: count.describe('`WAITING_MAX_EVENTS`.'),
    bytes: count.describe('Bytes of its undelivered events and dead letters.'),
    bytesMax: count.describe('`WAITING_MAX_BYTES`.'),
  }),
]);
export type OperationsMessage = z.infer<typeof operationsMessage>;
