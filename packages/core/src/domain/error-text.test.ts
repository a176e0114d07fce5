import fc from 'fast-check';
import { errorText, withoutQuotations } from './error-text.ts';

const PAIR = '\u{1F600}';

test.each([
  ['a short text, as it is', 'no luck: é, 漢, \u{1F600}', 'no luck: é, 漢, \u{1F600}'],
  ['a long one, cut', 'x'.repeat(64_000), 'x'.repeat(500)],
  ['pairs, never cut in two', PAIR.repeat(501), PAIR.repeat(500)],
  ['pairs at odd places', `x${PAIR.repeat(501)}`, `x${PAIR.repeat(499)}`],
  ['halves, replaced', 'a\uD83Db\uDE00c', 'a\uFFFDb\uFFFDc'],
])('%s', (_what, text, expected) => {
  expect(errorText(text)).toBe(expected);
});

test('property: keeps the first 500 code points, and replaces lone surrogates', () => {
  const anyText = fc.array(fc.constantFrom('x', 'é', PAIR, '\uD83D', '\uDE00'), { maxLength: 1200 });
  fc.assert(
    fc.property(anyText, (parts) => {
      const points = Array.from(parts.join(''));
      const kept = Array.from(errorText(parts.join('')));
      const whole = (point: string): string => (/^[\uD800-\uDFFF]$/.test(point) ? '\uFFFD' : point);
      expect(kept).toEqual(points.slice(0, 500).map(whole));
    }),
  );
});

test.each([
  ['it is HTML or XML: “Log in”.', 'it is HTML or XML: “…”.'],
  ['“a” and “b” differ', '“…” and “…” differ'],
  ['3 unconfirmed: it has no item for “a”, “b” and 1 more', '3 unconfirmed: it has no item for them'],
  ['it has no item for “a”, but one for “b”', 'it has no item for them, but one for another event'],
  ['the "status" of “a” is the text “true”', 'the "status" of an event is a text'],
  ['cut inside “a quotation', 'cut inside “…”'],
  ['the receiver did not answer in time', 'the receiver did not answer in time'],
])('operators see %j without what it quotes', (error, shown) => {
  expect(withoutQuotations(error)).toBe(shown);
});
