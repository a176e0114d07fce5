import { html } from '../../html/markup.ts';
import type { Translated } from '../catalog.ts';
import type { alerts as english } from '../en/alerts.ts';

export const alerts: Translated<typeof english> = {
  title: 'Warnungen',
  lead:
    'Eine Nachricht kommt, wenn ein Endpunkt gestört ist, wieder funktioniert oder abgeschaltet wurde. ' +
    'Dass er gestört ist, meldet höchstens eine am Tag.',
  noMails: 'Ihr Anbieter hat keine E-Mails für Warnungen eingerichtet. Nur Webhooks bekommen sie.',
  nobody: 'Niemand bekommt Warnungen',
  nobodyHint: 'Fügen Sie den Kanal oder die Person hinzu, die von einer Störung erfahren soll.',
  full: ({ max }) => `Mehr als ${max} Adressen und ${max} Webhooks sind nicht möglich.`,
  active: 'Bekommt Warnungen',
  unconfirmed: 'Wartet auf Bestätigung',
  remove: 'Entfernen',
  removing: 'Wird entfernt…',
  nothing: 'Bekommt nichts',
  unsent: 'Nicht gesendet',
  lastUnsent: ({ time, reason }) => html`Die letzte Warnung ließ sich nicht senden (${time}): ${reason}`,
  gets: 'Bekommt',
  allOfIt: 'alles, von allen Endpunkten',
  someOfIt: ({ kinds, heard, all }) => html`wenn ein Endpunkt ${kinds} (Endpunkte: ${heard} von ${all})`,
  when: 'Wenn ein Endpunkt',
  failing: 'gestört ist',
  recovered: 'wieder funktioniert',
  deactivated: 'von Mailhook abgeschaltet wurde',
  about: 'Von diesen Endpunkten',
  save: 'Speichern',
  saving: 'Wird gespeichert…',
  chosen: 'Gespeichert. Das gilt ab der nächsten Warnung.',
  test: 'Test senden',
  testSent: 'Der Test ist angekommen: der Webhook hat ihn angenommen.',
  testFailed: 'Der Webhook hat den Test nicht angenommen.',
  webhookAdded: 'Hinzugefügt. Der Webhook bekommt ab jetzt Warnungen. Ein Test zeigt, wie eine aussieht.',
  addLead:
    'Eine E-Mail-Adresse, oder ein eingehender Webhook von Slack, Mattermost oder einem anderen Chat, ' +
    'der {"text": "…"} annimmt.',
  addWebhookLead: 'Ein eingehender Webhook von Slack, Mattermost oder einem anderen Chat, der {"text": "…"} annimmt.',
  webhook: 'Webhook eines Chats',
  webhookHint: 'Zum Beispiel https://hooks.slack.com/services/… Der Pfad ist geheim: nur das Ende wird gezeigt.',
  email: 'E-Mail-Adresse oder Webhook',
  emailHint:
    'Ein Webhook bekommt Warnungen sofort, eine E-Mail-Adresse erst, wenn ihr Inhaber eine erste E-Mail bestätigt ' +
    'hat.',
  language: 'Sprache',
  add: 'Empfänger hinzufügen',
  adding: 'Wird hinzugefügt…',

  unknown:
    'Diese Adresse bekommt keine Warnungen. Sie wurde entfernt, oder der Link ist unvollständig. Möchten Sie ' +
    'Warnungen, kopieren Sie den ganzen Link, oder lassen Sie die Adresse noch einmal hinzufügen.',
  away: 'Das funktioniert im Moment nicht. Versuchen Sie es in einer Minute noch einmal.',
  getsAlerts: ({ address }) =>
    html`${address} bekommt eine E-Mail, wenn ein Webhook gestört ist, wieder funktioniert oder abgeschaltet wurde.`,
  shouldGet: ({ address }) =>
    html`Soll ${address} eine E-Mail bekommen, wenn ein Webhook gestört ist, wieder funktioniert oder abgeschaltet
    wurde?`,
  unsubscribe: 'Abbestellen',
  yes: 'Ja, Warnungen senden',
  no: 'Nein',
  confirmed: ({ address }) =>
    html`Bestätigt. ${address} bekommt ab jetzt Warnungen. Jede hat einen Link zum Abbestellen.`,
  removed: ({ address }) => html`Entfernt. ${address} bekommt keine Warnungen mehr.`,
  never: 'Diese Adresse nie wieder fragen',
  shouldNever: ({ address }) => html`Soll kein Konto ${address} noch einmal fragen, ob sie Warnungen möchte?`,
  neverAgain: ({ address }) => html`Erledigt. Niemand kann ${address} noch für Warnungen hinzufügen.`,
  addressAdded:
    'Hinzugefügt. Die Adresse bekommt jetzt eine E-Mail, und Warnungen, sobald ihr Inhaber sie dort bestätigt hat.',
  addressRemoved: 'Entfernt. Dieser Empfänger bekommt keine Warnungen mehr.',
};
