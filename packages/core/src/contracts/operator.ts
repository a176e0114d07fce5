import { z } from 'zod';
import { addressAsSent } from './address.ts';
import { pageQuery, redriveInput } from './delivery.ts';
import { trimmedText } from './text.ts';

/** What the admin API takes from operators. */

/** One week, so that a forgotten pause ends. */
const PAUSE_MAX_MINUTES = 10_080;
export const operatorPauseInput = z.object({ minutes: z.int().min(1).max(PAUSE_MAX_MINUTES) });

export const dropInput = z.object({
  confirm: z.string().describe('The id of the destination.').meta({ pattern: '^[\\w.:-]{1,128}$' }),
});

/** Query of `GET /admin/destinations`. */
export const destinationsQuery = pageQuery.extend({
  state: z
    .enum(['parked', 'paused', 'waiting'])
    .default('waiting')
    .describe('By their breaker, by a person, or with undelivered events.'),
});

/** Query of `GET /admin/search`. */
export const accountsQuery = pageQuery.extend({
  prefix: trimmedText(200).optional().describe('Only accounts whose id or name starts with this text.'),
});
export const auditQuery = pageQuery.extend({
  account: z.string().min(1).max(64).optional().describe('Only actions on this account.'),
  actor: z.enum(['customer', 'operator']).optional().describe('Only actions by customers, or by operators.'),
  action: trimmedText(100).optional().describe('Only actions whose name contains this text.'),
});

export const operatorSearchQuery = z.object({
  text: trimmedText(200).describe('A part of a name or an address, or the beginning of an id, in any case.'),
});

/** Selects dead letters of all accounts. */
export const deadLetterFilter = z.strictObject({
  ids: redriveInput.shape.ids.describe('Ids of dead letters.'),
  account: z.string().min(1).max(64).optional(),
  destination: z.string().min(1).max(128).optional().describe('A subscription id, or campaign-<account>.'),
  address: z.string().min(1).max(2048).overwrite(addressAsSent).optional(),
});

/** Selects the events that are erased: those of a recipient, or of a message. */
export const erasureInput = z
  .object({
    email: z
      .string()
      .trim()
      .min(3)
      .max(1000)
      .meta({ pattern: '\\S[\\s\\S]+\\S' })
      .optional()
      .describe('Of the recipient, in any case. Notifications of version 1 name none.'),
    messageId: z
      .string()
      .min(1)
      .max(1000)
      .optional()
      .describe('Of the message. Campaign events of version 1 name none.'),
  })
  .refine(({ email, messageId }) => (email === undefined) !== (messageId === undefined), {
    path: ['email'],
    message: 'is required unless messageId is given; give only one of them',
  })
  .meta({ minProperties: 1, maxProperties: 1 });
export type ErasureInput = z.infer<typeof erasureInput>;

/** Discarding is permanent, so an empty selection is refused. `all` must be explicit. */
export const discardInput = deadLetterFilter
  .extend({ all: z.literal(true).optional().describe('Only true: the dead letters of all accounts.') })
  .refine((selection) => Object.values(selection).some((one) => one !== undefined), {
    path: ['account'],
    message: 'is required unless destination, address, ids or "all": true is given',
  })
  .meta({ minProperties: 1 });
