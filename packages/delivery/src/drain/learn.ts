import type { BreakerPolicy } from '@mailhook/core';
import { breakerAfter } from '@mailhook/core';
import type { Attempt } from './attempt.ts';
import { settleOf } from './attempt.ts';
import type { Drain } from './drain.ts';

/** Notes in the drain what an attempt has shown: its settle, the breaker, the window, and that the receiver is gone for good (410). */
export function learn(drain: Drain, attempt: Attempt, policy: BreakerPolicy, windowMax: number): void {
  const { outcome } = attempt.sent;
  const succeeded = outcome.name === 'delivered';
  const breaker = breakerAfter(drain.breaker, succeeded, policy, attempt.endedAtMs);
  if (!sameBreaker(breaker, drain.breaker)) {
    drain.breaker = breaker;
    drain.breakerChanged = true;
  }
  drain.window = succeeded ? Math.min(drain.window * 2, windowMax) : 1;
  if (outcome.httpStatus === 410) drain.gone = { version: attempt.target.version, reason: outcome.error ?? '' };
  drain.settles.push(settleOf(attempt));
}

const sameBreaker = (a: Drain['breaker'], b: Drain['breaker']): boolean =>
  a.failures === b.failures && a.parkMs === b.parkMs && a.parkedUntilMs === b.parkedUntilMs;
