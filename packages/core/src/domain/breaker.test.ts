import fc from 'fast-check';
import { BREAKER_CLOSED, PARK_FIRST_MS, breakerAfter } from './breaker.ts';
import type { BreakerPolicy, BreakerState } from './breaker.ts';

const POLICY: BreakerPolicy = { failures: 5, parkMaxMs: 60_000 };
const fail = (state: BreakerState, nowMs: number, policy = POLICY) => breakerAfter(state, false, policy, nowMs);
const failures = (times: number, nowMs: number, policy = POLICY): BreakerState => {
  let state = BREAKER_CLOSED;
  for (let i = 0; i < times; i += 1) state = fail(state, nowMs, policy);
  return state;
};

describe('breakerAfter', () => {
  it('parks after five consecutive failures, not before', () => {
    expect(failures(4, 1000)).toEqual({ failures: 4, parkMs: 0, parkedUntilMs: 0 });
    expect(failures(5, 1000)).toEqual({ failures: 5, parkMs: PARK_FIRST_MS, parkedUntilMs: 1000 + PARK_FIRST_MS });
  });

  it('resets the count after a success', () => {
    const state = fail(breakerAfter(failures(4, 0), true, POLICY, 0), 0);
    expect(state).toEqual({ failures: 1, parkMs: 0, parkedUntilMs: 0 });
  });

  it('doubles the parking after each failed probe, up to the maximum', () => {
    let state = failures(5, 0);
    const parkings = [state.parkMs];
    for (let i = 0; i < 5; i += 1) {
      state = fail(state, state.parkedUntilMs);
      parkings.push(state.parkMs);
    }
    expect(parkings).toEqual([5000, 10_000, 20_000, 40_000, 60_000, 60_000]);
  });

  it('closes when the probe succeeds, and then starts again with the shortest parking', () => {
    const parked = fail(failures(5, 0), 5000);
    const closed = breakerAfter(parked, true, POLICY, 15_000);
    expect(closed).toEqual(BREAKER_CLOSED);
    let again = closed;
    for (let i = 0; i < 5; i += 1) again = fail(again, 20_000);
    expect(again.parkMs).toBe(PARK_FIRST_MS);
  });

  it('counts failures while parked, but does not lengthen the parking', () => {
    const parked = failures(5, 0);
    const later = fail(parked, parked.parkedUntilMs - 1);
    expect(later).toEqual({ ...parked, failures: 6 });
  });

  it('limits the first parking to the maximum too', () => {
    expect(failures(5, 0, { failures: 5, parkMaxMs: 700 }).parkMs).toBe(700);
  });

  it('parks after the first failure if the limit is one', () => {
    expect(failures(1, 7, { failures: 1, parkMaxMs: 60_000 }).parkedUntilMs).toBe(7 + PARK_FIRST_MS);
  });

  const anyHistory = fc.array(fc.record({ succeeded: fc.boolean(), afterMs: fc.nat(30_000) }), { maxLength: 60 });

  it('property: parks only after enough consecutive failures, and at most for the maximum', () => {
    fc.assert(
      fc.property(anyHistory, fc.integer({ min: 1, max: 6 }), (history, limit) => {
        const policy = { failures: limit, parkMaxMs: 60_000 };
        let state = BREAKER_CLOSED;
        let nowMs = 0;
        let inARow = 0;
        for (const { succeeded, afterMs } of history) {
          nowMs += afterMs;
          const before = state;
          state = breakerAfter(state, succeeded, policy, nowMs);
          inARow = succeeded ? 0 : inARow + 1;
          expect(state.failures).toBe(inARow);
          expect(nowMs < state.parkedUntilMs).toBe(inARow >= limit);
          expect(state.parkedUntilMs - nowMs).toBeLessThanOrEqual(policy.parkMaxMs);
          // During a parking, only a success changes its end.
          if (!succeeded && nowMs < before.parkedUntilMs) {
            expect(state.parkedUntilMs).toBe(before.parkedUntilMs);
          }
        }
      }),
    );
  });
});
