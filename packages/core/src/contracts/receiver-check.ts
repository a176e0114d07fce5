import { z } from 'zod';
import { sentenceField } from './sentence-field.ts';
import { address } from './address.ts';
import { mechanism } from './delivery.ts';

/** Body of `POST /v3/webhook/doctor`: the address to check, saved or not, and the mechanism that it is meant for. */
export const receiverCheckInput = z.object({ address, kind: mechanism });

const checkOutcome = z
  .enum(['passed', 'failed', 'warning', 'skipped'])
  .describe('warning: deliveries work, but not as well, or not as safely, as they could. skipped: detail says why.');
export type CheckOutcome = z.infer<typeof checkOutcome>;

/** The result of one check. All texts are Mailhook's own: none contains a part of the receiver's reply. */
export const receiverCheck = z.object({
  id: z.string().describe('Stable; the texts may change.'),
  title: sentenceField(),
  outcome: checkOutcome,
  detail: sentenceField().describe('What was seen.'),
  why: sentenceField().describe('Why it matters.'),
  fix: sentenceField().optional().describe('What to do about it; only where it failed or is warned of.'),
  mend: sentenceField().optional().meta({ description: 'The same text as fix, which replaces it.', deprecated: true }),
});
export type ReceiverCheck = z.infer<typeof receiverCheck>;

/** The reply of `POST /v3/webhook/doctor`. */
export const receiverReport = z.object({
  address: z.string(),
  kind: mechanism,
  passed: z.int().describe('How many checks passed.'),
  failed: z.int().describe('How many checks failed.'),
  checks: z.array(receiverCheck),
});
export type ReceiverReport = z.infer<typeof receiverReport>;
