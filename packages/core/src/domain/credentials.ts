import type { Limits } from '../contracts/destination-settings.ts';
import { limitsOf, NO_LIMITS } from '../contracts/destination-settings.ts';

/** How requests to a destination are made, besides what they carry. Values are sealed if there is a `SECRETS_KEY`. */
export interface Credentials {
  /** Signing secrets, oldest first. */
  readonly secrets: readonly string[];
  /** Older ones, which sign until a time in Unix milliseconds. Absent: none. */
  readonly endingSecrets?: readonly (readonly [secret: string, untilMs: number])[] | undefined;
  /** Custom headers by their lowercase names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly limits: Limits;
}

/** The text in a destination's record: a JSON object without empty values, or '' if all are empty. */
export function formatCredentials({ secrets, endingSecrets = [], headers, limits }: Credentials): string {
  const set = Object.fromEntries(Object.entries(limits).filter(([, limit]) => limit !== null));
  const stored = {
    // First, where `limitsIn` expects them.
    ...(Object.keys(set).length === 0 ? {} : { limits: set }),
    ...(secrets.length === 0 ? {} : { secrets }),
    ...(endingSecrets.length === 0 ? {} : { endingSecrets }),
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
  };
  return Object.keys(stored).length === 0 ? '' : JSON.stringify(stored);
}

export function parseCredentials(text: string): Credentials {
  const parsed = text === '' ? {} : (JSON.parse(text) as Partial<Credentials>);
  const { secrets = [], endingSecrets, headers = {}, limits = {} } = parsed;
  return { secrets, endingSecrets, headers, limits: limitsOf(limits) };
}

/** The secrets that sign at this time, oldest first. */
export const secretsAt = ({ secrets, endingSecrets = [] }: Credentials, nowMs: number): readonly string[] =>
  endingSecrets.length === 0
    ? secrets
    : [...endingSecrets.flatMap(([secret, untilMs]) => (untilMs > nowMs ? [secret] : [])), ...secrets];

/** The limits in the text, without parsing the rest of it. */
export function limitsIn(text: string): Limits {
  const limits = /^\{"limits":(\{[^}]*\})/.exec(text)?.[1];
  return limits === undefined ? NO_LIMITS : limitsOf(JSON.parse(limits) as Partial<Limits>);
}
