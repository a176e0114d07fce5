import { Resolver } from 'node:dns/promises';
import { open } from 'node:fs/promises';
import { devNull } from 'node:os';
import { setTimeout as after } from 'node:timers/promises';

/** No name server answers anything: the fault lies with Mailhook's own resolver, not with a customer's name. */
export class ResolverAwayError extends Error {
  override readonly name = 'ResolverAwayError';
}

export interface ResolverCheckOptions {
  /** How long after an absence the resolver still counts as away: a lookup may have begun during it. */
  readonly graceMs: number;
  /** An answer that takes longer is none. */
  readonly timeoutMs: number;
  /** Default: those of the system. */
  readonly nameServers?: readonly string[] | undefined;
}

/**
 * Why lookups cannot work now: ResolverAwayError, or the EMFILE or ENFILE of a process without file descriptors. Undefined when a name
 * server answers. Never rejects.
 */
export type ResolverCheck = () => Promise<Error | undefined>;

const KEPT_MS = 1000;

/** What c-ares reports when no name server has sent an answer; every other error is an answer. */
const SILENCE: readonly unknown[] = ['ETIMEOUT', 'ECONNREFUSED'];
export const isSilence = (error: unknown): boolean => SILENCE.includes(codeOf(error));

/**
 * Asks for the name servers of the root, which every working resolver has in its cache. Concurrent checks share one question, and its
 * result is kept for a second.
 */
export function createResolverCheck({ graceMs, timeoutMs, nameServers }: ResolverCheckOptions): ResolverCheck {
  const servers = nameServers ?? new Resolver().getServers();
  // One after the other must be asked in time, and c-ares may notice a silence only after twice its timeout.
  const perServerMs = Math.max(20, Math.floor(timeoutMs / (2 * Math.max(1, servers.length))));
  const resolver = new Resolver({ timeout: perServerMs, tries: 1 });
  if (nameServers !== undefined) resolver.setServers(nameServers);
  let last: Promise<Error | undefined> | undefined;
  let keptUntilMs = 0;
  let away: ResolverAwayError | undefined;
  let awayUntilMs = 0;

  const check = async (): Promise<Error | undefined> => {
    const isAnswered = await Promise.race([answered(resolver), after(timeoutMs, false, { ref: false })]);
    keptUntilMs = performance.now() + KEPT_MS;
    if (isAnswered) return performance.now() < awayUntilMs ? away : undefined;
    // Without a file descriptor c-ares reports ECONNREFUSED.
    const fault = await openFault();
    if (fault !== undefined) return fault;
    away = new ResolverAwayError(`no answer from ${servers.join(', ')}`);
    awayUntilMs = performance.now() + graceMs;
    return away;
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
