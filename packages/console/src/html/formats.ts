import { spanText } from '@mailhook/core';
import type { Language } from '@mailhook/core';
import { html, Localized } from './markup.ts';
import type { Content } from './markup.ts';
import type { Reader } from './reader.ts';

/** English pages have the day before the month, and 24 hours, as all others. */
const LOCALES: Readonly<Record<Language, string>> = { en: 'en-GB', pl: 'pl', de: 'de' };

const MADE = new Map<string, unknown>();

/** Readers choose among hundreds of time zones. */
const MADE_MAX = 500;

/** Making a format takes a hundred times as long as its use. */
function kept<Format>(key: string, make: () => Format): Format {
  const known = MADE.get(key) ?? make();
  if (MADE.size >= MADE_MAX) MADE.clear();
  MADE.set(key, known);
  return known as Format;
}

/** A number such as `1,204`. */
export const numberText = (language: Language, value: number): string =>
  kept(`number ${language}`, () => new Intl.NumberFormat(LOCALES[language])).format(value);

/** With a fraction of one digit. */
const decimalText = (language: Language, value: number): string =>
  kept(
    `decimal ${language}`,
    () => new Intl.NumberFormat(LOCALES[language], { minimumFractionDigits: 1, maximumFractionDigits: 1 }),
  ).format(value);

/** A time that something took, such as `40 ms` or `1.2 s`. */
export const tookOf = (ms: number): Localized =>
  new Localized(({ language }) =>
    ms < 1000 ? `${numberText(language, Math.round(ms))} ms` : `${decimalText(language, ms / 1000)} s`,
  );

/** A time span such as `4.2 h`. */
export const spanOf = (ms: number): Localized =>
  new Localized(({ language }) => spanText(ms, (value) => decimalText(language, value)));

/** 0 to 100, with one digit behind the point near both ends. Only everything is 100, and only nothing is 0. */
export const percentage = (share: number): Localized =>
  new Localized(({ language }) => {
    const percent = share * 100;
    if (percent === 0 || percent === 100) return numberText(language, percent);
    if (percent < 1) return decimalText(language, Math.max(0.1, percent));
    if (percent > 99) return decimalText(language, Math.min(99.9, percent));
    return numberText(language, Math.floor(percent));
  });

/** A time without a fraction, if it has none. */
export const roundTime = (ms: number): Content => (ms < 1000 ? [count(ms), ' ms'] : [count(ms / 1000), ' s']);

/** The same in documents, which are English. */
export const deadlineText = (ms: number): string => html`${roundTime(ms)}`.toString();

/** How long a receiver has for a reply. */
export const deadline = new Localized(({ deadlineMs }) => roundTime(deadlineMs));

export const count = (value: number): Localized => new Localized(({ language }) => numberText(language, value));

/** A list such as `a, b and c`. */
export const listOf = (members: readonly Content[]): Localized =>
  new Localized(({ language }) => {
    const format = kept(`list ${language}`, () => new Intl.ListFormat(LOCALES[language]));
    return format
      .formatToParts(members.map((_, i) => String(i)))
      .map(({ type, value }) => (type === 'element' ? members[Number(value)] : value));
  });

const formatOf = ({ language, timeZone }: Reader, name: string, options: Intl.DateTimeFormatOptions) =>
  kept(
    `${name} ${language} ${timeZone}`,
    () => new Intl.DateTimeFormat(LOCALES[language], { ...options, timeZone, hourCycle: 'h23' }),
  );

const CLOCK = { hour: '2-digit', minute: '2-digit', second: '2-digit' } as const;

/** A time in the reader's zone, such as `26 Nov, 04:58:23`. A time of today has no date. */
export function timeText(reader: Reader, date: Date): string {
  const day = formatOf(reader, 'day', { dateStyle: 'short' });
  const time =
    day.format(date) === day.format(reader.nowMs)
      ? formatOf(reader, 'clock', CLOCK)
      : formatOf(reader, 'time', { day: 'numeric', month: 'short', ...CLOCK });
  return `${time.format(date)}${reader.timeZone === 'UTC' ? ' UTC' : ''}`;
}

/** A time at an axis, such as `04:58` or `26 Nov`. */
export const axisText = (reader: Reader, date: Date, as: 'minute' | 'day'): string =>
  (as === 'minute'
    ? formatOf(reader, 'minute', { hour: '2-digit', minute: '2-digit' })
    : formatOf(reader, 'axis day', { day: 'numeric', month: 'short' })
  ).format(date);
