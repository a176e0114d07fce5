import { LANGUAGES } from '@mailhook/core';
import type { Language } from '@mailhook/core';
import type { Request, Response } from 'express';
import { cookieIn } from '../../html/page-cookie.ts';
import type { PageCookie } from '../../html/page-cookie.ts';
import type { Reader } from '../../html/reader.ts';

/** Who reads the pages of a request, and in which language. */
export interface Readers {
  of(request: Request): Reader;
  /** Keeps the language in the browser. Other texts change nothing. */
  choose(response: Response, language: string | undefined): void;
}

interface ReadersDeps {
  readonly cookie: PageCookie;
  /** For browsers that ask for no language that the pages have. */
  readonly language: Language;
  readonly now: () => number;
  readonly deadlineMs: number;
}

/** The cookie in which the script keeps the chosen time zone (`times.js`). */
const ZONE_COOKIE = 'mailhook_time_zone';

const languageOf = (text: string | undefined): Language | undefined => LANGUAGES.find((one) => one === text);

/** The language that was chosen, or else the one that the browser asks for, or else the one of the installation. */
export const createReaders = ({ cookie, language, now, deadlineMs }: ReadersDeps): Readers => ({
  of(request) {
    // Of languages that a browser likes equally, the first counts.
    const asked = request.acceptsLanguages(language, ...LANGUAGES);
    return {
      language: languageOf(cookie.read(request)) ?? languageOf(String(asked)) ?? language,
      timeZone: timeZoneOf(request),
      nowMs: now(),
      deadlineMs,
    };
  },
  choose(response, chosen) {
    const known = languageOf(chosen);
    if (known !== undefined) cookie.set(response, known);
  },
});

/** The time zone that the reader chose, or UTC. */
function timeZoneOf(request: Request): string {
  try {
    const timeZone = decodeURIComponent(cookieIn(request, ZONE_COOKIE) ?? 'UTC');
    return new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone;
  } catch {
    return 'UTC';
  }
}
