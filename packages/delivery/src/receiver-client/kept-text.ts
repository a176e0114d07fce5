/** Enough for every reason phrase, media type and date in use. */
const KEPT_MAX = 100;

/**
 * A text of a reply's head as far as it leaves the receiver client: its first 100 characters, `?` for what is not printable ASCII. undici
 * bounds the headers, but not the status line: a receiver could write its reason phrase into Redis and the logs with every attempt.
 */
export const keptText = (text: string): string => text.slice(0, KEPT_MAX).replace(/[^\x20-\x7e]/gu, '?');
