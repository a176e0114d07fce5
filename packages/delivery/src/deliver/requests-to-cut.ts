import type { Flight } from './drain.ts';

/** Requests may be cut after this time in flight, those to proven destinations only after `CUT_PROVEN_AFTER_MS`. */
const CUT_AFTER_MS = 500;
const CUT_PROVEN_AFTER_MS = 2500;
/** Most requests cut in one tick. Each costs a socket. */
const CUT_AT_ONCE = 64;

/** Chooses the requests to cut when the pool needs room, first those of destinations with a failed last attempt. `flights`: oldest first. */
export function flightsToCut(flights: Iterable<Flight>, nowMs: number): readonly Flight[] {
  const ripe: Flight[] = [];
  for (const flight of flights) {
    const ageMs = nowMs - flight.startedMs;
    if (ageMs < CUT_AFTER_MS) break;
    if (flight.cut !== undefined && (!flight.drain.isProven || ageMs > CUT_PROVEN_AFTER_MS)) ripe.push(flight);
  }
  ripe.sort((a, b) => doubtOf(b) - doubtOf(a));
  return ripe.slice(0, CUT_AT_ONCE);
}

/** How likely it is that a receiver hangs. */
const doubtOf = ({ drain: { breaker, isProven } }: Flight): number => (breaker.failures > 0 ? 2 : isProven ? 0 : 1);
