import type { Language } from '@mailhook/core';
import { numberText } from '../html/formats.ts';
import type { Content, Markup } from '../html/markup.ts';

/** The messages of an area in another language. A missing or misspelt key, or an unknown value, fails the compiler. */
export type Translated<English> = {
  readonly [Key in keyof English]: English[Key] extends string
    ? string
    : English[Key] extends (values: infer Values) => Content
      ? (values: Values) => Content
      : never;
};

/** Marks the place of a link, or of other HTML, around words of a sentence. */
export type Around = (words: Content) => Markup;

/** The plural forms of whole numbers. */
interface Forms {
  readonly en: 'one' | 'other';
  readonly pl: 'one' | 'few' | 'many';
  readonly de: 'one' | 'other';
}

/**
 * Chooses the form of a count. Each form is a whole sentence; `number` is the count as the language writes it.
 *
 * @throws for a count that is not whole, because such numbers have further forms.
 */
export const pluralIn = <In extends Language>(language: In) => {
  const rules = new Intl.PluralRules(language);
  return <Form extends Content>(value: number, forms: (number: string) => Readonly<Record<Forms[In], Form>>): Form => {
    const all: Readonly<Record<string, Form>> = forms(numberText(language, value));
    const form = all[rules.select(value)];
    if (form === undefined) throw new RangeError(`${language} has no form for ${value}`);
    return form;
  };
};

/** All areas of messages in another language. */
export type Catalog<English> = { readonly [Area in keyof English]: Translated<English[Area]> };
