import type { z } from 'zod';
import { fieldErrors, validate } from '@mailhook/core';
import type { FieldError } from '@mailhook/core';
import { ProblemError } from './problem.ts';

/** Returns the validated value, or throws a 422 that names every invalid field. */
export function parseOrThrow<Value>(schema: z.ZodType<Value>, input: unknown): Value {
  const result = validate(schema, input);
  if ('value' in result) return result.value;
  throw invalid(fieldErrors(result.errors));
}

/** Only the body of the intake is an array. */
const subjectOf = (path: string, whole: string): string => (path === '' ? whole : path.replace(/^\d+/, 'events[$&]'));

/** `most`: how many errors are listed. `whole`: what an error without a path is about. */
export const invalid = (errors: readonly FieldError[], most = Infinity, whole = 'the body'): ProblemError =>
  new ProblemError('validation_failed', {
    detail: errors
      .map(({ path, message }) => `${subjectOf(path, whole)} ${message}`)
      .slice(0, 3)
      .concat(errors.length >= most ? [`at most ${most} errors are listed`] : [])
      .join('; '),
    errors: errors.slice(0, most),
  });
