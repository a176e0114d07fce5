import { html } from '../../html/markup.ts';
import type { Translated } from '../catalog.ts';
import type { alerts as english } from '../en/alerts.ts';

export const alerts: Translated<typeof english> = {
  title: 'E-Mail-Warnungen',
  lead: 'Eine E-Mail kommt, wenn ein Endpunkt gestört ist, wieder funktioniert oder abgeschaltet wurde. Dass er gestört ist, meldet höchstens eine am Tag.',
  noMails: 'Diese Installation verschickt keine E-Mails und hat deshalb keine Warnungen.',
  nobody: 'Niemand bekommt Warnungen',
  nobodyHint: 'Fügen Sie die Adresse der Person hinzu, die Ihren Server betreut.',
  full: ({ max }) => `Mehr als ${max} Adressen sind nicht möglich.`,
  active: 'Bekommt Warnungen',
  unconfirmed: 'Wartet auf Bestätigung',
  remove: 'Entfernen',
  removing: 'Wird entfernt…',
  email: 'E-Mail-Adresse',
  emailHint: 'Sie bekommt eine E-Mail mit einem Link, und Warnungen erst, wenn ihr Inhaber sie dort bestätigt hat.',
  language: 'Sprache',
  add: 'Adresse hinzufügen',
  adding: 'Wird hinzugefügt…',

  unknown: 'Diese Adresse bekommt keine Warnungen. Sie wurde entfernt, oder der Link ist unvollständig.',
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
  addressRemoved: 'Entfernt. Diese Adresse bekommt keine Warnungen mehr.',
};
