import fc from 'fast-check';
import { coded, CODED_TEXTS, CodedText, placesIn, readCoded } from './coded-text.ts';
import type { TextCode } from './coded-text.ts';

const namesOf = (code: TextCode): string[] => placesIn(CODED_TEXTS[code]).filter((_, i) => i % 2 === 1);

describe('a coded text', () => {
  const text = coded('confirms-some', {
    open: 2,
    events: 3,
    fault: coded('no-item-more', { hashes: '“a”, …', more: 4 }),
  });

  it('is its English sentence, in JSON too', () => {
    const english =
      'the acknowledgement leaves 2 of 3 events unconfirmed: it has no item for “a”, a long text and 4 more';
    expect(String(text)).toBe(english);
    expect(JSON.parse(JSON.stringify({ text }))).toEqual({ text: english });
    expect(String(text.shownAs('less'))).toBe('less');
  });

  it('is stored as its code and values', () => {
    expect(text.packed).toBe('confirms-some\t2\t3\tno-item-more\t“a”, …\t4');
    expect(String(readCoded(text.packed))).toBe(String(text));
    expect(readCoded(text.packed).cause.code).toBe('no-item-more');
  });

  it.each(Object.keys(CODED_TEXTS) as TextCode[])('%s is read as it was written, whatever its values', (code) => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 30 }), { minLength: 3, maxLength: 3 }), (texts) => {
        const values = namesOf(code).map((name, i) => [name, name === 'fault' ? coded('reset') : (texts[i] ?? '')]);
        const written = new CodedText(code, Object.fromEntries(values) as CodedText['values']);
        const read = readCoded(written.packed);
        expect(read.code).toBe(code);
        expect(String(read)).toBe(String(written).replaceAll('\t', ' '));
      }),
      { numRuns: 20 },
    );
  });

  it('takes no more bytes than its sentence', () => {
    for (const code of Object.keys(CODED_TEXTS) as TextCode[]) {
      const values = Object.fromEntries(namesOf(code).map((name) => [name, 'x']));
      const one = new CodedText(code, values);
      if (code !== 'other') expect([code, one.packed.length <= String(one).length]).toEqual([code, true]);
    }
  });

  it('of 500 code points at most, also with a long value', () => {
    const long = coded('redirect', { status: `301 ${'x'.repeat(1000)}` });
    expect(Array.from(String(long)).length).toBe(500);
    expect(String(readCoded(long.packed))).toHaveLength(500);
  });

  it('whose values were lost has gaps', () => {
    const lost = readCoded('status');
    expect([String(lost), lost.packed]).toEqual(['the receiver answered HTTP ', 'status\t']);
    const none = new CodedText('status', {});
    expect([String(none), none.packed]).toEqual(['the receiver answered HTTP ', 'status\t']);
  });

  it('of another origin is kept as it is', () => expect(String(readCoded('some text'))).toBe('some text'));
});
