import type { ZodOpenApiMediaTypeObject } from 'zod-openapi';
import type { z } from 'zod';

interface JsonSchema {
  type?: unknown;
  const?: unknown;
  enum?: readonly unknown[];
  minimum?: number;
  maximum?: number;
}

const isBoolean = (value: unknown): boolean => typeof value === 'boolean';

/**
 * Changes a schema of zod for readers and for generators of clients.
 *
 * - Without zod's limits of integers to the safe range of JavaScript, which mean nothing to a reader.
 * - `boolean` in place of constants and enums with a boolean, which few generators can read. Descriptions say more.
 */
export const forDocuments = ({ jsonSchema }: { readonly jsonSchema: JsonSchema }): void => {
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (!isBoolean(jsonSchema.const) && jsonSchema.enum?.some(isBoolean) !== true) return;
  delete jsonSchema.const;
  delete jsonSchema.enum;
  jsonSchema.type = 'boolean';
};

/** The content of a JSON body. */
export const json = (schema: z.ZodType, example: unknown): Record<'application/json', ZodOpenApiMediaTypeObject> => ({
  'application/json': { schema, example },
});
