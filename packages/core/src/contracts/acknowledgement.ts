import { z } from 'zod';

/** One item of a receiver's acknowledgement (docs/protocol.md). */
export const acknowledgementItem = z.object({
  hash: z.string().describe('Of the event that is confirmed.'),
  status: z.boolean().describe('true: received. Only the boolean confirms.'),
});

/**
 * A receiver's reply to a campaign batch, for the API's documentation. `domain/acknowledgement` reads replies item by
 * item, so that a bad item spoils no other.
 */
export const acknowledgement = z.array(acknowledgementItem);
