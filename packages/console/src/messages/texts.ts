import type { Language } from '@mailhook/core';
import { Localized } from '../html/markup.ts';
import type { Content } from '../html/markup.ts';
import { de } from './de/index.ts';
import { en } from './en/index.ts';
import { pl } from './pl/index.ts';
import type { Catalog } from './catalog.ts';

/** Every text of the customer's pages, by language. */
export const CATALOGS: Record<Language, Catalog<typeof en>> = { en, pl, de };

type Texts<English> = {
  readonly [Area in keyof English]: {
    readonly [Key in keyof English[Area]]: English[Area][Key] extends (values: infer Values) => Content
      ? (values: Values) => Localized
      : Localized;
  };
};

type Message = string | ((values: never) => Content);
type Messages = Readonly<Record<string, Readonly<Record<string, Message>>>>;

function textOf(area: string, key: string, message: Message): Localized | ((values: never) => Localized) {
  const catalogs: Readonly<Record<Language, Messages>> = CATALOGS;
  if (typeof message === 'string')
    return new Localized(({ language }) => unbroken(catalogs[language][area]?.[key] as string));
  return (values) =>
    new Localized(({ language }) => (catalogs[language][area]?.[key] as (values: never) => Content)(values));
}

/** Keeps the German word on one line. */
const unbroken = (text: string): string => text.replaceAll('E-Mail', 'E\u2011Mail');

/** The messages as content of a page. Each becomes the reader's text when the page is written. */
export const texts = Object.fromEntries(
  Object.entries<Messages[string]>(en).map(([area, messages]) => [
    area,
    Object.fromEntries(Object.entries(messages).map(([key, message]) => [key, textOf(area, key, message)])),
  ]),
) as Texts<typeof en>;
