/**
 * zod limits integers to the safe range of JavaScript. Documents omit these limits, because they mean nothing to a
 * reader.
 */
export const withoutSafeRange = ({
  jsonSchema,
}: {
  readonly jsonSchema: { minimum?: number; maximum?: number };
}): void => {
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
};
