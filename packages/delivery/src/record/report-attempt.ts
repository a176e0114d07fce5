import { createHash } from 'node:crypto';
import type { Mechanism } from '@mailhook/core';
import { traceIdOf, withoutQuotations, isUrl } from '@mailhook/core';
import type { Logger } from '@mailhook/platform/logger';
import type { Tracing } from '@mailhook/platform/tracing';
import type { Attempt } from './attempt.ts';
import type { DeliveryCounter } from './delivery-counter.ts';
import type { EngineMetrics } from './metrics.ts';
import type { AttemptRecorder } from './attempt-recorder.ts';
import { attemptRecordOf } from './attempt-record.ts';
import { traceAttempt } from './trace-attempt.ts';

interface ReportDeps {
  readonly kind: Mechanism;
  readonly logger: Logger;
  readonly attemptLog: Pick<AttemptRecorder, 'record' | 'takesDelivered'>;
  readonly history: Pick<DeliveryCounter, 'count'>;
  readonly metrics: Pick<EngineMetrics, 'attempted'>;
  readonly tracing?: Tracing | undefined;
  readonly deliveryTimeoutMs: number;
}

/**
 * Counts an attempt, writes its span, adds it to the customer's log, and writes a log line, at level debug if delivered
 * and info if not.
 */
export const reportAttempt =
  ({ kind, logger, attemptLog, history, metrics, tracing, deliveryTimeoutMs }: ReportDeps) =>
  (attempt: Attempt): void => {
    metrics.attempted(attempt);
    const trace = tracing === undefined ? undefined : traceAttempt(tracing, attempt, kind);
    const { target, destination, sent, settlement, endedAtMs } = attempt;
    const isDelivered = !settlement.followUps.some(({ isTried }) => isTried);
    const { unconfirmed } = sent.outcome;
    history.count(target.account, destination, {
      events: settlement.delivered,
      isDelivered,
      endedAtMs,
      unconfirmed: unconfirmed === 'all' ? 0 : unconfirmed.length,
      replyMs: replyMsOf(sent, deliveryTimeoutMs),
      isTimeout: sent.outcome.name === 'timeout',
    });
    if (isDelivered && !attemptLog.takesDelivered(attempt.target.account)) return;
    const record = attemptRecordOf(attempt, kind);
    attemptLog.record(record, settlement.delivered > 0 ? sent.fragments : undefined);
    if (isDelivered && !logger.isDebugEnabled()) return;
    const { eventKeys: _keys, unconfirmedKeys: _unconfirmed, emails: _emails, facts: _facts, ...named } = record;
    const { messageIds: _messageIds, hashes: _hashes, ...shown } = named;
    logger.log(isDelivered ? 'debug' : 'info', 'delivery attempt', {
      ...shown,
      ...(record.error === undefined ? {} : { error: withoutQuotations(String(record.error)) }),
      ...loggedAddress(record.address),
      webhookId: attempt.webhookId,
      ...(trace === undefined ? {} : { traceId: traceIdOf(trace) }),
    });
  };

/** The time to the reply, or to the deadline. Undefined if the receiver could not be reached or had no time. */
function replyMsOf({ outcome, durationMs }: Attempt['sent'], deadlineMs: number): number | undefined {
  if (outcome.name === 'timeout') return deadlineMs;
  return outcome.httpStatus === undefined ? undefined : Math.min(durationMs, deadlineMs);
}

const DIGEST_CHARS = 12;

/**
 * The origin of the address, and the start of the address's SHA-256, which tells addresses of one host apart. Path and
 * query may be customers' secrets that readers of the log must not see. The origin is empty for an invalid URL.
 */
const loggedAddress = (address: string) => ({
  address: isUrl(address) ? new URL(address).origin : '',
  addressDigest: createHash('sha256').update(address).digest('hex').slice(0, DIGEST_CHARS),
});
