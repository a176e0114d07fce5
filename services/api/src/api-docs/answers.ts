import { z } from 'zod';

/** Answers that no contract of core describes: nobody but the API writes them, and nothing reads them back. */

export const createdId = z.object({ id: z.string() });
export const done = z.object({ success: z.literal(true) });
export const accepted = z.object({ accepted: z.int().describe('How many events were taken, duplicates included.') });

export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({
    items: z.array(item).describe('Newest first.'),
    nextCursor: z.string().optional().describe('Give it as cursor for the next page. Absent: this is the last one.'),
  });

export const DONE_EXAMPLE = { success: true };
