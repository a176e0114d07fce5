import type { BreakerPolicy, SizeLimit } from '@mailhook/core';
import { bodyBytes, breakerAfter, partToSend, sizeLimitAfterCut, sizeLimitAfterDelivery } from '@mailhook/core';
import type { Attempt } from '../record/attempt.ts';
import { buildSettle } from './build-settle.ts';
import type { Drain } from './drain.ts';
import { sentBatchOf } from './send-batch.ts';

/**
 * Updates a drain after an attempt: settle, breaker, window, size limit and 410. A blocked address shows nothing about the receiver. An attempt
 * with an older version of the record shows nothing about the current one.
 */
export function applyAttempt(
  drain: Drain,
  attempt: Attempt,
  policy: BreakerPolicy,
  windowMax: number,
  newId: () => string,
): void {
  const { outcome } = attempt.sent;
  drain.settles.push(buildSettle(attempt, newId));
  if (outcome.name === 'blocked' || attempt.target.version !== drain.target?.version) return;
  applySizeLimit(drain, attempt);
  // A request that was too large shows nothing about the receiver's health.
  if (attempt.settlement.isCut === true) return;
  const succeeded = outcome.name === 'delivered';
  if (!succeeded) drain.lastError = outcome.error ?? '';
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

function applySizeLimit(drain: Drain, attempt: Attempt): void {
  const { version, sizeLimit } = attempt.target;
  // The batch may have been frozen before the newest limit was written.
  const known = drain.size?.version === version ? drain.size.limit : sizeLimit;
  const limit = sizeLimitAfter(known, attempt);
  if (limit === known) return;
  drain.size = { version, limit };
  drain.sizeChanged = true;
}

function sizeLimitAfter(known: SizeLimit | undefined, attempt: Attempt): SizeLimit | undefined {
  const { batch, settlement, sent, endedAtMs } = attempt;
  if (settlement.fitting !== undefined) return sizeLimitAfterCut(known, settlement.fitting, endedAtMs);
  if (known === undefined || sent.outcome.name !== 'delivered') return known;
  return sizeLimitAfterDelivery(known, bodyBytes(partToSend(sentBatchOf(batch, attempt.target))), endedAtMs);
}
