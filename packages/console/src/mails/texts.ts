import type { AlertLanguage } from '@mailhook/core';

const en = {
  campaign: 'Campaign webhook',
  subscription: ({ type }: { readonly type: string }) => `Subscription (${type})`,
  failingSubject: ({ name }: { readonly name: string }) => `Your webhook fails: ${name}`,
  failing:
    'Requests to your webhook keep failing. Mailhook keeps the events and tries again, but it gives up events that are too old.',
  recoveredSubject: ({ name }: { readonly name: string }) => `Your webhook works again: ${name}`,
  recovered: 'Your webhook takes requests again. Mailhook is sending the waiting events. There is nothing to do.',
  deactivatedSubject: ({ name }: { readonly name: string }) => `Your webhook was switched off: ${name}`,
  deactivated:
    'Your server answered that this address is gone, so Mailhook switched the webhook off. New events are not kept. Correct the address, or switch the webhook on again.',
  account: 'Account',
  webhook: 'Webhook',
  address: 'Address',
  since: 'Since',
  reason: 'Reason',
  advice: 'What to do',
  waiting: 'Waiting events',
  open: 'Open the webhook settings',
  openOnce: 'This link works once, within 24 hours. Do not forward this e-mail.',
  why: ({ account }: { readonly account: string }) =>
    `You get this e-mail because you confirmed that you want alerts about the webhooks of ${account}.`,
  unsubscribe: 'Unsubscribe',
  confirmSubject: ({ brand }: { readonly brand: string }) => `Confirm e-mail alerts of ${brand}`,
  confirm: ({ account }: { readonly account: string }) =>
    `Somebody who manages the webhooks of ${account} wants to send alerts to this address. An alert comes when a webhook fails, works again, or is switched off.`,
  confirmButton: 'Confirm or decline',
  confirmIgnore: 'If you do not know this account, ignore this e-mail. Without your confirmation, no alerts are sent.',
};
export type MailTexts = typeof en;

const pl: MailTexts = {
  campaign: 'Webhook kampanii',
  subscription: ({ type }) => `Subskrypcja (${type})`,
  failingSubject: ({ name }) => `Twój webhook nie działa: ${name}`,
  failing:
    'Żądania do Twojego webhooka wciąż się nie udają. Mailhook przechowuje zdarzenia i próbuje ponownie, ale porzuca zbyt stare zdarzenia.',
  recoveredSubject: ({ name }) => `Twój webhook znowu działa: ${name}`,
  recovered: 'Twój webhook znowu przyjmuje żądania. Mailhook wysyła oczekujące zdarzenia. Nie musisz nic robić.',
  deactivatedSubject: ({ name }) => `Twój webhook został wyłączony: ${name}`,
  deactivated:
    'Twój serwer odpowiedział, że tego adresu już nie ma, więc Mailhook wyłączył webhook. Nowe zdarzenia nie są przechowywane. Popraw adres albo włącz webhook ponownie.',
  account: 'Konto',
  webhook: 'Webhook',
  address: 'Adres',
  since: 'Od',
  reason: 'Powód',
  advice: 'Co zrobić',
  waiting: 'Oczekujące zdarzenia',
  open: 'Otwórz ustawienia webhooków',
  openOnce: 'Ten link działa raz, w ciągu 24 godzin. Nie przekazuj dalej tej wiadomości.',
  why: ({ account }) =>
    `Otrzymujesz tę wiadomość, ponieważ potwierdzono, że chcesz dostawać alerty o webhookach konta ${account}.`,
  unsubscribe: 'Zrezygnuj z alertów',
  confirmSubject: ({ brand }) => `Potwierdź alerty e-mail ${brand}`,
  confirm: ({ account }) =>
    `Osoba, która zarządza webhookami konta ${account}, chce wysyłać alerty na ten adres. Alert przychodzi, gdy webhook nie działa, znowu działa albo został wyłączony.`,
  confirmButton: 'Potwierdź lub odmów',
  confirmIgnore: 'Jeśli nie znasz tego konta, zignoruj tę wiadomość. Bez potwierdzenia alerty nie są wysyłane.',
};

const de: MailTexts = {
  campaign: 'Kampagnen-Webhook',
  subscription: ({ type }) => `Abonnement (${type})`,
  failingSubject: ({ name }) => `Ihr Webhook ist gestört: ${name}`,
  failing:
    'Anfragen an Ihren Webhook schlagen weiterhin fehl. Mailhook bewahrt die Ereignisse auf und versucht es erneut, gibt zu alte Ereignisse aber auf.',
  recoveredSubject: ({ name }) => `Ihr Webhook funktioniert wieder: ${name}`,
  recovered:
    'Ihr Webhook nimmt wieder Anfragen an. Mailhook sendet die wartenden Ereignisse. Sie müssen nichts weiter tun.',
  deactivatedSubject: ({ name }) => `Ihr Webhook wurde abgeschaltet: ${name}`,
  deactivated:
    'Ihr Server hat geantwortet, dass es diese Adresse nicht mehr gibt. Mailhook hat den Webhook deshalb abgeschaltet. Neue Ereignisse werden nicht aufbewahrt. Korrigieren Sie die Adresse, oder schalten Sie den Webhook wieder ein.',
  account: 'Konto',
  webhook: 'Webhook',
  address: 'Adresse',
  since: 'Seit',
  reason: 'Grund',
  advice: 'Was zu tun ist',
  waiting: 'Wartende Ereignisse',
  open: 'Webhook-Einstellungen öffnen',
  openOnce: 'Dieser Link funktioniert einmal, innerhalb von 24 Stunden. Leiten Sie diese E-Mail nicht weiter.',
  why: ({ account }) =>
    `Sie erhalten diese E-Mail, weil Sie bestätigt haben, dass Sie Benachrichtigungen über die Webhooks von ${account} möchten.`,
  unsubscribe: 'Abbestellen',
  confirmSubject: ({ brand }) => `E-Mail-Benachrichtigungen von ${brand} bestätigen`,
  confirm: ({ account }) =>
    `Jemand, der die Webhooks von ${account} verwaltet, möchte Benachrichtigungen an diese Adresse senden. Eine Benachrichtigung kommt, wenn ein Webhook gestört ist, wieder funktioniert oder abgeschaltet wurde.`,
  confirmButton: 'Bestätigen oder ablehnen',
  confirmIgnore:
    'Wenn Sie dieses Konto nicht kennen, ignorieren Sie diese E-Mail. Ohne Ihre Bestätigung werden keine Benachrichtigungen gesendet.',
};

/** The texts of e-mails. */
export const MAIL_TEXTS: Readonly<Record<AlertLanguage, MailTexts>> = { en, pl, de };
