import { LANGUAGES } from '@mailhook/core';
import type { Language } from '@mailhook/core';
import { html } from '../html/markup.ts';
import type { Content } from '../html/markup.ts';
import { pluralIn } from './catalog.ts';
import { CATALOGS } from './texts.ts';

type Message = string | ((values: unknown) => Content);

/** One number of each plural form, in all languages. */
const COUNTS = [0, 1, 2, 5, 12, 22, 101];

/** Stands for every value of a message, whatever its type: `{name}` as text, the count as number. */
function valuesWith(count: number, read: Set<string>): unknown {
  const valueOf = (name: string): unknown =>
    Object.assign((words: Content) => html`{${name}}${words}`, {
      [Symbol.toPrimitive]: (hint: string) => (hint === 'number' ? count : `{${name}}`),
    });
  return new Proxy({}, { get: (_, name) => (read.add(String(name)), valueOf(String(name))) });
}

/** The values that a message has, and those that its text shows for this count. */
function placesOf(message: Message, count: number): { read: string[]; shown: string[]; text: string } {
  const read = new Set<string>();
  const content = typeof message === 'string' ? message : message(valuesWith(count, read));
  const text = html`${content}`.toString();
  const shown = new Set(text.match(/\{\w+\}/g) ?? []);
  return { read: [...read].sort(), shown: [...shown].sort(), text };
}

const MESSAGES = Object.entries(CATALOGS.en).flatMap(([area, messages]) =>
  Object.keys(messages).map((key) => [area, key] as const),
);
const messageOf = (language: Language, area: string, key: string): Message =>
  (CATALOGS[language] as unknown as Record<string, Record<string, Message>>)[area]?.[key] ?? '';

describe('messages', () => {
  test.each(LANGUAGES)('in %s have the values of the English ones, in every plural form', (language) => {
    for (const [area, key] of MESSAGES) {
      for (const count of COUNTS) {
        const [own, english] = [language, 'en' as const].map((one) => placesOf(messageOf(one, area, key), count));
        expect([area, key, count, own?.read, own?.shown]).toEqual([area, key, count, english?.read, english?.shown]);
      }
    }
  });

  test('of several words are translated', () => {
    for (const language of ['pl', 'de'] as const) {
      const same = MESSAGES.filter(([area, key]) => {
        const [own, english] = [language, 'en' as const].map((one) => placesOf(messageOf(one, area, key), 5).text);
        return own === english && /\p{L}{2,} \p{L}{2,}/u.test(own ?? '');
      });
      expect([language, same]).toEqual([language, []]);
    }
  });

  test('of reasons and checks have no English words', () => {
    const ENGLISH = /\b(?:the|and|with|not|is|are|its|this|that|answered|receiver|reply)\b/i;
    for (const language of ['pl', 'de'] as const) {
      const found = MESSAGES.filter(([area, key]) => {
        const { text } = placesOf(messageOf(language, area, key), 5);
        return (
          ['reasons', 'checks', 'problems', 'advice'].includes(area) && ENGLISH.test(text.replaceAll(/"[^"]*"/g, ''))
        );
      });
      expect([language, found]).toEqual([language, []]);
    }
  });

  test('name no variable of operators', () => {
    for (const language of LANGUAGES) {
      const found = MESSAGES.filter(([area, key]) =>
        /\b[A-Z]+_[A-Z_]+\b/.test(placesOf(messageOf(language, area, key), 5).text),
      );
      // The reason of the operations webhook is for operators, in English.
      const allowed = language === 'en' ? [['reasons', 'operations-off']] : [];
      expect([language, found]).toEqual([language, allowed]);
    }
  });

  test('are trimmed, and none is empty', () => {
    for (const language of LANGUAGES) {
      for (const [area, key] of MESSAGES) {
        const { text } = placesOf(messageOf(language, area, key), 1);
        expect([language, area, key, text]).toEqual([language, area, key, text.trim()]);
        expect([language, area, key, text]).not.toEqual([language, area, key, '']);
      }
    }
  });
});

describe('plurals', () => {
  const events = pluralIn('pl');

  test.each([
    [0, '0 zdarzeń'],
    [1, '1 zdarzenie'],
    [2, '2 zdarzenia'],
    [4, '4 zdarzenia'],
    [5, '5 zdarzeń'],
    [12, '12 zdarzeń'],
    [14, '14 zdarzeń'],
    [21, '21 zdarzeń'],
    [22, '22 zdarzenia'],
    [25, '25 zdarzeń'],
    [104, '104 zdarzenia'],
    [112, '112 zdarzeń'],
    [1001, '1001 zdarzeń'],
    [12_004, '12\u00A0004 zdarzenia'],
  ])('in Polish: %i', (count, text) => {
    const forms = (number: string) => ({
      one: `${number} zdarzenie`,
      few: `${number} zdarzenia`,
      many: `${number} zdarzeń`,
    });
    expect(events(count, forms)).toBe(text);
  });

  test('of whole numbers have one of the forms of the language', () => {
    const used = (language: Language) =>
      [...new Set(Array.from({ length: 10_001 }, (_, n) => new Intl.PluralRules(language).select(n)))].sort();
    expect(LANGUAGES.map(used)).toEqual([
      ['one', 'other'],
      ['few', 'many', 'one'],
      ['one', 'other'],
    ]);
  });
});
