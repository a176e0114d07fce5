import { z } from 'zod';
import { notThis } from './validate.ts';

/** A text of 1 to `maxChars` characters. */
export const text = (maxChars: number) => z.string().min(1).max(maxChars);

/**
 * A text that identifies something, or that customers compare. Redis and MongoDB store UTF-8, where every half of a
 * surrogate pair becomes the same replacement character. If two ids differed only in such halves, the second event
 * would count as a duplicate and be lost.
 */
export const key = (schema: z.ZodString) =>
  schema.refine((value) => value.isWellFormed(), {
    error: 'must be well-formed Unicode, but contains an unpaired surrogate',
    abort: true,
  });

/** Many serializers write `null`, `[]` or `{}` for a field that is absent. */
export const isAbsent = (value: unknown): boolean =>
  value === null || (typeof value === 'object' && Object.keys(value).length === 0);

export const orAbsent = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((value) => (isAbsent(value) ? undefined : value), schema.optional()).optional();

/** Unix seconds. The upper bound catches milliseconds, the most common mistake. */
const unixSeconds = z
  .int({
    error: ({ input }) =>
      input === undefined ? undefined : `must be Unix time in seconds such as 1767225600${notThis(input)}`,
  })
  .min(0)
  .max(99_999_999_999, 'must be Unix time in seconds, not milliseconds');
export const happenedAt = unixSeconds.describe('When it happened, in Unix seconds.');

/** Names that are no plain keys of an object in JavaScript. */
const RESERVED_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

const METADATA_KEYS_MAX = 20;
const METADATA_VALUE_CHARS = 500;
/** A value of metadata, and what a filter may compare it with. */
export const metadataText = key(z.string().max(METADATA_VALUE_CHARS));
const METADATA_BYTES_MAX = 4096;
const LABEL = '[A-Za-z0-9_.-]';
const METADATA_KEY = new RegExp(`^${LABEL}{1,64}$`);
/** The rule of metadata's keys for documents. */
export const metadataKeys = { propertyNames: { type: 'string', pattern: METADATA_KEY.source } } as const;
const TAGS_MAX = 10;
const DATA_BYTES_MAX = 2048;
const DATA_LEVELS_MAX = 8;

const bytesOf = (value: unknown): number => new TextEncoder().encode(JSON.stringify(value)).length;

interface Faults {
  addIssue(issue: { code: 'custom'; path: PropertyKey[]; message: string }): void;
}
const fault = (faults: Faults, path: readonly PropertyKey[], message: string): void => {
  faults.addIssue({ code: 'custom', path: [...path], message });
};

const isPlainObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Reports the keys of metadata that are wrong: zod itself skips `__proto__`. */
export function withPlainKeys(value: unknown, faults: Faults): unknown {
  for (const name of isPlainObject(value) ? Object.keys(value) : []) {
    if (RESERVED_KEYS.has(name)) fault(faults, [name], 'must not be a key');
    else if (!METADATA_KEY.test(name))
      fault(faults, [name], 'is not a key: use 1 to 64 letters, digits, `_`, `.` or `-`');
  }
  return value;
}

/** Metadata without absent values. */
function plainMetadata(value: unknown, faults: Faults): unknown {
  if (isAbsent(value)) return undefined;
  if (!isPlainObject(value)) return value;
  withPlainKeys(value, faults);
  const entries = Object.entries(value).filter(([, one]) => !isAbsent(one));
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/** What the sender has put into its own message, as customers get it in version 2. */
export const metadata = z
  .preprocess(
    plainMetadata,
    z
      .record(z.string(), metadataText)
      .superRefine((given, faults) => {
        const keys = Object.keys(given).length;
        if (keys > METADATA_KEYS_MAX) fault(faults, [], `must have at most ${METADATA_KEYS_MAX} keys, not ${keys}`);
        else if (bytesOf(given) > METADATA_BYTES_MAX)
          fault(faults, [], `must take at most ${METADATA_BYTES_MAX} bytes as JSON`);
      })
      .optional(),
  )
  .optional()
  .meta({ ...metadataKeys, maxProperties: METADATA_KEYS_MAX })
  .describe(
    `What the sender has put into the message: at most ${METADATA_KEYS_MAX} keys with texts of at most ` +
      `${METADATA_VALUE_CHARS} characters, and ${METADATA_BYTES_MAX} bytes as JSON.`,
  );

export const tags = orAbsent(
  z
    .array(key(text(128)))
    .refine((given) => new Set(given).size <= TAGS_MAX, `must have at most ${TAGS_MAX} tags`)
    .transform((given): readonly string[] => [...new Set(given)]),
).describe(`At most ${TAGS_MAX} tags of the message. A repeated one counts once.`);

function checkData(value: unknown, faults: Faults, path: readonly PropertyKey[]): void {
  if (path.length >= DATA_LEVELS_MAX && typeof value === 'object' && value !== null)
    return fault(faults, [], `must have at most ${DATA_LEVELS_MAX} levels`);
  if (typeof value === 'string' && !value.isWellFormed())
    return fault(faults, path, 'must be well-formed Unicode, but contains an unpaired surrogate');
  // JSON.parse has changed it: the last digits are others, and beyond 1.8e308 the receiver would get null.
  if (typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER)
    return fault(faults, path, 'must not be beyond 2^53 - 1, because it would lose digits: send it as text');
  if (Array.isArray(value)) for (const [i, one] of value.entries()) checkData(one, faults, [...path, i]);
  else if (isPlainObject(value))
    for (const [name, one] of Object.entries(value)) {
      if (RESERVED_KEYS.has(name)) fault(faults, [...path, name], 'must not be a key');
      else if (!name.isWellFormed()) fault(faults, path, 'must have keys of well-formed Unicode');
      else checkData(one, faults, [...path, name]);
    }
}

function plainData(value: unknown, faults: Faults): unknown {
  if (!isPlainObject(value)) return value;
  const bytes = bytesOf(value);
  if (bytes > DATA_BYTES_MAX) fault(faults, [], `must take at most ${DATA_BYTES_MAX} bytes as JSON, not ${bytes}`);
  else checkData(value, faults, []);
  return value;
}

const FEEDBACK_TYPES = ['abuse', 'fraud', 'virus', 'not-spam', 'other'] as const;
const METHODS = ['link', 'one-click', 'mailto', 'manual'] as const;
const CAUSES = [
  'invalid',
  'full',
  'policy',
  'content',
  'reputation',
  'auth',
  'timeout',
  'network',
  'suppressed',
  'other',
] as const;
const SUPPRESSION_CAUSES = ['bounce', 'complaint', 'unsubscribe', 'manual', 'other'] as const;

/** The fields that only events of some types have. */
export const FIELDS = {
  type: z
    .enum(['hard', 'soft'])
    .describe('hard: the address does not work. soft: anything else; a later message may arrive.'),
  reason: z
    .string()
    .max(10_000)
    .describe("The answer of the recipient's mail server, or another reason. May be empty."),
  code: z
    .string()
    .regex(/^[245]\.\d{1,3}\.\d{1,3}$/, 'must be an enhanced status code such as 5.1.1 (RFC 3463)')
    .describe('The enhanced status code of that answer (RFC 3463).'),
  smtp: z.int().min(200).max(599).describe('The SMTP status code of that answer.'),
  cause: z.enum(CAUSES).describe('Why, as one of a few words.'),
  nextTry: unixSeconds.describe('When the platform tries again, in Unix seconds.'),
  ip: text(100).describe("The recipient's IP address."),
  userAgent: z.string().max(4000).describe("The recipient's mail client or browser."),
  url: text(10_000).describe('The link that was clicked.'),
  machine: z.boolean().describe('Whether a program did it, not the recipient, as far as the platform knows.'),
  first: z.boolean().describe('Whether it is the first one of this message and recipient.'),
  feedbackType: z.enum(FEEDBACK_TYPES).describe('What the complaint says (RFC 5965).'),
  method: z.enum(METHODS).describe('How the recipient did it. one-click: RFC 8058.'),
  list: key(text(100)).describe("The list, group or stream that it concerns. Absent: all of the account's mail."),
  action: z.enum(['added', 'removed']).describe('Whether the address was put on the suppression list or taken off.'),
  label: z
    .string()
    .regex(new RegExp(`^${LABEL}{1,100}$`), 'must have 1 to 100 letters, digits, `_`, `.` or `-`')
    .describe('What it is: a name that the platform has chosen.'),
  data: z
    .preprocess(plainData, z.record(z.string(), z.unknown()))
    .describe(
      `What the platform has to say: a JSON object of at most ${DATA_BYTES_MAX} bytes and ${DATA_LEVELS_MAX} levels.`,
    ),
} as const;

export const suppressionCause = z.enum(SUPPRESSION_CAUSES).describe('Why, as one of a few words.');
