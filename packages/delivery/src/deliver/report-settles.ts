import { resentToNewAddress } from './build-settle.ts';
import type { DrainPoolDeps } from './drain-pool-deps.ts';
import type { Drain } from './drain.ts';

type Reports = Pick<DrainPoolDeps, 'onAttempt' | 'onFollowUps'>;

/** Reports written settles: their follow-ups, and the attempts that waited for Redis. `follow` has the ids of batches that go to a new address. */
export function reportSettled(
  { destination, target }: Drain,
  settles: Drain['settles'],
  follow: ReadonlySet<string>,
  { onAttempt, onFollowUps }: Reports,
): void {
  const followUps = settles.flatMap((settle) =>
    follow.has(settle.batch) ? settle.followUps.filter(({ type }) => type !== 'dead') : settle.followUps,
  );
  for (const { batch, unreported } of settles) {
    if (unreported !== undefined) onAttempt(follow.has(batch) ? resentToNewAddress(unreported) : unreported);
  }
  if (followUps.length > 0) onFollowUps(destination, target?.account ?? '', followUps);
}

/** Reports the attempts of refused settles. Another worker owns the destination now and sends their events again. */
export function reportRefused(settles: Drain['settles'], { onAttempt }: Pick<Reports, 'onAttempt'>): void {
  for (const { unreported } of settles) if (unreported !== undefined) onAttempt(resentToNewAddress(unreported));
}
