import { z } from 'zod';
import { address } from './address.ts';
import { mechanism } from './delivery.ts';

/** Body of `POST /v3/webhook/doctor`: an address that is saved, or about to be, and what is to be delivered there. */
export const receiverCheckInput = z.object({ address, kind: mechanism });
export type ReceiverCheckInput = z.infer<typeof receiverCheckInput>;

export const checkOutcome = z
  .enum(['passed', 'failed', 'warning', 'skipped'])
  .describe('warning: deliveries work, but not as well, or not as safely, as they could. skipped: detail says why.');
export type CheckOutcome = z.infer<typeof checkOutcome>;

/** One thing that was looked at. Every text is ours: none holds a part of the receiver's reply. */
export const receiverCheck = z.object({
  id: z.string().describe('Stable; the texts may change.'),
  title: z.string(),
  outcome: checkOutcome,
  detail: z.string().describe('What was seen.'),
  why: z.string().describe('Why it matters.'),
  mend: z.string().optional().describe('What to do about it; only where it failed or is warned of.'),
});
export type ReceiverCheck = z.infer<typeof receiverCheck>;

/** Answer of `POST /v3/webhook/doctor`. */
export const receiverReport = z.object({
  address: z.string(),
  kind: mechanism,
  passed: z.int().describe('How many checks passed.'),
  failed: z.int().describe('How many checks failed.'),
  checks: z.array(receiverCheck),
});
export type ReceiverReport = z.infer<typeof receiverReport>;
