import { z } from 'zod';
import { fieldErrors, noteIgnored, validate } from './validate.ts';

const messageOf = (schema: z.ZodType, input: unknown): string | undefined => {
  const result = validate(schema, input);
  return 'errors' in result ? result.errors[0]?.message : undefined;
};

describe('validate', () => {
  it.each([
    [z.string(), undefined, 'is required'],
    [z.string(), 5, 'must be a text, not 5'],
    [z.number(), '5', 'must be a number, not "5"'],
    [z.number(), 'anna@example.com', 'must be a number, not a text of 16 characters'],
    [z.number(), '', 'must be a number, not an empty text'],
    [z.int(), 1.5, 'must be a whole number, not 1.5'],
    [z.coerce.number(), 'x', 'must be a number'],
    [z.string(), null, 'must be a text, not null'],
    [z.boolean(), 5, 'must be true or false, not 5'],
    [z.object({}), [], 'must be a JSON object, not a JSON array'],
    [z.array(z.string()), {}, 'must be a JSON array, not a JSON object'],
    [z.date(), 5, 'must be date, not 5'],
    [z.enum(['a', 'b']), 'c', 'must be one of "a", "b", not "c"'],
    [z.enum(['a', 'b']), undefined, 'is required: one of "a", "b"'],
    [z.literal('a'), undefined, 'is required: "a"'],
    [z.literal('a'), 'c', 'must be "a", not "c"'],
    [z.string().min(2), 'a', 'must have at least 2 characters, not 1'],
    [z.array(z.string()).max(1), ['a', 'b'], 'must have at most 1 elements, not 2'],
    [z.number().min(2), 1, 'must be at least 2, not 1'],
    [z.number().max(2), 3, 'must be at most 2, not 3'],
    [z.iso.datetime(), 'today', 'must be a time such as 2026-01-31T09:00:00Z, not "today"'],
    [z.string().min(1), '', 'must not be empty'],
    [z.string().min(2, 'own text'), 'a', 'own text'],
    [z.string().refine(() => false, 'own rule'), 'a', 'own rule'],
  ] as [z.ZodType, unknown, string][])('says what to fix (%#)', (schema, input, text) => {
    expect(messageOf(schema, input)).toBe(text);
  });

  it('names the values of a discriminator, and leaves other unions and formats to zod', () => {
    const kinds = z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('a') }),
      z.object({ kind: z.literal('b') }),
    ]);
    expect(messageOf(kinds, { kind: 'c' })).toBe('must be one of "a", "b", not "c"');
    expect(messageOf(kinds, {})).toBe('is required: one of "a", "b"');
    expect(messageOf(z.union([z.string(), z.number()]), true)).toMatch(/Invalid input/);
    expect(messageOf(z.email(), 'x')).toMatch(/Invalid email/);
    expect(
      messageOf(
        z.custom(() => false),
        3,
      ),
    ).toMatch(/Invalid input/);
    expect(messageOf(z.number().multipleOf(2), 3)).toMatch(/multiple of 2/);
    expect(messageOf(z.strictObject({}), { a: 1 })).toMatch(/Unrecognized key/);
    expect(messageOf(z.record(z.string().min(2), z.number()), { a: 1 })).toMatch(/Invalid key/);
    expect(messageOf(z.map(z.object({}), z.number()), new Map([[{}, 'x']]))).toMatch(/Invalid value/);
  });

  it('returns the value, as the schema changes it', () => {
    expect(validate(z.string().trim(), ' a ')).toEqual({ value: 'a' });
  });
});

test('fieldErrors joins paths, after a prefix if there is one', () => {
  const result = validate(z.object({ a: z.object({ b: z.string() }) }), { a: {} });
  const issues = 'errors' in result ? result.errors : [];
  expect(fieldErrors(issues)).toEqual([{ path: 'a.b', message: 'is required' }]);
  expect(fieldErrors(issues, '7').map(({ path }) => path)).toEqual(['7.a.b']);
});

test('fieldErrors has one error for a value of the wrong type, even if it has a length', () => {
  const text = z.string().min(1).max(2);
  const errorsOf = (input: unknown) => {
    const result = validate(z.object({ a: text, b: text }), input);
    return fieldErrors('errors' in result ? result.errors : []).map(({ path, message }) => `${path} ${message}`);
  };
  expect(errorsOf({ a: [], b: [1, 2, 3] })).toEqual([
    'a must be a text, not a JSON array',
    'b must be a text, not a JSON array',
  ]);
  expect(errorsOf({ a: 1, b: '' })).toEqual(['a must be a text, not 1', 'b must not be empty']);
});

test('fieldErrors names each unknown key', () => {
  const result = validate(z.strictObject({ a: z.strictObject({}) }), { a: { b: 1, c: 2 }, d: 3 });
  expect(fieldErrors('errors' in result ? result.errors : []).map(({ path }) => path)).toEqual(['a.b', 'a.c', 'd']);
});

test('noteIgnored names the fields that are not in the checked value, also those that every object inherits', () => {
  const ignoredOf = (text: string): string[] => {
    const ignored = new Set<string>();
    const result = validate(z.unknown().pipe(z.object({ a: z.int() }).or(z.string()).or(z.null())), JSON.parse(text));
    noteIgnored(JSON.parse(text), 'value' in result ? result.value : undefined, ignored);
    return [...ignored];
  };
  expect(ignoredOf('{"a": 1, "b": 2, "c": null, "__proto__": 1, "toString": 2}')).toEqual([
    'b',
    '__proto__',
    'toString',
  ]);
  expect([ignoredOf('"text"'), ignoredOf('null'), ignoredOf('{"a": "wrong"}')]).toEqual([[], [], []]);
  expect(ignoredOf(JSON.stringify(Object.assign({ a: 1 }, Array.from({ length: 30 }, String))))).toHaveLength(20);
});
