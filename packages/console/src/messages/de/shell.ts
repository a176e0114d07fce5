import { html } from '../../html/markup.ts';
import { pluralIn } from '../catalog.ts';
import type { Translated } from '../catalog.ts';
import type { shell as english } from '../en/shell.ts';

const plural = pluralIn('de');

export const shell: Translated<typeof english> = {
  webhooks: 'Webhooks',
  titleOfPage: ({ page }) => [page, ' · Webhooks'],
  skip: 'Zu den Einstellungen springen',
  guides: 'Anleitungen (englisch)',
  signOut: 'Abmelden',
  seenAs: ({ account, operator }) =>
    `Sie sehen dies als ${account}. Was Sie ändern, wird als Änderung des Betreibers ${operator} festgehalten.`,
  end: 'Beenden',
  backTo: ({ name }) => `Zurück zu ${name}`,
  settings: 'Einstellungen',

  overview: 'Übersicht',
  endpoints: 'Endpunkte',
  troubled: ({ hidden, troubled }) =>
    plural(troubled, (number) => ({
      one: html`${number}${hidden(' Endpunkt braucht Aufmerksamkeit')}`,
      other: html`${number}${hidden(' Endpunkte brauchen Aufmerksamkeit')}`,
    })),
  deliveries: 'Zustellungen',
  deadLetters: 'Unzustellbar',
  events: 'Ereignis suchen',
  secrets: 'Signaturschlüssel',
  developers: 'Für Entwickler',
  testing: 'Testen',

  keys: 'Tasten',
  keySearch: 'Ereignis suchen',
  keyNext: 'Nächste Zeile',
  keyBefore: 'Vorige Zeile',
  keyOpen: 'Zeile öffnen',
  keyClose: 'Geöffnetes schließen',
  keyKeys: 'Diese Liste',
  language: 'Sprache',
  change: 'Ändern',
  timesAreIn: ({ zone }) => `Zeiten in ${zone}`,
  timesIn: 'Zeiten in',

  readOnly:
    'Sie sehen hier alles. Um etwas zu ändern oder zu testen, brauchen Sie einen Zugang, der Webhooks verwalten darf.',
  endpoint: 'Endpunkt',
  noSuchPage: 'Diese Seite gibt es nicht',
  nothingAt: ({ path }) => html`Unter ${path} ist nichts. Prüfen Sie die Adresse, oder fahren Sie hier fort:`,
  noSuchEndpoint: 'Diesen Endpunkt gibt es nicht.',
  mayBeDeleted: ({ all }) => html`Vielleicht wurde er gelöscht. ${all('Alle Endpunkte')}`,
  away: 'Das lässt sich gerade nicht lesen. Nichts ist verloren; versuchen Sie es in einer Minute noch einmal.',

  unread: ({ strong }) =>
    html`${strong('Diese Zahlen lassen sich gerade nicht lesen.')} Ein Strich steht für Unbekanntes, und die übrigen
    Zahlen sind die zuletzt gelesenen. Nichts ist verloren, und diese Seite versucht es von selbst noch einmal.`,
  unsaved: 'Ungespeicherte Änderungen',
  unsavedText: 'Sie haben ungespeicherte Änderungen',
  discardChanges: 'Änderungen verwerfen',
  saveChanges: 'Änderungen speichern',
};
