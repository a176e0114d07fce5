/** Enough for every reason phrase, media type and date in use. */
const KEPT_MAX = 100;

/**
 * The part of a header or reason phrase that the receiver client returns: its first 100 characters, with `?` for
 * anything but printable ASCII. undici limits the headers but not the status line. Without this limit, a receiver could
 * fill Redis and the logs with its reason phrase.
 */
export const sanitizeHeader = (text: string): string => text.slice(0, KEPT_MAX).replace(/[^\x20-\x7e]/gu, '?');
