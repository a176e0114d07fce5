/** Most code points of a stored error text. Each attempt writes its error to Redis and to the log. */
const ERROR_MAX = 500;

/**
 * Makes an error text safe to store. It may quote a receiver, a name server or a TLS library, so it is cut to 500 code
 * points. Lone surrogates are replaced, because the JSON parser of the Redis functions would refuse the whole call that
 * contains one.
 */
export function errorText(text: string): string {
  // A code point has at most two code units, so a long text need not be scanned to its end.
  const kept = Array.from(text.slice(0, 2 * ERROR_MAX))
    .slice(0, ERROR_MAX)
    .join('');
  return kept.replace(/\p{Surrogate}/gu, '\uFFFD');
}

/**
 * An error without what it quotes of a reply, for logs, traces and operators. Quotations stand between typographic
 * quotation marks.
 */
export const withoutQuotations = (error: string): string =>
  error
    .replace(/“[^”]*(”|$)/g, '“…”')
    .replace(/no item for “…”(?:, “…”)*(?: and \d+ more)?/, 'no item for them')
    .replace('"status" of “…”', '"status" of an event')
    .replace('the text “…”', 'a text')
    .replace('but one for “…”', 'but one for another event');
