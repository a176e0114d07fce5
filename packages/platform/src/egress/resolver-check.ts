import { Resolver } from 'node:dns/promises';
import { open } from 'node:fs/promises';
import { devNull } from 'node:os';
import { setTimeout as after } from 'node:timers/promises';

/** No name server answers any query, so the fault lies with Mailhook's resolver, not with a customer's name. */
export class ResolverAwayError extends Error {
  override readonly name = 'ResolverAwayError';
}

export interface ResolverCheckOptions {
  /** A longer wait counts as no answer. */
  readonly timeoutMs: number;
  /** The default is the system's name servers. */
  readonly nameServers?: readonly string[] | undefined;
}

/**
 * Returns why lookups cannot work now: `ResolverAwayError`, or the error of a process without file descriptors
 * (`EMFILE`, `ENFILE`). Returns undefined if a name server answers. Never rejects.
 */
export type ResolverCheck = () => Promise<Error | undefined>;

const KEPT_MS = 1000;

/** The errors of c-ares that mean that no name server answered. Every other error is an answer. */
const SILENCE: readonly unknown[] = ['ETIMEOUT', 'ECONNREFUSED'];
export const isSilence = (error: unknown): boolean => SILENCE.includes(codeOf(error));

/**
 * Creates a check that queries the name servers of the root, which every working resolver has in its cache. Concurrent
 * checks share one query. Its result is cached for a second.
 */
export function createResolverCheck({ timeoutMs, nameServers }: ResolverCheckOptions): ResolverCheck {
  const servers = nameServers ?? new Resolver().getServers();
  // c-ares tries the servers one after the other, and may notice a missing answer only after twice its timeout.
  const perServerMs = Math.max(20, Math.floor(timeoutMs / (2 * Math.max(1, servers.length))));
  const resolver = new Resolver({ timeout: perServerMs, tries: 1 });
  if (nameServers !== undefined) resolver.setServers(nameServers);
  let last: Promise<Error | undefined> | undefined;
  let keptUntilMs = 0;

  const check = async (): Promise<Error | undefined> => {
    const isAnswered = await Promise.race([answered(resolver), after(timeoutMs, false, { ref: false })]);
    keptUntilMs = performance.now() + KEPT_MS;
    if (isAnswered) return undefined;
    // Without a free file descriptor, c-ares reports ECONNREFUSED.
    return (await openFault()) ?? new ResolverAwayError(`no answer from ${servers.join(', ')}`);
  };

  return () => {
    if (last === undefined || performance.now() > keptUntilMs) {
      keptUntilMs = Number.POSITIVE_INFINITY;
      last = check();
    }
    return last;
  };
}

const answered = (resolver: Resolver): Promise<boolean> =>
  resolver.resolveNs('.').then(
    () => true,
    (error: unknown) => !isSilence(error),
  );

async function openFault(): Promise<Error | undefined> {
  try {
    const file = await open(devNull);
    await file.close();
    return undefined;
  } catch (error) {
    return error as Error;
  }
}

const codeOf = (error: unknown): unknown => Reflect.get(Object(error), 'code');
