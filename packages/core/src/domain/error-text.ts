/** Most code points of an error's text that are kept: it is written to Redis and the logs at every attempt. */
const ERROR_MAX = 500;

/**
 * A failure's text, fit to be kept: at most 500 code points, whoever else's words are in it (a receiver's, a name server's, those of TLS),
 * and no half of a surrogate pair, which the scripts' JSON parser refuses together with everything that is sent beside it.
 */
export function errorText(text: string): string {
  // A code point has two units at most: the rest of a long text is not looked at.
  const kept = Array.from(text.slice(0, 2 * ERROR_MAX))
    .slice(0, ERROR_MAX)
    .join('');
  return kept.replace(/\p{Surrogate}/gu, '\uFFFD');
}
