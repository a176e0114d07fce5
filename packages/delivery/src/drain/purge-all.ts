import type { DrainPoolOptions } from './drain-pool-options.ts';
import type { Drain } from './drain.ts';

/**
 * Gives up all mail of a destination that this worker owns, in small steps, and tells of each. Ends early, without an error, when another owns it by now or
 * Redis is away: the drain's next look finds what is left.
 */
export async function purgeAll(
  { destination, token }: Drain,
  options: Pick<DrainPoolOptions, 'scripts' | 'onPurged' | 'onError'>,
): Promise<void> {
  try {
    for (let again = true, step = 0; again; step += 1) {
      const idPrefix = `${token}-p${step.toString(36)}-`;
      const purged = await options.scripts.purge({ destination, token, idPrefix, reason: '' });
      if (purged === undefined) break;
      options.onPurged(destination, purged);
      again = purged.again;
    }
  } catch (error) {
    options.onError(error as Error);
  }
}
