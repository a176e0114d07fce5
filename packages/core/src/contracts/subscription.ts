import { z } from 'zod';
import { address } from './address.ts';

/** Event types a subscription can be made for (spec, "Subscription"). */
export const subscriptionType = z.enum(['open', 'click', 'bounce']).describe('The event that is sent.');
export type SubscriptionType = z.infer<typeof subscriptionType>;

/**
 * Subscriptions of one type that an account may have, inactive ones included: each event of the type is written once for every one of them,
 * so that this bounds what one request can grow to. Accounts that have more, from before there was a limit, keep them.
 */
export const SUBSCRIPTIONS_PER_TYPE_MAX = 20;

export const transactionalModule = z.literal('transactional_email');

const switchedOn = [true, 1, '1', 'true'] as const;
const switchedOff = [false, 0, '0', 'false'] as const;

/** `active` as clients send it: true/false, 1/0 and their strings (the spec shows `0`). */
export const activeFlag = z
  .literal(
    [...switchedOn, ...switchedOff],
    'must be true or false (1, 0 and the strings "true", "false", "1", "0" are taken too)',
  )
  .transform((value) => (switchedOn as readonly unknown[]).includes(value))
  .describe('Whether deliveries are sent. 1, 0 and the strings "true", "false", "1", "0" are taken too.');

/** Body of endpoint 1 (create) and endpoint 6 (notification test): all three fields are required. */
export const subscriptionInput = z.object({ address, type: subscriptionType, module: transactionalModule });
export type SubscriptionInput = z.infer<typeof subscriptionInput>;

/** Body of endpoint 4 (edit): `module` is required, the rest changes only when present. */
export const subscriptionEdit = z.object({
  module: transactionalModule,
  address: address.optional(),
  active: activeFlag.optional(),
  type: subscriptionType.optional(),
});
export type SubscriptionEdit = z.infer<typeof subscriptionEdit>;

/** A subscription as the API answers it: exactly these five keys. `id` is a 16-character URL-safe string. */
export const subscription = z.object({
  id: z.string().describe('16 URL-safe characters.'),
  address: z.string().describe('Where notifications are sent.'),
  active: z.boolean().describe('False: nothing is sent. A receiver that answers 410 makes it false.'),
  type: subscriptionType,
  module: transactionalModule,
});
export type Subscription = z.infer<typeof subscription>;
