import { problemCode } from '@mailhook/core';
import { z } from 'zod';

/** Answers that have no contract in `packages/core`, because only the API writes them and no other part reads them. */

export const createdId = z.object({ id: z.string() });
export const done = z.object({ success: z.literal(true).describe('Always true.') });
export const rejectedEvent = z.object({
  index: z.int(),
  account: z.string().optional(),
  code: problemCode,
  detail: z.string(),
});
export const accepted = z.object({
  accepted: z.int().describe('How many events were taken, duplicates included.'),
  withoutDestination: z.int().optional().describe('How many of them no active destination takes. Absent: none.'),
  ignored: z
    .array(z.string())
    .optional()
    .describe('Names of fields that Mailhook does not know, or not for this type of event. Absent: none.'),
  rejected: z
    .array(rejectedEvent)
    .optional()
    .describe(
      'With onError=skip: the events that were not taken. index is the position in the array, or the line of NDJSON, from 0.',
    ),
});

export const pageOf = <Item extends z.ZodType>(item: Item, order = 'Newest first.') =>
  z.object({
    items: z.array(item).describe(order),
    nextCursor: z
      .string()
      .optional()
      .describe(
        'Give it as cursor for the next page. Absent: this is the last one. A page may be empty and have a next one.',
      ),
  });

export const DONE_EXAMPLE = { success: true };
