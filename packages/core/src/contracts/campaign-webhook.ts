import { z } from 'zod';
import { sentenceField } from './sentence-field.ts';
import { ENDING_STATUSES } from '../domain/status-rules.ts';
import { address } from './address.ts';
import { attemptReply } from './delivery.ts';
import { activeFlag } from './subscription.ts';

/** Body of `PUT /v3/webhook/campaign`. `address: null` clears the setting; `active` defaults to true. */
export const campaignWebhookInput = z.object({
  address: address.nullable().describe('null clears the setting.'),
  active: activeFlag.default(true),
});

/**
 * The account's campaign webhook as the API returns it. `inactiveReason` says why Mailhook itself switched it off (a
 * 410).
 */
export const campaignWebhook = z.object({
  address: z.string().nullable().describe('null: not set.'),
  active: z.boolean(),
  inactiveReason: sentenceField()
    .optional()
    .describe(`Why Mailhook itself switched it off: the receiver answered ${ENDING_STATUSES}.`),
});
export type CampaignWebhook = z.infer<typeof campaignWebhook>;

/** Body of `POST /v3/webhook/campaign/test`. Without an address, Mailhook tests the saved one. */
export const campaignTestInput = z.object({
  address: address.optional().describe('Absent: the saved address.'),
  send: z
    .enum(['connection', 'batch'])
    .optional()
    .describe(
      'connection (the default): the connection test. batch: one sample event of each type, signed like a real batch.',
    ),
});

/** Query of both tests. */
export const testQuery = z.object({
  details: z.enum(['true', 'false']).optional().describe('true: the answer shows the request and the reply.'),
});

/** A test's request and the start of its reply, as the answer shows them with `?details=true`. */
const testTraffic = z.object({
  request: z
    .object({
      headers: z.record(z.string(), z.string()).describe('Its headers as sent, the signatures included.'),
      body: z.string(),
    })
    .optional()
    .describe('Absent: nothing was sent.'),
  reply: attemptReply.optional().describe('Absent: none came, or the installation keeps nothing of replies.'),
});
export type TestTraffic = z.infer<typeof testTraffic>;

/**
 * The reply of both tests. `message` is the reason, in a sentence that a customer understands. The failure is the first
 * member of the union: OpenAPI generators cannot tell `success: true` from `false`, so they pick it by `message`.
 */
export const testResult = z.union([
  testTraffic.extend({
    success: z.literal(false).describe('Always false.'),
    message: sentenceField().describe('The reason, in a sentence.'),
    detail: sentenceField()
      .optional()
      .describe('What is wrong with a reply in an invalid format, in a sentence. Only with `details=true`.'),
  }),
  testTraffic.extend({
    success: z.literal(true).describe('Always true.'),
    warning: sentenceField()
      .optional()
      .describe(
        'Why deliveries may fail all the same, in a sentence: a web page answered, or a batch needs another ' +
          'status. Of the connection test only with `details=true`.',
      ),
  }),
]);
export type TestResult = z.infer<typeof testResult>;

/** The body of the connection test (docs/protocol.md). */
export const connectionTest = z.strictObject({ test: z.string() });
/** A receiver's reply to the connection test (docs/protocol.md). Other keys are allowed. */
export const connectionTestReply = z.object({ status: z.literal('ok') });
