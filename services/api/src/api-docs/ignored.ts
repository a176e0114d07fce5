import { z } from 'zod';
import { named } from '../endpoints/answers.ts';

const ignored = z
  .array(z.string())
  .optional()
  .describe('Names of fields of the body that Mailhook does not know, such as misspelled ones. Absent: none.');

const known = new Map<z.ZodType, z.ZodType>();

/** The schema of an answer that also names ignored fields. */
export function withIgnored(schema: z.ZodType): z.ZodType {
  const found = known.get(schema) ?? extended(schema);
  known.set(schema, found);
  return found;
}

function extended(schema: z.ZodType): z.ZodType {
  const id = z.globalRegistry.get(schema)?.id;
  const whole =
    schema instanceof z.ZodUnion
      ? z.union((schema.options as readonly z.ZodType[]).map(withIgnored))
      : schema instanceof z.ZodObject
        ? schema.extend({ ignored })
        : schema;
  return id === undefined || whole === schema ? whole : named(`${id}AndIgnored`, whole);
}
