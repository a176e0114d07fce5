import type { Flight } from './drain.ts';

/** In a crowded pool, requests may be cut after this time; those of proven destinations after the second. */
const CUT_AFTER_MS = 500;
const CUT_PROVEN_AFTER_MS = 2500;
/** Most requests cut in one tick. Each costs a socket. */
const CUT_AT_ONCE = 64;

/** The requests to cut to make room in a crowded pool: first those of destinations with a failed last attempt. `flights`: oldest first. */
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
