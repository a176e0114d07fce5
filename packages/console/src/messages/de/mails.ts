import type { Translated } from '../catalog.ts';
import type { mails as english } from '../en/mails.ts';

export const mails: Translated<typeof english> = {
  failingSubject: ({ name }) => `Ihr Webhook ist gestört: ${name}`,
  failing:
    'Anfragen an Ihren Webhook schlagen weiterhin fehl. Mailhook bewahrt die Ereignisse auf und versucht es erneut, ' +
    'gibt zu alte Ereignisse aber auf.',
  recoveredSubject: ({ name }) => `Ihr Webhook funktioniert wieder: ${name}`,
  recovered:
    'Ihr Webhook nimmt wieder Anfragen an. Mailhook sendet die wartenden Ereignisse. Sie müssen nichts weiter tun.',
  deactivatedSubject: ({ name }) => `Ihr Webhook wurde abgeschaltet: ${name}`,
  deactivated:
    'Ihr Server hat eine Antwort gegeben, die Zustellungen dauerhaft beendet. Mailhook hat den Webhook deshalb ' +
    'abgeschaltet. Neue Ereignisse werden nicht aufbewahrt. Korrigieren Sie die Adresse, oder schalten Sie den ' +
    'Webhook wieder ein.',
  limitSubject: ({ brand }) => `Heute keine weiteren Warnungen von ${brand}`,
  limit: ({ max, until }) =>
    `Diese Adresse hat innerhalb eines Tages ${max} Warnungen bekommen. Weitere werden bis ${until} nicht gesendet. ` +
    'Die Webhook-Einstellungen zeigen, welche Webhooks gestört oder abgeschaltet sind.',
  account: 'Konto',
  webhook: 'Webhook',
  events: 'Ereignisse',
  address: 'Adresse',
  since: 'Seit',
  reason: 'Grund',
  advice: 'Was zu tun ist',
  waiting: 'Wartende Ereignisse',
  open: 'Webhook-Einstellungen öffnen',
  why: ({ account }) =>
    `Sie erhalten diese E-Mail, weil Sie bestätigt haben, dass Sie Warnungen über die Webhooks von ${account} ` +
    'möchten.',
  unsubscribe: 'Abbestellen',
  confirmSubject: ({ brand }) => `E-Mail-Warnungen von ${brand} bestätigen`,
  confirm: ({ account }) =>
    `Jemand, der die Webhooks von ${account} verwaltet, möchte Warnungen an diese Adresse senden. Eine Warnung ` +
    'kommt, wenn ein Webhook gestört ist, wieder funktioniert oder abgeschaltet wurde.',
  confirmButton: 'Bestätigen oder ablehnen',
  neverAgain: 'Diese Adresse nie wieder fragen',
  confirmIgnore:
    'Kennen Sie dieses Konto nicht, ignorieren Sie diese E-Mail. Ohne Bestätigung werden keine Warnungen gesendet.',
  sampleSubject: ({ brand }) => `Test der Warnungen von ${brand}`,
  sample: ({ account }) =>
    `Das ist ein Test. Hier kommen Warnungen zu den Webhooks von ${account} an: wenn einer gestört ist, ` +
    'wieder funktioniert oder abgeschaltet wurde.',
};
