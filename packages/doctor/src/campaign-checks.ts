import type { PlainCode, ReceiverCheck } from '@mailhook/core';
import { coded, connectionTestDetail, connectionTestFault, replyFix } from '@mailhook/core';
import { confirmationFault, strangerCount } from './acknowledgement-faults.ts';
import type { Fault, Finding } from './findings.ts';
import {
  asCheck,
  failed,
  isAboutContent,
  isSuccess,
  passed,
  skipped,
  statusFault,
  subjectOf,
  transportFault,
  warning,
} from './findings.ts';
import type { Case, Observation } from './observations.ts';

/** Checks of campaign receivers (docs/protocol.md). */

export const connectionTestCheck = (about: Case): ReceiverCheck =>
  asCheck(
    subjectOf('connection-test'),
    judged(about, 'connection-test', ({ exchange }) => {
      if (exchange.type !== 'reply') return failed(transportFault(exchange, about.timeoutMs));
      if (connectionTestFault(exchange) === undefined) return passed(coded('test-passed'));
      if (!isSuccess(exchange.status)) {
        const status = statusFault(exchange.status, '2xx');
        return failed(isAboutContent(exchange.status) ? { ...status, fix: coded('fix-test') } : status);
      }
      const fault = connectionTestDetail(exchange) ?? coded('test-format');
      return failed({ detail: coded('test-not-ok', { fault }), fix: coded(replyFix(fault) ?? 'fix-test') });
    }),
  );

export const statusCheck = (about: Case): ReceiverCheck =>
  asCheck(
    subjectOf('status'),
    judged(about, 'one-event', ({ exchange }) => {
      if (exchange.type !== 'reply') return failed(transportFault(exchange, about.timeoutMs));
      return exchange.status === 200
        ? passed(coded('status-was', { status: 200 }))
        : failed(statusFault(exchange.status, '200'));
    }),
  );

export const acknowledgementCheck = (about: Case): ReceiverCheck =>
  asCheck(
    subjectOf('acknowledgement'),
    replied(about, (body, { probe }) => {
      const fault = confirmationFault(body, probe.hashes);
      if (fault !== undefined) return failed(fault);
      const strangers = strangerCount(body, probe.hashes);
      if (strangers === 0) return passed(coded('event-confirmed'));
      return warning({
        detail: coded('other-hashes', { hashes: strangers }),
        fix: coded('fix-other-hashes'),
      });
    }),
  );

export const contentTypeCheck = (about: Case): ReceiverCheck =>
  asCheck(
    subjectOf('content-type'),
    replied(about, (_body, { exchange }) => {
      const type = exchange.type === 'reply' ? exchange.contentType : undefined;
      if (type !== undefined && /^application\/(.+\+)?json\s*(;|$)/i.test(type)) return passed(coded('json-type'));
      return warning({
        detail: coded(type === undefined ? 'no-type' : 'other-type'),
        fix: coded('fix-type'),
      });
    }),
  );

/** For each of `BATCHES`, checks that the receiver acknowledges every event. */
export const batchChecks = (about: Case): ReceiverCheck[] =>
  BATCHES.map(({ probe, fix }) =>
    asCheck(
      subjectOf(probe),
      judged(about, probe, (observation) => {
        const fault = batchFault(observation, about.timeoutMs);
        if (fault !== undefined) {
          const { exchange } = observation;
          const isOwn = exchange.type === 'reply' && isAboutContent(exchange.status);
          return failed({ ...fault, fix: isOwn && fix !== undefined ? coded(fix) : fault.fix });
        }
        return passed(coded('all-confirmed', { events: observation.probe.hashes.length }));
      }),
    ),
  );

const BATCHES: readonly {
  readonly probe: 'thousand-events' | 'duplicates' | 'repeat';
  /**
   * Replaces the general advice for a reply that may be about the content. The one-event batch was acknowledged, so
   * the cause lies in this batch.
   */
  readonly fix?: PlainCode;
}[] = [
  { probe: 'thousand-events' },
  { probe: 'duplicates', fix: 'fix-duplicates' },
  { probe: 'repeat', fix: 'fix-repeat' },
];

function batchFault({ exchange, probe }: Observation, timeoutMs: number): Fault | undefined {
  if (exchange.type !== 'reply') return transportFault(exchange, timeoutMs);
  if (exchange.status !== 200) return statusFault(exchange.status, '200');
  return confirmationFault(exchange.body ?? '', probe.hashes);
}

const judged = (
  about: Case,
  probe: Observation['probe']['id'],
  judge: (observation: Observation) => Finding,
): Finding => {
  const observation = about.seen.get(probe);
  return observation === undefined ? skipped(about.stopped ?? coded('not-asked')) : judge(observation);
};

/** Judges a reply with status 200 to the one-event batch. Without such a reply, the check is skipped. */
const replied = (about: Case, judge: (body: string, observation: Observation) => Finding): Finding =>
  judged(about, 'one-event', (observation) => {
    const { exchange } = observation;
    return exchange.type === 'reply' && exchange.status === 200
      ? judge(exchange.body ?? '', observation)
      : skipped(coded('no-200'));
  });
