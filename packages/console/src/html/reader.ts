import type { Language } from '@mailhook/core';

/** Who reads a page: texts, numbers and times are written for this person. */
export interface Reader {
  readonly language: Language;
  /** An IANA time zone. */
  readonly timeZone: string;
  readonly nowMs: number;
  /** How long a receiver has for a reply, which texts name. */
  readonly deadlineMs: number;
}

/** The reader of pages in English only, such as those of operators, with times in UTC and all dates. */
export const NOBODY: Reader = { language: 'en', timeZone: 'UTC', nowMs: 0, deadlineMs: 5000 };

/** Each language in itself, for readers who know no other. */
export const LANGUAGE_NAMES: Readonly<Record<Language, string>> = { en: 'English', pl: 'Polski', de: 'Deutsch' };
