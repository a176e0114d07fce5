import { z } from 'zod';

/** Answers that have no contract in `packages/core`, because only the API writes them and no other part reads them. */

export const createdId = z.object({ id: z.string() });
export const done = z.object({ success: z.literal(true) });
export const accepted = z.object({ accepted: z.int().describe('How many events were taken, duplicates included.') });

export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({
    items: z.array(item).describe('Newest first.'),
    nextCursor: z.string().optional().describe('Give it as cursor for the next page. Absent: this is the last one.'),
  });

export const DONE_EXAMPLE = { success: true };
