import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { createSealing, SealedError } from './index.ts';

const [one, two] = [randomBytes(32), randomBytes(32)];
const place = { account: 'acme', field: 'secret' };
/** Any text, and texts that look like stored forms. */
const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('', 'whsec_abc', 'plain:', 'plain:x', 'sealed:1:deadbeef:AAAA', 'sealed:2:deadbeef:AAAA'),
  fc.constant(createSealing([two]).seal('other', place)),
);

describe('sealing', () => {
  it('opens any text that it stored, with or without a key, and after a first key was set', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const [without, first] = [createSealing([]), createSealing([one])];
        expect(without.open(without.seal(text, place), place)).toBe(text);
        expect(first.open(first.seal(text, place), place)).toBe(text);
        expect(first.open(without.seal(text, place), place)).toBe(text);
        expect(first.seal(text, place)).toMatch(/^sealed:2:[\da-f]{8}:[\w-]+$/);
      }),
    );
  });

  it('never encrypts a text twice in the same way', () => {
    const sealing = createSealing([one]);
    expect(sealing.seal('text', place)).not.toBe(sealing.seal('text', place));
  });

  it('opens what a former key sealed, and says that it and a plain text are outdated', () => {
    const sealed = createSealing([one]).seal('text', place);
    const plain = createSealing([]).seal('text', place);
    const both = createSealing([two, one]);
    expect(both.open(sealed, place)).toBe('text');
    const current = both.seal('text', place);
    expect([plain, sealed, current].map((stored) => both.isOutdated(stored))).toEqual([true, true, false]);
    expect(createSealing([]).isOutdated(plain)).toBe(false);
  });

  it('opens an encrypted text only in its account and field', () => {
    const sealing = createSealing([one]);
    const sealed = sealing.seal('text', { account: 'a', field: 'b' });
    for (const other of [
      { account: 'x', field: 'b' },
      { account: 'a', field: 'x' },
      { account: 'a","b', field: '' },
    ])
      expect(() => sealing.open(sealed, other)).toThrow(/another account or field/);
  });

  it('refuses a text without its key, a damaged one, and one that was never stored', () => {
    const sealed = createSealing([one]).seal('text', place);
    for (const keys of [[], [two]]) expect(() => createSealing(keys).open(sealed, place)).toThrow(SealedError);
    const damaged = [sealed.slice(0, -2) + (sealed.endsWith('AA') ? 'BB' : 'AA'), sealed.slice(0, 22), 'whsec_abc', ''];
    for (const stored of damaged) expect(() => createSealing([one]).open(stored, place)).toThrow(SealedError);
  });
});
