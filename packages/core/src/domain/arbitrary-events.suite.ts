import fc from 'fast-check';
import type { CampaignInput, TransactionalEvent } from '../contracts/producer-event.ts';

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

export const anyCampaignEvent: fc.Arbitrary<CampaignInput> = fc
  .record({
    account: anyText,
    module: fc.constant('campaign' as const),
    campaign: anyText,
    email: anyText,
    timestamp: fc.integer({ min: 0, max: 99_999_999_999 }),
    event: fc.constantFrom('open' as const, 'click' as const, 'unsubscribe' as const),
    url: anyText,
  })
  .map(({ event, url, ...rest }) => (event === 'click' ? { ...rest, event, url } : { ...rest, event }));

export const anyTransactionalEvent: fc.Arbitrary<TransactionalEvent> = fc
  .record({
    common: fc.record({
      account: anyText,
      module: fc.constant('transactional_email' as const),
      messageId: anyText,
      time: fc.integer({ min: 0, max: 99_999_999_999 }),
    }),
    name: fc.constantFrom('open' as const, 'click' as const, 'bounce' as const),
    ip: anyText,
    userAgent: anyText,
    url: anyText,
    type: fc.constantFrom('hard' as const, 'soft' as const),
    reason: anyText,
  })
  .map(({ common, name, ip, userAgent, url, type, reason }) => {
    switch (name) {
      case 'open':
        return { ...common, name, ip };
      case 'click':
        return { ...common, name, ip, userAgent, url };
      case 'bounce':
        return { ...common, name, type, reason };
    }
  });
