import { z } from 'zod';

/** Answers that have no contract in `packages/core`, because only the API writes them and no other part reads them. */

/** Gives a schema the name that readers of the documents see in place of `object`. */
export function named<Schema extends z.ZodType>(id: string, schema: Schema): Schema {
  z.globalRegistry.add(schema, { ...z.globalRegistry.get(schema), id, title: id });
  return schema;
}

const done = named('Done', z.object({ success: z.literal(true).describe('Always true.') }));
export const DONE = { success: true } as const;
export const changed = { status: 200, text: 'It is changed.', schema: done, example: DONE } as const;
export const gone = { status: 200, text: 'It is gone.', schema: done, example: DONE } as const;

export const createdId = named('CreatedId', z.object({ id: z.string() }));

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

/** Stands for how long a receiver has for a reply, which an installation sets. */
export const DEADLINE = '{deadline}';
