import { randomBytes } from 'node:crypto';
import type { DrainPoolDeps } from './drain-pool-deps.ts';
import type { Drain } from './drain.ts';

/** Error text of dead letters with expired events. */
export const TOO_OLD = 'the event waited longer than WAITING_MAX_AGE';

/** A prefix for the ids of dead letters. Random, so that two steps never share one, even after Redis has lost writes. */
export const deadLetterPrefix = (): string => `p${randomBytes(8).toString('hex')}-`;

/**
 * Gives up all events of an owned destination, or only the expired ones, in small steps, and reports each step. Ends early if another worker owns
 * the destination or Redis is away. The next step of the drain finds the rest.
 */
export async function giveUpAll(
  { destination, token }: Drain,
  status: 'give up' | 'expired',
  deps: Pick<DrainPoolDeps, 'commands' | 'limits' | 'onGivenUp' | 'onError'>,
): Promise<void> {
  const expired = status === 'expired' ? { olderThanMs: deps.limits.maxAgeMs, reason: TOO_OLD } : { reason: '' };
  try {
    for (let again = true; again;) {
      const givenUp = await deps.commands.giveUpStep({ destination, token, idPrefix: deadLetterPrefix(), ...expired });
      if (givenUp === undefined) break;
      deps.onGivenUp(destination, givenUp);
      again = givenUp.again;
    }
  } catch (error) {
    deps.onError(error as Error);
  }
}
