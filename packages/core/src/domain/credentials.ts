/** What the requests to a destination prove or carry besides the events. */
export interface Credentials {
  /** Signing secrets, oldest first. */
  readonly secrets: readonly string[];
  /** Custom headers by their lowercase names. */
  readonly headers: Readonly<Record<string, string>>;
  /** Most requests per second, or null without a limit. */
  readonly maxRequestsPerSecond: number | null;
}

/** The text in a destination's record: a JSON object without empty values, or '' if all are empty. */
export function formatCredentials({ secrets, headers, maxRequestsPerSecond }: Credentials): string {
  const stored: Partial<Credentials> = {
    // First, where `paceOf` expects it.
    ...(maxRequestsPerSecond === null ? {} : { maxRequestsPerSecond }),
    ...(secrets.length === 0 ? {} : { secrets }),
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
  };
  return Object.keys(stored).length === 0 ? '' : JSON.stringify(stored);
}

export function parseCredentials(text: string): Credentials {
  const stored = text === '' ? {} : (JSON.parse(text) as Partial<Credentials>);
  return { secrets: [], headers: {}, maxRequestsPerSecond: null, ...stored };
}

/** The limit of requests per second in the text, without parsing it, because every request needs it. */
export function paceOf(text: string): number | undefined {
  const pace = /^\{"maxRequestsPerSecond":(\d+)/.exec(text)?.[1];
  return pace === undefined ? undefined : Number(pace);
}
