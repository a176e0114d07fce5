import { CHECK_TEXTS } from './check-texts.ts';
import { errorText } from './error-text.ts';
import { PROBLEM_TEXTS } from './problem-texts.ts';
import { REASON_TEXTS } from './reason-texts.ts';
import { REPLY_FIXES, WEB_PAGE_FIX } from './reply-fixes.ts';

/** Every text with a code, in English. */
export const CODED_TEXTS = {
  ...REASON_TEXTS,
  ...CHECK_TEXTS,
  ...PROBLEM_TEXTS,
  ...REPLY_FIXES,
  webPage: WEB_PAGE_FIX,
} as const;
export type TextCode = keyof typeof CODED_TEXTS;

/** The names in braces. Braces of JSON hold a space. */
type NamesIn<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? (Name extends `${string} ${string}` ? never : Name) | NamesIn<Rest>
  : never;
type NamesOf<Code extends TextCode> = NamesIn<(typeof CODED_TEXTS)[Code]>;

/** A receiver's text stands between typographic quotation marks. A bare `…` is one that is too long to quote. */
type Value = string | number | CodedText;
/** A text without values. */
export type PlainCode = { [Code in TextCode]: [NamesOf<Code>] extends [never] ? Code : never }[TextCode];
type Values = Readonly<Record<string, Value>>;

const PLACE = /\{(\w+)\}/;
const QUOTATIONS = /“[^”]*”|…/g;

/** Puts `words` in the place of quotations that are too long. */
export const withLongTexts = (value: string, words: string): string =>
  value.replace(QUOTATIONS, (one) => (one === '…' ? words : one));

/** A text around its values: texts at even positions, names of values between them. */
export const placesIn = (text: string): readonly string[] => text.split(PLACE);

/**
 * Why something failed, or what a check found: a code with its values. Pages say it in the reader's language. Its text,
 * and what it is in JSON, is the English sentence, so the API's answers hold plain texts.
 */
export class CodedText {
  readonly code: TextCode;
  readonly values: Values;
  readonly #english: string | undefined;

  constructor(code: TextCode, values: Values, english?: string) {
    this.code = code;
    this.values = values;
    this.#english = english;
  }

  /** At most 500 code points. */
  toString(): string {
    if (this.#english !== undefined) return this.#english;
    const parts = placesIn(CODED_TEXTS[this.code]).map((part, i) => (i % 2 === 0 ? part : this.#valueText(part)));
    return errorText(parts.join(''));
  }

  #valueText(name: string): string {
    const value = this.values[name] ?? '';
    return typeof value === 'string' ? withLongTexts(value, CODED_TEXTS['long-text']) : String(value);
  }

  toJSON(): string {
    return this.toString();
  }

  /** The same with another English text, for readers who must not see all of it. */
  shownAs(english: string): CodedText {
    return new CodedText(this.code, this.values, english);
  }

  /** The innermost reason. */
  get cause(): CodedText {
    const { fault } = this.values;
    return fault instanceof CodedText ? fault.cause : this;
  }

  /** As it is stored: the code and its values in the order of the English text, between tabs. */
  get packed(): string {
    return errorText(this.#parts().join('\t'));
  }

  #parts(): string[] {
    const values = placesIn(CODED_TEXTS[this.code])
      .filter((_, i) => i % 2 === 1)
      .map((name) => this.values[name] ?? '');
    return [
      this.code,
      ...values.flatMap((value) => (value instanceof CodedText ? value.#parts() : String(value).replaceAll('\t', ' '))),
    ];
  }
}

/** Names a text. The compiler knows the values of each code. */
export const coded = <Code extends TextCode>(
  code: Code,
  ...[values]: [NamesOf<Code>] extends [never] ? [] : [Readonly<Record<NamesOf<Code>, Value>>]
): CodedText => new CodedText(code, values ?? {});

const isCode = (text: string): text is TextCode => Object.hasOwn(CODED_TEXTS, text);

/** The text that `packed` made. A text of another origin becomes `other`. */
export function readCoded(packed: string): CodedText {
  const [code, ...rest] = packed.split('\t') as [string, ...string[]];
  if (!isCode(code)) return coded('other', { text: packed });
  const values: Record<string, Value> = {};
  for (const name of placesIn(CODED_TEXTS[code]).filter((_, i) => i % 2 === 1)) {
    values[name] = name === 'fault' ? readCoded(rest.splice(0).join('\t')) : (rest.shift() ?? '');
  }
  return new CodedText(code, values);
}
