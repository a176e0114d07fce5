import { randomBytes } from 'node:crypto';
import { createSealing, SealedError } from './index.ts';

const [one, two] = [randomBytes(32), randomBytes(32)];

describe('sealing', () => {
  it.each(['whsec_abc', '', 'ä\u0000\n', 'x'.repeat(5000)])('opens what it sealed: %j', (text) => {
    const sealing = createSealing([one]);
    const sealed = sealing.seal(text);
    expect(sealed).toMatch(/^sealed:1:[\da-f]{8}:[\w-]+$/);
    expect(sealed).not.toBe(sealing.seal(text));
    expect(sealing.open(sealed)).toBe(text);
  });

  it('without a key, stores texts as they are', () => {
    const sealing = createSealing([]);
    expect(sealing.seal('whsec_abc')).toBe('whsec_abc');
    expect(sealing.open('whsec_abc')).toBe('whsec_abc');
    expect(sealing.isOutdated('whsec_abc')).toBe(false);
  });

  it('reads texts from before the first key, and with a former key, and says that they are outdated', () => {
    const sealed = createSealing([one]).seal('text');
    const both = createSealing([two, one]);
    expect(both.open('plain')).toBe('plain');
    expect(both.open(sealed)).toBe('text');
    expect([both.isOutdated('plain'), both.isOutdated(sealed), both.isOutdated(both.seal('x'))]).toEqual([
      ...[true, true, false],
    ]);
  });

  it('refuses a text without its key, and a damaged one', () => {
    const sealed = createSealing([one]).seal('text');
    for (const keys of [[], [two]]) expect(() => createSealing(keys).open(sealed)).toThrow(SealedError);
    expect(() => createSealing([one]).open(sealed.slice(0, -2) + (sealed.endsWith('AA') ? 'BB' : 'AA'))).toThrow(
      'a stored secret is damaged',
    );
    expect(() => createSealing([one]).open(sealed.slice(0, 22))).toThrow(SealedError);
  });
});
