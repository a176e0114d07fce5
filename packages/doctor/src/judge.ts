import type { Mechanism, ReceiverCheck } from '@mailhook/core';
import { confirmationFault } from './acknowledgement.ts';
import { batchChecks, connectionTestCheck, contentTypeCheck, shapeCheck, statusCheck } from './campaign-checks.ts';
import {
  keepAliveCheck,
  reachableCheck,
  redirectCheck,
  replyTimeCheck,
  signatureChecks,
  tlsCheck,
} from './connection-checks.ts';
import { isRedirect } from './findings.ts';
import type { Case, Observations } from './observations.ts';
import { notificationChecks } from './transactional-checks.ts';

/** Every check of the report, in the order in which a person would mend what they name. */
export function judge(kind: Mechanism, about: Case): ReceiverCheck[] {
  const first = [reachableCheck(about), tlsCheck(about), redirectCheck(about)];
  const last = [replyTimeCheck(about), keepAliveCheck(about)];
  if (kind === 'transactional') {
    return [...first, ...notificationChecks(about), ...last, ...signatureChecks(about, 'open')];
  }
  return [
    ...first,
    connectionTestCheck(about),
    statusCheck(about),
    contentTypeCheck(about),
    shapeCheck(about),
    ...batchChecks(about),
    ...last,
    ...signatureChecks(about, 'one-event'),
  ];
}

/** Why it makes no sense to send more: what follows would only fail for the same reason. Undefined: go on. */
export function stopReason(seen: Observations): string | undefined {
  const [first] = seen.values();
  if (first === undefined) return undefined;
  const { exchange } = first;
  if (exchange.type === 'timeout') return 'The receiver did not answer the first request in time.';
  if (exchange.type === 'blocked' || exchange.type === 'unreachable') return 'The receiver could not be reached.';
  if (exchange.type === 'reply' && isRedirect(exchange.status)) return 'The address redirects.';
  const one = seen.get('one-event');
  if (one === undefined) return undefined;
  const isConfirmed =
    one.exchange.type === 'reply' &&
    one.exchange.status === 200 &&
    confirmationFault(one.exchange.body ?? '', one.probe.hashes) === undefined;
  return isConfirmed ? undefined : 'A batch of one event was not confirmed. Mend that first.';
}
