import fc from 'fast-check';
import { z } from 'zod';
import { CAMPAIGN_FIELDS, EVENT_TYPES, NOTIFICATION_FIELDS, typesOf } from '../contracts/event-types.ts';
import type { EventModule } from '../contracts/event-types.ts';
import { exampleCampaignEvent, exampleEvent } from '../contracts/producer-event.ts';
import type { CampaignInput, ProducerEvent, TransactionalEvent } from '../contracts/producer-event.ts';

/** Arbitrary valid events, with every kind of text that passes validation, for the property tests of this folder. */

/** The event without some of its fields. */
export const without = (event: object, ...fields: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(Object.entries(event).filter(([name]) => !fields.includes(name)));

/**
 * Text that often breaks JSON code: separators, escapes, halves of surrogate pairs, and text that looks like Mailhook's
 * own syntax.
 */
const awkward = fc.constantFrom(
  '"attempt":1',
  ',"attempt":1}',
  '\n',
  '\r\n',
  '\u2028\u2029',
  '\ud800',
  '\udc00x',
  '\\"',
  '\\',
  '\\\\"',
  '$&$1$`',
  '{"hash":"',
  '\u0000',
  '📧',
);

/** Any UTF-16 code units, lone surrogates included. */
const anyUnits = fc
  .array(fc.integer({ min: 0, max: 0xffff }), { minLength: 1, maxLength: 12 })
  .map((units) => String.fromCharCode(...units));

/** Any text of at least one character. */
export const anyText = fc
  .array(fc.oneof(awkward, anyUnits, fc.string({ minLength: 1 })), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.join(''));

/** Any text of 10 to 50 characters, the length that a producer's hash may have. */
export const anyHash = fc.oneof(
  fc.string({ minLength: 10, maxLength: 50 }),
  anyText.map((text) => text.padEnd(10, '-').slice(0, 50)),
);

type AnyTypes = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** Any type of a table with its name in `key` and any values of its fields. */
const anyOwnFields = (types: AnyTypes, key: string): fc.Arbitrary<object> =>
  fc.oneof(
    ...Object.entries(types).map(([name, fields]) => {
      const anyValue = (schema: unknown): fc.Arbitrary<unknown> =>
        schema instanceof z.ZodEnum ? fc.constantFrom(...schema.options) : anyText;
      const own = Object.entries(fields).map(([field, schema]) => [field, anyValue(schema)] as const);
      return fc.record({ [key]: fc.constant(name), ...Object.fromEntries(own) });
    }),
  );

const anySeconds = fc.integer({ min: 0, max: 99_999_999_999 });

export const anyCampaignEvent = fc
  .tuple(
    fc.record({
      account: anyText,
      module: fc.constant('campaign'),
      campaign: anyText,
      email: anyText,
      timestamp: anySeconds,
    }),
    anyOwnFields(CAMPAIGN_FIELDS, 'event'),
  )
  .map(([common, own]) => ({ ...common, ...own }) as CampaignInput);

export const anyTransactionalEvent = fc
  .tuple(
    fc.record({ account: anyText, module: fc.constant('transactional_email'), messageId: anyText, time: anySeconds }),
    anyOwnFields(NOTIFICATION_FIELDS, 'name'),
  )
  .map(([common, own]) => ({ ...common, ...own }) as TransactionalEvent);

const anyMetadata = fc.dictionary(fc.stringMatching(/^[a-z_.-]{1,8}$/), anyText, { minKeys: 1, maxKeys: 3 });
const anyData = fc.dictionary(anyText, fc.oneof(anyText, fc.constant(null), fc.array(fc.integer())), { maxKeys: 3 });

/** Any type of a module with any of its optional fields. Their values need not be valid. */
const anyFullEvent = (module: EventModule): fc.Arbitrary<ProducerEvent> =>
  fc.constantFrom(...typesOf(module)).chain((name) => {
    const own = Object.keys(EVENT_TYPES[name].fields).filter((field) => field !== 'data');
    const values = { id: anyText, email: anyText, messageId: anyText, metadata: anyMetadata, tags: fc.array(anyText) };
    const optional = { ...values, ...Object.fromEntries(own.map((field) => [field, anyText])), data: anyData };
    const least = module === 'campaign' ? exampleCampaignEvent(name as never) : exampleEvent(name);
    return fc
      .record(optional, { requiredKeys: [] })
      .map(({ data, ...given }) => ({ ...least, ...given, ...(name === 'custom' && data && { data }) }));
  });

/** Any event of any type, as intake accepts it. */
export const anyEvent = fc.oneof(anyFullEvent('transactional_email'), anyFullEvent('campaign'));
