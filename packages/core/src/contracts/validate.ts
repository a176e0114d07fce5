import type { z } from 'zod';
import type { FieldError } from './problem.ts';

type RawIssue = Parameters<NonNullable<z.core.ParseContext<z.core.$ZodIssue>['error']>>[0];

const NOUNS: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'a JSON object',
  record: 'a JSON object',
  array: 'a JSON array',
};
const UNITS: Readonly<Record<string, string>> = { string: ' characters', array: ' elements' };

/** A text that may be quoted: one word without @ is no address of a recipient. */
const WORD = /^[\w.:+-]{1,30}$/;

/** What an input is, as the end of a fault. It quotes no text but a word, because others may be a recipient's. */
export function notThis(input: unknown): string {
  if (Number.isNaN(input)) return '';
  if (Array.isArray(input)) return ', not a JSON array';
  if (input === '') return ', not an empty text';
  if (typeof input === 'string')
    return WORD.test(input) ? `, not "${input}"` : `, not a text of ${input.length} characters`;
  return `, not ${typeof input === 'object' && input !== null ? 'a JSON object' : String(input)}`;
}

const oneOf = (values: readonly unknown[], given: unknown): string => {
  const shown = `${values.length === 1 ? '' : 'one of '}${values.map((value) => JSON.stringify(value)).join(', ')}`;
  return given === undefined ? `is required: ${shown}` : `must be ${shown}${notThis(given)}`;
};

/** A limit of a number, or of the length of a text or an array, and how far it was missed. */
function outOf(limit: string, origin: string, input: unknown): string {
  const unit = UNITS[origin];
  if (unit === undefined) return `must be ${limit}${notThis(input)}`;
  return `must have ${limit}${unit}${notThis((input as string | readonly unknown[]).length)}`;
}

/** The value of a union's discriminator. */
const valueAt = (input: unknown, key: PropertyKey | undefined): unknown => Reflect.get(Object(input), String(key));

/**
 * Describes an issue and its fix as the end of a sentence: "is required", "must be one of ...". Undefined means that
 * zod's own text is used.
 */
function faultOf(issue: RawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return 'is required';
      return `must be ${NOUNS[issue.expected] ?? issue.expected}${notThis(issue.input)}`;
    case 'invalid_value':
      return oneOf(issue.values, issue.input);
    case 'invalid_union':
      if (!('options' in issue && Array.isArray(issue.options))) return undefined;
      return oneOf(issue.options, valueAt(issue.input, issue.discriminator));
    case 'too_small':
      if (issue.minimum === 1 && UNITS[issue.origin]) return 'must not be empty';
      return outOf(`at least ${String(issue.minimum)}`, issue.origin, issue.input);
    case 'too_big':
      return outOf(`at most ${String(issue.maximum)}`, issue.origin, issue.input);
    case 'invalid_format':
      if (issue.format !== 'datetime') return undefined;
      return `must be a time such as 2026-01-31T09:00:00Z${notThis(issue.input)}`;
    case 'custom':
    case 'invalid_element':
    case 'invalid_key':
    case 'not_multiple_of':
    case 'unrecognized_keys':
      return undefined;
  }
}

/** Makes zod use texts for customers. It is one shared object, so that parsing on a hot path allocates none. */
const context = { error: faultOf };

export type Validated<Value> = { readonly value: Value } | { readonly errors: readonly z.core.$ZodIssue[] };

export function validate<Value>(schema: z.ZodType<Value>, input: unknown): Validated<Value> {
  const result = schema.safeParse(input, context);
  return result.success ? { value: result.data } : { errors: result.error.issues.filter(isOnItsOwn) };
}

/** zod checks also the length of a value of the wrong type, if it has one. */
const isOnItsOwn = (issue: z.core.$ZodIssue, i: number, issues: readonly z.core.$ZodIssue[]): boolean => {
  const before = issues[i - 1];
  return before?.code !== 'invalid_type' || before.path.join('.') !== issue.path.join('.');
};

/**
 * Issues with their paths: `name`, or `7.name` with the prefix `7`. An issue of the value itself has the prefix as its
 * path. Each unknown key has an error of its own.
 */
export function fieldErrors(issues: readonly z.core.$ZodIssue[], prefix = ''): FieldError[] {
  const pathOf = (path: readonly PropertyKey[]): string =>
    [...(prefix === '' ? [] : [prefix]), ...path.map(String)].join('.');
  return issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => ({ path: pathOf([...issue.path, key]), message: 'is unknown: leave it out' }))
      : [{ path: pathOf(issue.path), message: issue.message }],
  );
}
