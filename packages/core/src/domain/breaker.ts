/**
 * The circuit breaker of one destination (docs/guarantees.md). After `failures` consecutive failed attempts, Mailhook
 * parks the destination: it holds new events back. Then a probe decides. Each failed probe doubles the wait, up to
 * `parkMaxMs`. Resends follow their schedule meanwhile; their failures count too.
 */
export interface BreakerPolicy {
  readonly failures: number;
  readonly parkMaxMs: number;
}

export interface BreakerState {
  /** Consecutive failed attempts, in order of completion. */
  readonly failures: number;
  /** The length of the last parking, or 0 while the breaker is closed. */
  readonly parkMs: number;
  /**
   * The end of the parking by the caller's clock, or 0 while the breaker is closed. The first attempt with new events
   * after it is the probe.
   */
  readonly parkedUntilMs: number;
}

export const BREAKER_CLOSED: BreakerState = { failures: 0, parkMs: 0, parkedUntilMs: 0 };

/** The length of the first parking. */
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
  // A resend that fails while the destination is parked must not lengthen the parking.
  if (failures < policy.failures || held) return { ...state, failures };
  const parkMs = Math.min(state.parkMs === 0 ? PARK_FIRST_MS : state.parkMs * 2, policy.parkMaxMs);
  return { failures, parkMs, parkedUntilMs: nowMs + parkMs };
}
