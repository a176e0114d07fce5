import { randomBytes } from 'node:crypto';
import type { DrainPoolOptions } from './drain-pool-options.ts';
import type { Drain } from './drain.ts';

/** Why events are given up that have waited too long. */
export const TOO_OLD = 'it waited for longer than WAITING_MAX_AGE';

/** Names dead letters; no two steps share one, whatever Redis has forgotten in between. */
export const letterPrefix = (): string => `p${randomBytes(8).toString('hex')}-`;

/**
 * Gives up the events of a destination that this worker owns, all of them or only the expired ones, in small steps, and reports each step. Ends early,
 * without an error, when another worker owns the destination by now or Redis is away: the drain's next step finds the rest.
 */
export async function purgeAll(
  { destination, token }: Drain,
  status: 'purge' | 'expired',
  options: Pick<DrainPoolOptions, 'scripts' | 'limits' | 'onPurged' | 'onError'>,
): Promise<void> {
  const expired = status === 'expired' ? { olderThanMs: options.limits.maxAgeMs, reason: TOO_OLD } : { reason: '' };
  try {
    for (let again = true; again;) {
      const purged = await options.scripts.purge({ destination, token, idPrefix: letterPrefix(), ...expired });
      if (purged === undefined) break;
      options.onPurged(destination, purged);
      again = purged.again;
    }
  } catch (error) {
    options.onError(error as Error);
  }
}
