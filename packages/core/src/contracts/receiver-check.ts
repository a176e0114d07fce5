import { z } from 'zod';
import { sentenceField } from './sentence-field.ts';
import { address } from './address.ts';
import { mechanism } from './delivery.ts';
import { SHAPES } from './shape.ts';
import { VERSION_1_REQUESTS } from '../domain/destination.ts';

/**
 * Body of `POST /v3/webhook/doctor`: a destination, or an address to check, saved or not, with what it is meant for.
 */
export const receiverCheckInput = z
  .object({
    destination: z.string().optional().describe('The id of a destination, in place of all other fields.'),
    address: address.optional().describe('Required without destination.'),
    kind: mechanism.optional().describe('Required without destination.'),
    shape: z.enum(SHAPES).optional().describe('Absent: that of version 1 for this kind.'),
    version: z.literal([1, 2]).optional().describe('Of the body. Absent: 2 with a shape, else 1.'),
  })
  .superRefine(({ destination, ...others }, context) => {
    const fault = (name: string, message: string) => {
      context.addIssue({ code: 'custom', path: [name], message });
    };
    for (const name of ['address', 'kind'] as const)
      if (destination === undefined && others[name] === undefined) fault(name, 'is required without destination');
    for (const [name, value] of Object.entries(others))
      if (destination !== undefined && value !== undefined) fault(name, 'is set by the destination: leave it out');
    const { kind, shape, version } = others;
    if (version === 1 && kind !== undefined && shape !== undefined && shape !== VERSION_1_REQUESTS[kind].shape)
      fault('shape', `must be ${VERSION_1_REQUESTS[kind].shape} for version 1 of this kind`);
  });

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
  shape: z.enum(SHAPES),
  version: z.literal([1, 2]).describe('Of the body.'),
  passed: z.int().describe('How many checks passed.'),
  failed: z.int().describe('How many checks failed.'),
  checks: z.array(receiverCheck),
});
export type ReceiverReport = z.infer<typeof receiverReport>;
