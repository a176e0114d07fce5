import { coded, notificationOutcome, subscriptionType } from '@mailhook/core';
import type { ReceiverCheck } from '@mailhook/core';
import type { Finding } from './findings.ts';
import { asCheck, failed, isAboutContent, passed, skipped, statusFault, transportFault } from './findings.ts';
import type { Case } from './observations.ts';

/** Checks of transactional receivers. Any 2xx status means that a notification is delivered. */

const NOTIFICATIONS = [
  ...subscriptionType.options.map((id) => ({ id, title: coded(`${id}.title`), why: coded('notification.why') })),
  { id: 'repeat' as const, title: coded('again.title'), why: coded('again.why') },
];

export const notificationChecks = (about: Case): ReceiverCheck[] =>
  NOTIFICATIONS.map((subject) => asCheck(subject, notification(about, subject.id)));

function notification({ seen, stopped, timeoutMs }: Case, id: (typeof NOTIFICATIONS)[number]['id']): Finding {
  const exchange = seen.get(id)?.exchange;
  if (exchange === undefined) return skipped(stopped ?? coded('not-asked'));
  if (exchange.type !== 'reply') return failed(transportFault(exchange, timeoutMs));
  if (notificationOutcome(exchange).error === undefined)
    return passed(coded('status-was', { status: exchange.status }));
  const fault = statusFault(exchange.status, '2xx');
  return failed(id === 'repeat' && isAboutContent(exchange.status) ? { ...fault, fix: coded('fix-again') } : fault);
}
