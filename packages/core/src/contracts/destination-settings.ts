import { z } from 'zod';
import { address } from './address.ts';
import { BATCH_EVENTS_MAX } from './campaign-batch.ts';
import { key } from './event-fields.ts';
import { eventFilter, filterInput } from './event-filter.ts';
import { EVENT_TYPES } from './event-types.ts';
import { SHAPE_LIMITS, SHAPES } from './shape.ts';
import { activeFlag } from './subscription.ts';
import { forEachName, namesOf } from './tables.ts';

/** Most custom headers per destination. */
export const CUSTOM_HEADERS_MAX = 10;
const NAME = /^[a-z0-9!#$%&'*+.^_`|~-]{1,100}$/;
/** Visible ASCII with inner spaces and tabs. */
const VALUE = /^[\x21-\x7e]([\t\x20-\x7e]{0,4094}[\x21-\x7e])?$/;
const TOTAL_CHARS_MAX = 8192;

/** Headers that Mailhook or HTTP sets, or that concern one connection only. */
const RESERVED: ReadonlySet<string> = new Set([
  'accept-encoding',
  'connection',
  'cookie',
  'date',
  'expect',
  'forwarded',
  'host',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'traceparent',
  'tracestate',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
  'via',
]);
const RESERVED_STARTS = ['content-', 'webhook-', 'x-forwarded-'];

/** The rules of names and values for documents. Names there are in lower case, and the API takes them in any case. */
const RULES = {
  propertyNames: {
    type: 'string',
    pattern: NAME.source.replace('a-z', 'A-Za-z'),
    not: { anyOf: [{ enum: [...RESERVED] }, { pattern: `^(${RESERVED_STARTS.join('|')})` }] },
  },
  maxProperties: CUSTOM_HEADERS_MAX,
};

const isReserved = (name: string): boolean =>
  RESERVED.has(name) || RESERVED_STARTS.some((start) => name.startsWith(start));

/** A header's value, or true to keep the stored value. */
export type HeaderInput = string | true;

const headers = z
  .record(
    z.string(),
    z.union(
      [z.string().meta({ pattern: VALUE.source }), z.literal(true).describe('Only true: keeps the stored value.')],
      'must be a text, or true to keep the stored value',
    ),
  )
  .transform((given) => Object.fromEntries(Object.entries(given).map(([name, value]) => [name.toLowerCase(), value])))
  .superRefine((given, context) => {
    const fault = (path: readonly string[], message: string) =>
      context.addIssue({ code: 'custom', path: [...path], message });
    const entries = Object.entries(given);
    if (entries.length > CUSTOM_HEADERS_MAX) fault([], `must have at most ${CUSTOM_HEADERS_MAX} headers`);
    let chars = 0;
    for (const [name, value] of entries.slice(0, CUSTOM_HEADERS_MAX)) {
      chars += name.length + (value === true ? 0 : value.length);
      if (!NAME.test(name)) fault([name], 'is not a header name: use letters, digits and -, at most 100 characters');
      else if (isReserved(name)) fault([name], 'is set by Mailhook or by HTTP itself, and cannot be changed');
      else if (value !== true && !VALUE.test(value)) {
        fault([name], 'must have 1 to 4096 ASCII characters, without line breaks and without spaces at its ends');
      }
    }
    if (chars > TOTAL_CHARS_MAX) fault([], `must have at most ${TOTAL_CHARS_MAX} characters in all`);
  });

/**
 * The limits that a customer may set for a destination, declared once: schemas, stored settings, the workers' records
 * and the page derive from this table. What a limit does, the worker decides (`deliver/drain`).
 */
export const LIMITS = {
  maxRequestsPerSecond: {
    max: 1000,
    description: 'Most requests per second to this destination, of all workers together. null: no limit.',
  },
} as const;

/** Null: no limit. */
export type Limits = Readonly<Record<keyof typeof LIMITS, number | null>>;

export const NO_LIMITS: Limits = forEachName(LIMITS, () => null);

/** All limits, of which absent ones are as in `otherwise`. */
export const limitsOf = (
  given: { readonly [Name in keyof Limits]?: Limits[Name] | undefined },
  otherwise = NO_LIMITS,
) => forEachName(LIMITS, (name): number | null => (given[name] === undefined ? otherwise[name] : given[name]));

/** All types of the module, today's and tomorrow's. */
export const EVERY_TYPE = '*';
const destinationType = z.enum([...namesOf(EVENT_TYPES), EVERY_TYPE]);

export const eventModule = z
  .enum(['transactional_email', 'campaign'])
  .describe('transactional_email: a message sent through the API or SMTP. campaign: a message of a campaign.');

const NAME_CHARS_MAX = 100;

const NAME_MEANING = 'For people. Shown instead of the address. null, or only spaces: none.';
const FILTER = 'Which events of its types it gets. It replaces the whole. null: all.';

/** Every setting but `address`, `headers` and the limits, with what documents say of it. */
const fields = {
  active: activeFlag,
  name: key(z.string().max(NAME_CHARS_MAX)).nullable().describe(NAME_MEANING),
  types: z
    .array(destinationType)
    .min(1)
    .describe('The types of events that it gets, or exactly `["*"]`: all types of its module, also those to come.'),
  version: z
    .literal([1, 2])
    .describe('Of the body. 1 only as the specification has it. It counts for events that are accepted afterwards.'),
  shape: z
    .enum(SHAPES)
    .describe(
      'single: one object per request. array: 1 to maxEvents objects. Of both, any 2xx delivers the whole. batch: ' +
        'the reply acknowledges each event, with status 200 and `[{"hash", "status": true}]`.',
    ),
  maxEvents: z
    .int()
    .min(1)
    .max(BATCH_EVENTS_MAX)
    .describe('Most events per request of the shapes array and batch. Mailhook never waits to fill a request.'),
  concurrency: z
    .int()
    .min(1)
    .max(SHAPE_LIMITS.single.concurrency)
    .nullable()
    .describe(
      `Most requests in flight, resends included: 1 to ${SHAPE_LIMITS.single.concurrency} for the shape single, 1 to ` +
        `${SHAPE_LIMITS.array.concurrency} for the others. null: the most. 1 is no order.`,
    ),
  filter: eventFilter.nullable().describe(FILTER),
};

const limits = forEachName(LIMITS, (name) =>
  z.int().min(1).max(LIMITS[name].max).nullable().describe(LIMITS[name].description),
);

const headersInput = headers
  .optional()
  .describe(
    'Custom headers of every request to this destination, such as `authorization`. They replace the stored ones; ' +
      '`true` keeps a stored value. Names are in any case. Headers that Mailhook or HTTP sets are refused.',
  )
  .meta(RULES);

/** An empty name is none: the title of a page must be readable. */
const nameInput = z.preprocess(
  (given) => (typeof given === 'string' && given.trim() === '' ? null : given),
  fields.name,
);

const changes = { ...fields, ...limits };
const optional = z
  .object({ ...changes, name: nameInput.describe(NAME_MEANING), filter: filterInput.describe(FILTER) })
  .partial().shape;

/** Body of `POST /v3/webhook/destinations`. What is absent has its default. */
export const destinationInput = z.strictObject({
  address,
  module: eventModule,
  ...optional,
  types: fields.types,
  headers: headersInput,
});
export type DestinationInput = z.infer<typeof destinationInput>;

/** Body of `PUT /v3/webhook/destinations/{id}/settings`. A field that is absent stays as it is. */
export const destinationSettingsInput = z.strictObject({
  address: address.optional(),
  module: eventModule.optional().describe('It cannot be changed.'),
  ...optional,
  headers: headersInput,
});
export type DestinationSettingsInput = z.infer<typeof destinationSettingsInput>;

/** Answer of `GET /v3/webhook/destinations/{id}/settings`. It can be sent back unchanged. */
export const destinationSettings = z.object({
  address: z.string(),
  module: eventModule,
  ...changes,
  active: z.boolean().describe('Whether deliveries are sent.'),
  headers: z
    .record(z.string(), z.literal(true).describe('Always true.'))
    .describe('Names of the custom headers. Their values are never shown.'),
});
export type DestinationSettings = z.infer<typeof destinationSettings>;

/** What a customer sets for a destination, besides its headers and its module. */
export type Settings = Omit<DestinationSettings, 'headers' | 'module'>;

/** Answer of `POST /v3/webhook/destinations/{id}/test`, and which event it sends. */
export const destinationTestInput = z.strictObject({
  type: z.enum(namesOf(EVENT_TYPES)).optional().describe('One of its types. Absent: the first of them.'),
  event: z
    .record(z.string(), z.unknown())
    .optional()
    .describe(
      'Fields in place of those of the sample, as `POST /v3/events` takes them. null: without the field. The ' +
        'account, the module, the type, the id and the hash stay those of the sample.',
    ),
});
export type DestinationTestInput = z.infer<typeof destinationTestInput>;
