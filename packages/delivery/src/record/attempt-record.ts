import type { DeliveryAttempt, Mechanism } from '@mailhook/core';
import type { Attempt } from './attempt.ts';

/** One attempt as the engine records it. */
export interface AttemptRecord extends DeliveryAttempt {
  readonly account: string;
  /** Hashes or `messageId`s of the events it carried, to find it by; kept as fingerprints. */
  readonly eventKeys: readonly string[];
  /** Of a partly acknowledged batch: those of the events that stay unconfirmed. */
  readonly unconfirmedKeys?: readonly string[];
}

/**
 * An attempt as the log keeps it. The status counts only events that the request carried: `dead` when some were given up,
 * `failed` when some will be sent again.
 */
export function attemptRecordOf(
  { destination, batch, target, sent, settlement, endedAtMs }: Attempt,
  kind: Mechanism,
): AttemptRecord {
  const { outcome } = sent;
  const own = settlement.followUps.filter(({ isTried }) => isTried);
  const isDead = own.some(({ type }) => type === 'dead');
  const resend = own.find(({ type }) => type !== 'dead');
  return {
    id: `${batch.id}-${batch.attempt.toString(36)}`,
    time: new Date(endedAtMs).toISOString(),
    account: target.account,
    eventKeys: sent.eventKeys,
    // When the whole request is sent again, none of its events counts as acknowledged.
    ...(outcome.unconfirmed === 'all' || outcome.unconfirmed.length === 0 || settlement.delivered === 0
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
