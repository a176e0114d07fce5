import type { Mechanism } from '@mailhook/core';
import type { Attempt } from '../drain/attempt.ts';
import type { AttemptRecord } from '../ports.ts';

/** An attempt as the log keeps it. `dead` when something of it was given up, `failed` when something of it will be sent again. */
export function attemptRecordOf(
  { destination, batch, target, sent, settlement, endedAtMs }: Attempt,
  kind: Mechanism,
): AttemptRecord {
  const { outcome } = sent;
  const isDead = settlement.followUps.some(({ type }) => type === 'dead');
  const resend = settlement.followUps.find(({ type }) => type !== 'dead');
  return {
    id: `${batch.id}-${batch.attempt.toString(36)}`,
    time: new Date(endedAtMs).toISOString(),
    account: target.account,
    eventKeys: sent.eventKeys,
    ...(outcome.unconfirmed === 'all' || outcome.unconfirmed.length === 0
      ? {}
      : { unconfirmedKeys: outcome.unconfirmed.map((position) => sent.eventKeys[position] ?? '') }),
    kind,
    ...(kind === 'transactional' ? { subscription: destination } : {}),
    address: target.address,
    events: sent.events,
    attempt: batch.attempt,
    status: isDead ? 'dead' : resend === undefined ? 'delivered' : 'failed',
    ...(outcome.httpStatus === undefined ? {} : { httpStatus: outcome.httpStatus }),
    durationMs: Math.round(sent.durationMs * 10) / 10,
    ...(outcome.error === undefined ? {} : { error: outcome.error }),
    ...(resend === undefined ? {} : { nextAttemptAt: new Date(endedAtMs + resend.waitMs).toISOString() }),
  };
}
