import { slips } from '@mailhook/core';
import { FILE_VARIABLES, KNOWN_VARIABLES } from './known-variables.ts';

/** A variable that no process reads, although it looks like one of Mailhook's. */
export interface MisspeltVariable {
  readonly name: string;
  /** The variable that was probably meant. Undefined if only the first word is one of Mailhook's. */
  readonly meant: string | undefined;
}

/** First words that other programs are unlikely to use. QUEUE_ and ADMIN_ are too common for this list. */
const OUR_FIRST_WORDS =
  /^(MAILHOOK|RETRY|BREAKER|POISON|WAITING|CAMPAIGN|TRANSACTIONAL|DELIVERY|DESTINATION|PARTIAL_ACK)_/;

/**
 * Finds variables that are set without effect. These are unknown variables with a name similar to that of an unset
 * variable of Mailhook, or with one of its first words. Ignores the variables that Kubernetes adds for the services of
 * a namespace (`MAILHOOK_API_PORT=tcp://10.0.0.7:3000`).
 */
export function misspeltVariables(
  env: NodeJS.ProcessEnv,
  known: readonly string[] = [...KNOWN_VARIABLES, ...FILE_VARIABLES],
): MisspeltVariable[] {
  const unknown = Object.entries(env).filter(
    ([name, value]) => value !== undefined && value !== '' && !known.includes(name) && !isServiceLink(name, value),
  );
  return unknown.flatMap(([name]) => {
    const meant = known.find((one) => slips(name, one) <= slipsAllowed(one) && (env[one] ?? '') === '');
    return meant !== undefined || OUR_FIRST_WORDS.test(name) ? [{ name, meant }] : [];
  });
}

/** Short names such as HOST and PORT are similar to too many words. */
const slipsAllowed = ({ length }: string): number => (length < 6 ? 0 : length < 9 ? 1 : 2);

/**
 * `X_SERVICE_HOST`, `X_SERVICE_PORT`, `X_SERVICE_PORT_HTTP`, `X_PORT=tcp://...`, `X_PORT_80_TCP`, `X_PORT_80_TCP_ADDR`.
 */
const isServiceLink = (name: string, value: string): boolean =>
  /_SERVICE_(HOST|PORT(_[A-Z0-9_]+)?)$/.test(name) ||
  /_PORT_\d+_(TCP|UDP|SCTP)(_(ADDR|PORT|PROTO))?$/.test(name) ||
  (name.endsWith('_PORT') && /^(tcp|udp|sctp):\/\//.test(value));
