/** What the requests to a destination prove or carry besides the events. */
export interface Credentials {
  /** Signing secrets, oldest first. */
  readonly secrets: readonly string[];
  /** Custom headers by their lowercase names. */
  readonly headers: Readonly<Record<string, string>>;
}

const HEADERS = 'headers:';

/**
 * The text in a destination's record. It is a JSON list of signing secrets, because workers of versions without custom headers read it too. To
 * them, the headers are one more secret, and a receiver ignores one more signature.
 */
export function formatCredentials({ secrets, headers }: Credentials): string {
  const texts = Object.keys(headers).length === 0 ? secrets : [...secrets, HEADERS + JSON.stringify(headers)];
  return texts.length === 0 ? '' : JSON.stringify(texts);
}

export function parseCredentials(text: string): Credentials {
  const texts = text === '' ? [] : (JSON.parse(text) as string[]);
  const headers = texts.find((one) => one.startsWith(HEADERS))?.slice(HEADERS.length) ?? '{}';
  return {
    secrets: texts.filter((one) => !one.startsWith(HEADERS)),
    headers: JSON.parse(headers) as Record<string, string>,
  };
}
