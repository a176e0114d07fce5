import { z } from 'zod';
import { ENDING_STATUSES } from '../domain/status-rules.ts';
import { address } from './address.ts';
import { NOTIFICATION_FIELDS } from './event-types.ts';
import { namesOf } from './tables.ts';

const TYPES = namesOf(NOTIFICATION_FIELDS);
const WRONG_TYPE = `must be one of ${TYPES.join(', ')}: /v3/webhook/destinations has the other types`;

/** The event types that a subscription can have. */
export const subscriptionType = z
  .enum(TYPES, { error: ({ input }) => (input === undefined ? undefined : WRONG_TYPE) })
  .describe('The event that is sent. `/v3/webhook/destinations` has the other types.');
export type SubscriptionType = z.infer<typeof subscriptionType>;

/**
 * Most destinations of one type per account and module, inactive ones included (docs/decisions/0002). Each event goes
 * to every active destination of its type, so the limit bounds the work that one request can cause.
 */
export const DESTINATIONS_PER_TYPE_MAX = 20;

export const transactionalModule = z.literal('transactional_email');

const switchedOn = [true, 1, '1', 'true'] as const;
const switchedOff = [false, 0, '0', 'false'] as const;

/** `active` as clients send it: true, false, 1, 0, or one of these as a string. */
export const activeFlag = z
  .literal(
    [...switchedOn, ...switchedOff],
    'must be true or false (1, 0 and the strings "true", "false", "1", "0" are taken too)',
  )
  .transform((value) => (switchedOn as readonly unknown[]).includes(value))
  .describe('Whether deliveries are sent. 1, 0 and the strings "true", "false", "1", "0" are taken too.');

/** Body of `POST /v3/webhook/subscriptions` and `POST /v3/webhook/notificationTest/`. All three fields are required. */
export const subscriptionInput = z.object({ address, type: subscriptionType, module: transactionalModule });

/** Body of `PUT /v3/webhook/subscriptions/{id}`. `module` is required. The other fields change only if present. */
export const subscriptionEdit = z.object({
  module: transactionalModule,
  address: address.optional(),
  active: activeFlag.optional(),
  type: subscriptionType.optional(),
});

/** A subscription as the API returns it, with exactly these five keys. */
export const subscription = z.object({
  id: z.string().describe('16 URL-safe characters.'),
  address: z.string().describe('Where notifications are sent.'),
  active: z.boolean().describe(`False: nothing is sent. A receiver that answers ${ENDING_STATUSES} makes it false.`),
  type: subscriptionType,
  module: transactionalModule,
});
export type Subscription = z.infer<typeof subscription>;
