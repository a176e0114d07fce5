import { coded, CodedText, placesIn, withLongTexts } from '@mailhook/core';
import { inEnglish, masked } from '../html/elements.ts';
import { numberText } from '../html/formats.ts';
import { Localized, html } from '../html/markup.ts';
import type { Content } from '../html/markup.ts';
import type { Reader } from '../html/reader.ts';
import { texts } from './texts.ts';

const MESSAGES = { ...texts.advice, ...texts.checks, ...texts.problems, ...texts.reasons };

/** A value comes from outside, so it may be of any language and direction. */
const outside = (value: string): Content => html`<bdi>${value}</bdi>`;

const messageOf = (code: CodedText['code'], reader: Reader): string => MESSAGES[code].of(reader) as string;

const QUOTED = { en: '“$1”', pl: '„$1”', de: '„$1“' } as const;

/** Quotation marks per language. The services write English ones. */
const quoted = (value: string, { language }: Reader): string => value.replaceAll(/“([^”]*)”/g, QUOTED[language]);

/** A text with the quotation marks of the reader's language. */
export const saidQuote = (value: string): Localized => new Localized((reader) => quoted(value, reader));

type Show<Part> = (value: string) => Part;

/** Replaces the specification's text for a failed test by the usual sentence. */
function shownAs(text: CodedText): CodedText {
  const { code, values } = text;
  return code === 'test-status' ? coded('status', { status: String(values['line']).replace(CURL_LINE, '') }) : text;
}

/** Beginning of the specification's text for a failed connection test (`connectionTestFault`). */
const CURL_LINE = /^\d+ - HTTP\/1\.1 /;

function partsOf<Part>({ values }: CodedText, message: string, reader: Reader, show: Show<Part>): (Part | string)[] {
  return placesIn(message).flatMap((part, i) => {
    if (i % 2 === 0) return [part];
    const value = values[part] ?? '';
    if (value instanceof CodedText) return partsOf(value, messageOf(value.code, reader), reader, show);
    if (typeof value === 'number') return [numberText(reader.language, value)];
    return [show(quoted(masked(withLongTexts(value, messageOf('long-text', reader))), reader))];
  });
}

/** The text in the reader's language: a clause of a sentence, or the sentences of a check. */
export const said = (reason: CodedText): Localized => {
  const text = shownAs(reason);
  return new Localized((reader) => partsOf(text, messageOf(text.code, reader), reader, outside));
};

function sentenceOf<Part>(reason: CodedText, reader: Reader, show: Show<Part>): (Part | string)[] {
  const text = shownAs(reason);
  const message = messageOf(text.code, reader).replace(/\p{L}/u, (letter) => letter.toUpperCase());
  const isWhole = /[.!?]$/.test(text.code === 'other' ? String(text) : message);
  return [...partsOf(text, message, reader, show), isWhole ? '' : '.'];
}

/** The clause as a sentence. */
export const saidSentence = (text: CodedText): Localized =>
  new Localized((reader) => sentenceOf(text, reader, outside));

/** Why the API refuses something. What no page causes stays English. */
export const saidProblem = (detail: string | CodedText): Content =>
  detail instanceof CodedText ? said(detail) : inEnglish(detail);

/** The same as `saidSentence`, without HTML. `show` gets the values that are texts. */
export const plainSentence = (text: CodedText, show: Show<string> = (value) => value): Localized =>
  new Localized((reader) => sentenceOf(text, reader, show).join(''));
