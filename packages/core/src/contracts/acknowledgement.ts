import { z } from 'zod';

/** One item of a receiver's acknowledgement (spec, "Acknowledgement item"). */
export const acknowledgementItem = z.object({
  hash: z.string().describe('Of the event that is confirmed.'),
  status: z.boolean().describe('true: received. Only the boolean confirms.'),
});
export type AcknowledgementItem = z.infer<typeof acknowledgementItem>;

/** The reply a receiver of mechanism B gives. `domain/settle` reads replies item by item instead: one bad item must not spoil the rest. */
export const acknowledgement = z.array(acknowledgementItem);
