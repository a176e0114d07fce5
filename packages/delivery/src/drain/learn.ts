import type { BreakerPolicy } from '@mailhook/core';
import { breakerAfter } from '@mailhook/core';
import type { Attempt } from './attempt.ts';
import { settleOf } from './attempt.ts';
import type { Drain } from './drain.ts';

/**
 * Applies an attempt to its drain: its settle, the breaker, the window, and that the receiver wants no more (410). An address that must not be called
 * says nothing of a receiver; nor does an attempt at an earlier record say anything of the present one.
 */
export function learn(drain: Drain, attempt: Attempt, policy: BreakerPolicy, windowMax: number): void {
  const { outcome } = attempt.sent;
  drain.settles.push(settleOf(attempt));
  if (outcome.name === 'blocked' || attempt.target.version !== drain.target?.version) return;
  const succeeded = outcome.name === 'delivered';
  const breaker = breakerAfter(drain.breaker, succeeded, policy, attempt.endedAtMs);
  if (!sameBreaker(breaker, drain.breaker)) {
    drain.breaker = breaker;
    drain.breakerChanged = true;
  }
  drain.window = succeeded ? Math.min(drain.window * 2, windowMax) : 1;
  if (outcome.httpStatus === 410) drain.gone = { version: attempt.target.version, reason: outcome.error ?? '' };
}

const sameBreaker = (a: Drain['breaker'], b: Drain['breaker']): boolean =>
  a.failures === b.failures && a.parkMs === b.parkMs && a.parkedUntilMs === b.parkedUntilMs;
