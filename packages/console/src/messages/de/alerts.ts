import { html } from '../../html/markup.ts';
import type { Translated } from '../catalog.ts';
import type { alerts as english } from '../en/alerts.ts';

export const alerts: Translated<typeof english> = {
  title: 'E-Mail-Benachrichtigungen',
  lead: 'Eine E-Mail kommt, wenn ein Endpunkt gestört ist, wieder funktioniert oder abgeschaltet wurde. Dass er gestört ist, meldet höchstens eine am Tag.',
  nobody: 'Niemand bekommt Benachrichtigungen',
  nobodyHint: 'Fügen Sie die Adresse der Person hinzu, die Ihren Server betreut.',
  full: ({ max }) => `Mehr als ${max} Adressen sind nicht möglich.`,
  active: 'Bekommt Benachrichtigungen',
  unconfirmed: 'Wartet auf Bestätigung',
  remove: 'Entfernen',
  removing: 'Wird entfernt…',
  email: 'E-Mail-Adresse',
  emailHint:
    'Sie bekommt eine E-Mail mit einem Link, und Benachrichtigungen erst, wenn ihr Inhaber sie dort bestätigt hat.',
  language: 'Sprache',
  add: 'Adresse hinzufügen',
  adding: 'Wird hinzugefügt…',

  unknown: 'Diese Adresse bekommt keine Benachrichtigungen. Sie wurde entfernt, oder der Link ist unvollständig.',
  away: 'Das funktioniert im Moment nicht. Versuchen Sie es in einer Minute noch einmal.',
  getsAlerts: ({ address }) =>
    html`${address} bekommt eine E-Mail, wenn ein Webhook gestört ist, wieder funktioniert oder abgeschaltet wurde.`,
  shouldGet: ({ address }) =>
    html`Soll ${address} eine E-Mail bekommen, wenn ein Webhook gestört ist, wieder funktioniert oder abgeschaltet
    wurde?`,
  unsubscribe: 'Abbestellen',
  yes: 'Ja, Benachrichtigungen senden',
  no: 'Nein',
  confirmed: ({ address }) =>
    html`Bestätigt. ${address} bekommt ab jetzt Benachrichtigungen. Jede hat einen Link zum Abbestellen.`,
  removed: ({ address }) => html`Entfernt. ${address} bekommt keine Benachrichtigungen mehr.`,
  never: 'Diese Adresse nie wieder fragen',
  shouldNever: ({ address }) => html`Soll kein Konto ${address} noch einmal fragen, ob sie Benachrichtigungen möchte?`,
  neverAgain: ({ address }) => html`Erledigt. Niemand kann ${address} noch für Benachrichtigungen hinzufügen.`,
  addressAdded:
    'Hinzugefügt. Die Adresse bekommt jetzt eine E-Mail, und Benachrichtigungen, sobald ihr Inhaber sie dort bestätigt hat.',
  addressRemoved: 'Entfernt. Diese Adresse bekommt keine Benachrichtigungen mehr.',
};
