import { z } from 'zod';
import { address } from './address.ts';
import { mechanism } from './delivery.ts';

/** Body of `POST /v3/webhook/doctor`: an address that is saved, or about to be, and what is to be delivered there. */
export const receiverCheckInput = z.object({ address, kind: mechanism });
export type ReceiverCheckInput = z.infer<typeof receiverCheckInput>;

/** `warning`: deliveries work, but not as well, or not as safely, as they could. `skipped`: `detail` says why. */
export const checkOutcome = z.enum(['passed', 'failed', 'warning', 'skipped']);
export type CheckOutcome = z.infer<typeof checkOutcome>;

/** One thing that was looked at. Every text is ours: none holds a part of the receiver's reply. */
export const receiverCheck = z.object({
  /** Stable; the texts may change. */
  id: z.string(),
  title: z.string(),
  outcome: checkOutcome,
  /** What was seen. */
  detail: z.string(),
  /** Why it matters. */
  why: z.string(),
  /** What to do about it; only where it failed or is warned of. */
  mend: z.string().optional(),
});
export type ReceiverCheck = z.infer<typeof receiverCheck>;

/** Answer of `POST /v3/webhook/doctor`. `passed` and `failed` are counts. */
export const receiverReport = z.object({
  address: z.string(),
  kind: mechanism,
  passed: z.int(),
  failed: z.int(),
  checks: z.array(receiverCheck),
});
export type ReceiverReport = z.infer<typeof receiverReport>;
