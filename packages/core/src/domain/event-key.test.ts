import fc from 'fast-check';
import { anyCampaignEvent, anyEvent, anyHash, anyText } from './arbitrary-events.suite.ts';
import { eventKey, eventKeyOfBytes } from './event-key.ts';
import { campaignFragment, eventKeyPlace, eventKeyText, FRAGMENT_SEPARATOR } from './fragment.ts';
import { version2Fragment } from './version-2.ts';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

test('a text and its bytes have one key', () => {
  expect(eventKey('event-0')).toEqual({ high: 913_033_476, low: 2_241_429_544 });
  fc.assert(
    fc.property(fc.oneof(anyText, fc.string({ unit: 'grapheme' })), (text) => {
      // Bytes have no halves of surrogate pairs, and `JSON.stringify` writes none.
      const whole = text.toWellFormed();
      expect(eventKey(whole)).toEqual(eventKeyOfBytes(bytesOf(whole)));
      expect(eventKeyOfBytes(bytesOf(`"${whole}"`), 1, 1 + bytesOf(whole).length)).toEqual(eventKey(whole));
    }),
  );
});

test('the texts of ids that follow each other have different keys', () => {
  const keys = Array.from({ length: 50_000 }, (_, n) => eventKey(`order-${n}`));
  expect(new Set(keys.map(({ high, low }) => `${high} ${low}`)).size).toBe(50_000);
});

test('the key text of each event is found in a text of several', () => {
  const digest = (text: string): string => `${text.length}`.padEnd(43, 'x');
  const anyFragment = fc.oneof(
    fc.tuple(anyCampaignEvent, anyHash).map(([event, hash]) => campaignFragment(event, hash)),
    anyEvent.map((event) => version2Fragment(event, digest)),
  );
  fc.assert(
    fc.property(fc.array(anyFragment, { minLength: 1, maxLength: 4 }), (fragments) => {
      const text = fragments.join(FRAGMENT_SEPARATOR);
      let at = 0;
      for (const fragment of fragments) {
        const { from, to } = eventKeyPlace(text, at);
        expect(text.slice(from, to)).toBe(eventKeyText(fragment));
        const { id, hash } = JSON.parse(`${fragment}1}`) as { id?: string; hash?: string };
        const name = fragment.startsWith('{"version":2') ? id : hash;
        expect(JSON.parse(`"${text.slice(from, to)}"`)).toBe(name);
        at += fragment.length + 1;
      }
    }),
  );
});
