import { notificationOutcome, subscriptionType, TRANSACTIONAL_TYPES } from '@mailhook/core';
import type { ReceiverCheck } from '@mailhook/core';
import type { Finding } from './findings.ts';
import { asCheck, failed, passed, skipped, statusFault, transportFault } from './findings.ts';
import type { Case } from './observations.ts';

/** Checks of transactional receivers. Any 2xx status means that a notification is delivered. */

const WHY = 'A subscription of this type sends such notifications; any 2xx takes one.';

const NOTIFICATIONS = [
  ...subscriptionType.options.map((id) => ({ id, title: `It takes ${TRANSACTIONAL_TYPES[id].one}`, why: WHY })),
  {
    id: 'repeat' as const,
    title: 'It takes the same notification again',
    why: 'After a lost reply or a failure, Mailhook sends the same notification again, with the same webhook-id and a higher webhook-attempt.',
  },
];

export const notificationChecks = (about: Case): ReceiverCheck[] =>
  NOTIFICATIONS.map((subject) => asCheck(subject, notification(about, subject.id)));

function notification({ seen, stopped, timeoutMs }: Case, id: (typeof NOTIFICATIONS)[number]['id']): Finding {
  const exchange = seen.get(id)?.exchange;
  if (exchange === undefined) return skipped(stopped ?? 'It was not sent.');
  if (exchange.type !== 'reply') return failed(transportFault(exchange, timeoutMs));
  if (notificationOutcome(exchange).error === undefined) return passed(`The status was ${exchange.status}.`);
  const fault = statusFault(exchange.status, '2xx');
  if (id !== 'repeat') return failed(fault);
  return failed({ ...fault, fix: 'Answer 2xx also to what you have taken before: skip the work, not the answer.' });
}
