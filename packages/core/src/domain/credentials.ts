/** What the requests to a destination prove or carry besides the events. */
export interface Credentials {
  /** Signing secrets, oldest first. */
  readonly secrets: readonly string[];
  /** Custom headers by their lowercase names. */
  readonly headers: Readonly<Record<string, string>>;
  /** Most requests per second, or null without a limit. */
  readonly maxRequestsPerSecond: number | null;
}

const HEADERS = 'headers:';
const PACE = 'pace:';

/**
 * The text in a destination's record. It is a JSON list of signing secrets, because workers of versions without custom headers read it too. To
 * them, headers and pace are further secrets, and a receiver ignores further signatures.
 */
export function formatCredentials({ secrets, headers, maxRequestsPerSecond }: Credentials): string {
  const texts = [
    ...secrets,
    ...(Object.keys(headers).length === 0 ? [] : [HEADERS + JSON.stringify(headers)]),
    ...(maxRequestsPerSecond === null ? [] : [`${PACE}${maxRequestsPerSecond}`]),
  ];
  return texts.length === 0 ? '' : JSON.stringify(texts);
}

export function parseCredentials(text: string): Credentials {
  const texts = text === '' ? [] : (JSON.parse(text) as string[]);
  const headers = texts.find((one) => one.startsWith(HEADERS))?.slice(HEADERS.length) ?? '{}';
  return {
    secrets: texts.filter((one) => !one.startsWith(HEADERS) && !one.startsWith(PACE)),
    headers: JSON.parse(headers) as Record<string, string>,
    maxRequestsPerSecond: paceOf(text) ?? null,
  };
}

/** The limit of requests per second in the text, without parsing it, because every request needs it. In a header, the quotes would be escaped. */
export function paceOf(text: string): number | undefined {
  if (text === '') return undefined;
  const pace = /"pace:(\d+)"/.exec(text)?.[1];
  return pace === undefined ? undefined : Number(pace);
}
