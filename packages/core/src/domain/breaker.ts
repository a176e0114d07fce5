/**
 * The breaker of one destination (design, section 3, "Breaker"): after `failures` consecutive failed attempts, mail not yet tried is
 * held back for a while that doubles up to `parkMaxMs`; then a small probe decides. Resends leave when their schedule says, and count.
 */
export interface BreakerPolicy {
  readonly failures: number;
  readonly parkMaxMs: number;
}

export interface BreakerState {
  /** Consecutive failed attempts, in order of completion. */
  readonly failures: number;
  /** The last parking's length; 0 while the breaker is closed. */
  readonly parkMs: number;
  /** Parked until then (Unix milliseconds); 0 while closed. Past this moment the next fresh attempt is the probe. */
  readonly parkedUntilMs: number;
}

export const BREAKER_CLOSED: BreakerState = { failures: 0, parkMs: 0, parkedUntilMs: 0 };

/** First parking, in milliseconds. */
export const PARK_FIRST_MS = 5000;

/** The state after one attempt. A success, even a partial one, closes the breaker. */
export function breakerAfter(
  state: BreakerState,
  succeeded: boolean,
  policy: BreakerPolicy,
  nowMs: number,
): BreakerState {
  if (succeeded) return BREAKER_CLOSED;
  const failures = state.failures + 1;
  const held = nowMs < state.parkedUntilMs;
  // A resend that fails while the destination is parked already must not lengthen the parking.
  if (failures < policy.failures || held) return { ...state, failures };
  const parkMs = Math.min(state.parkMs === 0 ? PARK_FIRST_MS : state.parkMs * 2, policy.parkMaxMs);
  return { failures, parkMs, parkedUntilMs: nowMs + parkMs };
}
