import type { DeliveryAttempt, Mechanism } from '@mailhook/core';
import type { Attempt } from './attempt.ts';

/** One attempt for the log. */
export interface AttemptRecord extends DeliveryAttempt {
  readonly account: string;
  /** Hashes or `messageId`s of the events in the request, for searches. Stored as fingerprints. */
  readonly eventKeys: readonly string[];
  /** The keys of the events that were not acknowledged, if the batch was acknowledged in part. */
  readonly unconfirmedKeys?: readonly string[];
}

/**
 * Builds the log's record of an attempt. The status considers only events that the request carried: `dead` if some were given up, else `failed` if
 * some will be sent again.
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
