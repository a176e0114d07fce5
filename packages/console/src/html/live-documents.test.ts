import fc from 'fast-check';
import { changesOf } from './live-documents.ts';

const anyDocument = fc.array(fc.constantFrom('<p>', '</p>', 'a', 'b<', '\n')).map((parts) => parts.join(''));

/** As `assets/updates.js` does it. */
const restored = (base: string, changes: ReturnType<typeof changesOf>): string =>
  changes.flatMap((one) => (typeof one === 'string' ? one : base.split(/(?=<)/).slice(...one))).join('');

test('a document is restored from the one before and the changes', () => {
  fc.assert(
    fc.property(anyDocument, anyDocument, (base, document) => {
      expect(restored(base, changesOf(base, document))).toBe(document);
    }),
  );
  expect(changesOf('<p>a</p><p>b</p><p>c</p>', '<p>a</p><p>x</p><p>c</p>')).toEqual([[0, 2], '<p>x', [3, 6]]);
  // A new row has one run of an older row.
  expect(changesOf('<p><i>1</i><b>2</b><i>1</i><b>3</b>', '<u><i>1</i><b>3</b>')).toEqual(['<u>', [5, 9]]);
});
