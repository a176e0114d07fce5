import { coded, isRedirect } from '@mailhook/core';
import type { CodedText, ReceiverCheck } from '@mailhook/core';
import { confirmationFault } from './acknowledgement-faults.ts';
import {
  batchChecks,
  connectionTestCheck,
  contentTypeCheck,
  acknowledgementCheck,
  statusCheck,
} from './campaign-checks.ts';
import {
  accessCheck,
  keepAliveCheck,
  reachableCheck,
  redirectCheck,
  replyTimeCheck,
  tlsCheck,
  webPageCheck,
  wrongSignatureCheck,
} from './connection-checks.ts';
import { isRefused } from './findings.ts';
import type { Case, Observations } from './observations.ts';
import type { ProbePlan } from './probes.ts';
import { notificationChecks } from './transactional-checks.ts';

/**
 * Every check of the report, in the order in which a person would fix the faults. One cause is one failure, because
 * dependent checks are skipped.
 */
export function judge({ shape, version }: Pick<ProbePlan, 'shape' | 'version'>, about: Case): ReceiverCheck[] {
  const first = [reachableCheck(about), tlsCheck(about), redirectCheck(about), accessCheck(about), webPageCheck(about)];
  const rest = connectionFault(about.seen) === undefined ? about : { ...about, seen: new Map() };
  const last = [replyTimeCheck(rest), keepAliveCheck(rest), wrongSignatureCheck(rest)];
  if (shape !== 'batch') return [...first, ...notificationChecks(rest), ...last];
  return [
    ...first,
    ...(version === 1 ? [connectionTestCheck(rest)] : []),
    statusCheck(rest),
    contentTypeCheck(rest),
    acknowledgementCheck(rest),
    ...batchChecks(rest),
    ...last,
  ];
}

/** Why to send no more requests: they would fail for the same reason. Undefined if the doctor should go on. */
export const stopReason = (seen: Observations): CodedText | undefined => connectionFault(seen) ?? batchFault(seen);

function connectionFault(seen: Observations): CodedText | undefined {
  const [first] = seen.values();
  if (first === undefined) return undefined;
  const { exchange } = first;
  if (exchange.type === 'timeout') return coded('first-late');
  if (exchange.type === 'blocked' || exchange.type === 'unreachable') return coded('first-not-reached');
  if (exchange.type !== 'reply') return undefined;
  if (isRefused(exchange.status)) return coded('first-refused');
  return isRedirect(exchange.status) ? coded('redirects-all') : undefined;
}

function batchFault(seen: Observations): CodedText | undefined {
  const one = seen.get('one-event');
  if (one === undefined) return undefined;
  const isConfirmed =
    one.exchange.type === 'reply' &&
    one.exchange.status === 200 &&
    confirmationFault(one.exchange.body ?? '', one.probe.hashes) === undefined;
  return isConfirmed ? undefined : coded('first-not-confirmed');
}
