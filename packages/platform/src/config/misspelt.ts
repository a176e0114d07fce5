import { KNOWN_VARIABLES } from './known-variables.ts';

/** A variable that nobody reads, though it looks like one of ours. */
export interface MisspeltVariable {
  readonly name: string;
  /** The variable that was probably meant; undefined where only its first word is ours. */
  readonly meant: string | undefined;
}

/** First words that no other program is likely to use. Not QUEUE_ or ADMIN_: those are everybody's. */
const OUR_FIRST_WORDS =
  /^(MAILHOOK|RETRY|BREAKER|POISON|WAITING|CAMPAIGN|TRANSACTIONAL|DELIVERY|DESTINATION|PARTIAL_ACK)_/;

/**
 * Variables that are set to no effect: unknown ones that are a slip away from a variable of ours that is not set, or begin with a word of
 * ours. What Kubernetes adds for the services of a namespace (`MAILHOOK_API_PORT=tcp://10.0.0.7:3000`) is not taken for one.
 */
export function misspeltVariables(
  env: NodeJS.ProcessEnv,
  known: readonly string[] = KNOWN_VARIABLES,
): MisspeltVariable[] {
  const unknown = Object.entries(env).filter(
    ([name, value]) => value !== undefined && value !== '' && !known.includes(name) && !isServiceLink(name, value),
  );
  return unknown.flatMap(([name]) => {
    const meant = known.find((one) => slips(name, one) <= slipsAllowed(one) && (env[one] ?? '') === '');
    return meant !== undefined || OUR_FIRST_WORDS.test(name) ? [{ name, meant }] : [];
  });
}

/** HOST and PORT are close to too many words. */
const slipsAllowed = ({ length }: string): number => (length < 6 ? 0 : length < 9 ? 1 : 2);

/** `X_SERVICE_HOST`, `X_SERVICE_PORT`, `X_SERVICE_PORT_HTTP`, `X_PORT=tcp://...`, `X_PORT_80_TCP`, `X_PORT_80_TCP_ADDR`. */
const isServiceLink = (name: string, value: string): boolean =>
  /_SERVICE_(HOST|PORT(_[A-Z0-9_]+)?)$/.test(name) ||
  /_PORT_\d+_(TCP|UDP|SCTP)(_(ADDR|PORT|PROTO))?$/.test(name) ||
  (name.endsWith('_PORT') && /^(tcp|udp|sctp):\/\//.test(value));

/** How many letters must be put in, left out, exchanged or swapped with their neighbour (the distance of Damerau and Levenshtein). */
function slips(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 2) return Number.POSITIVE_INFINITY;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const exchanged = (last[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      let least = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, exchanged);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (isSwap) least = Math.min(least, (beforeLast[j - 2] ?? 0) + 1);
      row.push(least);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length] ?? 0;
}
