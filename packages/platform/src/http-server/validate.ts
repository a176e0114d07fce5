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

const QUOTED_MAX = 3;

/** `most`: how many errors are listed. `whole`: what an error without a path is about. */
export function invalid(errors: readonly FieldError[], most = Infinity, whole = 'the body'): ProblemError {
  const listed = errors.slice(0, most);
  const rest = listed.length - QUOTED_MAX;
  return new ProblemError('validation_failed', {
    detail: listed
      .slice(0, QUOTED_MAX)
      .map(({ path, message }) => `${subjectOf(path, whole)} ${message}`)
      .concat(rest > 0 ? [`and ${rest} more`] : [], errors.length >= most ? [`at most ${most} errors are listed`] : [])
      .join('; '),
    errors: listed,
  });
}
