import type { Mechanism } from '@mailhook/core';
import { traceIdOf, withoutQuotations } from '@mailhook/core';
import type { Logger } from '@mailhook/platform/logger';
import type { Tracing } from '@mailhook/platform/tracing';
import type { Attempt } from './attempt.ts';
import type { DeliveryCounter } from './delivery-counter.ts';
import type { EngineMetrics } from './metrics.ts';
import type { AttemptLog } from './attempt-log.ts';
import { attemptRecordOf } from './attempt-record.ts';
import { traceAttempt } from './trace-attempt.ts';

interface ReportDeps {
  readonly kind: Mechanism;
  readonly logger: Logger;
  readonly attemptLog: Pick<AttemptLog, 'record' | 'takesDelivered'>;
  readonly history: Pick<DeliveryCounter, 'count'>;
  readonly metrics: Pick<EngineMetrics, 'attempted'>;
  readonly tracing?: Tracing | undefined;
}

/** Counts an attempt, writes its span, adds it to the customer's log, and writes a log line, at level debug if delivered and info if not. */
export const reportAttempt =
  ({ kind, logger, attemptLog, history, metrics, tracing }: ReportDeps) =>
  (attempt: Attempt): void => {
    metrics.attempted(attempt);
    const trace = tracing === undefined ? undefined : traceAttempt(tracing, attempt, kind);
    const { target, destination, sent, settlement, endedAtMs } = attempt;
    const isDelivered = !settlement.followUps.some(({ isTried }) => isTried);
    const { unconfirmed } = sent.outcome;
    const leftOut = unconfirmed === 'all' ? 0 : unconfirmed.length;
    history.count(target.account, destination, settlement.delivered, isDelivered, endedAtMs, leftOut);
    if (isDelivered && !attemptLog.takesDelivered(attempt.target.account)) return;
    const record = attemptRecordOf(attempt, kind);
    attemptLog.record(record);
    if (isDelivered && !logger.isDebugEnabled()) return;
    const { eventKeys: _keys, unconfirmedKeys: _unconfirmed, emails: _emails, facts: _facts, ...shown } = record;
    logger.log(isDelivered ? 'debug' : 'info', 'delivery attempt', {
      ...shown,
      ...(record.error === undefined ? {} : { error: withoutQuotations(record.error) }),
      address: loggedAddress(record.address),
      webhookId: attempt.webhookId,
      ...(trace === undefined ? {} : { traceId: traceIdOf(trace) }),
    });
  };

/** The address without query and credentials, which may contain customers' secrets that readers of the log must not see. Empty for an invalid URL. */
function loggedAddress(address: string): string {
  if (!URL.canParse(address)) return '';
  const { origin, pathname } = new URL(address);
  return origin + pathname;
}
