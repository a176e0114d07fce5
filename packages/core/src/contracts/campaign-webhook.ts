import { z } from 'zod';
import { address } from './address.ts';
import { activeFlag } from './subscription.ts';

/** Body of `PUT /v3/webhook/campaign`. `address: null` clears the setting; `active` defaults to true. */
export const campaignWebhookInput = z.object({
  address: address.nullable().describe('null clears the setting.'),
  active: activeFlag.default(true),
});

/** The account's campaign webhook as the API returns it. `inactiveReason` says why Mailhook itself switched it off (a 410). */
export const campaignWebhook = z.object({
  address: z.string().nullable().describe('null: not set.'),
  active: z.boolean(),
  inactiveReason: z.string().optional().describe('Why Mailhook itself switched it off: the receiver answered 410.'),
});
export type CampaignWebhook = z.infer<typeof campaignWebhook>;

/** Body of `POST /v3/webhook/campaign/test`. Without an address, Mailhook tests the saved one. */
export const campaignTestInput = z.object({ address: address.optional().describe('Absent: the saved address.') });

/** The reply of both tests. `message` is the reason, in a sentence that a customer understands. */
export const testResult = z.union([
  z.object({ success: z.literal(true) }),
  z.object({ success: z.literal(false), message: z.string().describe('The reason, in a sentence.') }),
]);
export type TestResult = z.infer<typeof testResult>;

/** A receiver's reply to the connection test (docs/protocol.md). Other keys are allowed. */
export const connectionTestReply = z.object({ status: z.literal('ok') });
