import { html } from '../../html/markup.ts';
import { pluralIn } from '../catalog.ts';
import type { Translated } from '../catalog.ts';
import type { help as english } from '../en/help.ts';

const plural = pluralIn('de');

export const help: Translated<typeof english> = {
  developersLead: 'Was Sie brauchen, um darauf aufzubauen, und wer angemeldet ist.',
  guidesText: 'Vom ersten Webhook bis zu Wiederholungen, Signaturen und vollständigen Empfangsservern.',
  apiReference: 'API-Referenz (englisch)',
  apiReferenceText: 'Alles auf diesen Seiten über REST, mit einem Formular zum Ausprobieren jedes Aufrufs.',
  openApi: 'OpenAPI-Dokument',
  openApiText: 'Für Generatoren von Clients. JSON-Schemas der Inhalte stehen unter /schemas.',

  baseUrl: 'Basis-URL der API',
  baseUrlHint: 'Alle Pfade der API beginnen damit.',
  sessions: 'Sitzungen',
  sessionsOfToken:
    'Browser, die mit diesem Zugriffstoken angemeldet sind. Eine Sitzung endet nach einer Stunde ohne Benutzung, ' +
    'spätestens nach 8 Stunden.',
  sessionsOfPortal:
    'Browser, in denen diese Einstellungen von dort geöffnet wurden, woher Sie kamen. Eine Sitzung endet nach einer ' +
    'Stunde ohne Benutzung, spätestens nach 8 Stunden.',
  since: ({ time }) => html`Angemeldet ${time}`,
  thisBrowser: 'dieser Browser',
  alike: ({ sessions }) =>
    plural(sessions, (number) => ({
      one: `${number} weitere wie diese`,
      other: `${number} weitere wie diese`,
    })),
  operator: ({ name }) => `Betreiber ${name}`,
  endSession: ({ hidden, time }) => html`Beenden${hidden([': Sitzung seit ', time])}`,
  sessionsAway: 'Die Sitzungen ließen sich nicht lesen. Versuchen Sie es in einer Minute noch einmal.',
  signOutEverywhere: 'Überall abmelden',

  passed: 'Bestanden',
  failed: 'Fehlgeschlagen',
  warning: 'Verbesserbar',
  skipped: 'Nicht geprüft',
  passedCount: ({ number }) => html`Bestanden: ${number}`,
  skippedCount: ({ number }) => html`Nicht geprüft: ${number}`,
  why: 'Warum das wichtig ist:',
  fix: 'Abhilfe:',
  report: 'Was die Prüfung ergab',
  whatToWorkOn: 'Was zu tun ist',

  campaignExample: 'Was Ihr Server empfängt und was er antwortet',
  campaignRequest: 'Eine POST-Anfrage mit einem JSON-Array von Ereignissen:',
  batch: 'Ein Stapel von Ereignissen',
  campaignReply: ({ deadline }) =>
    html`Binnen ${deadline} antwortet er mit HTTP 200 und bestätigt jedes Ereignis mit dessen Hash. Unbestätigte
    Ereignisse sendet Mailhook erneut.`,
  acknowledgement: 'Die Antwort auf einen Stapel',
  connectionTest: ({ request, reply }) =>
    html`„Verbindung testen“ sendet stattdessen ${request} und erwartet ${reply}. Danach folgt ein Beispielstapel.`,

  sample: ({ type }) => html`Eine Beispielanfrage mit ${type}`,
  body: 'Inhalt der Anfrage',
  singleRequest: ({ deadline }) =>
    html`Eine POST-Anfrage für jedes Ereignis, mit einem JSON-Objekt. Jede 2xx-Antwort innerhalb von ${deadline}
    bestätigt das Ereignis. Nach jeder anderen Antwort sendet Mailhook es erneut.`,
  arrayRequest: ({ deadline }) =>
    html`Eine POST-Anfrage mit einem JSON-Array von Ereignissen. Jede 2xx-Antwort innerhalb von ${deadline} bestätigt
    alle. Nach jeder anderen Antwort sendet Mailhook sie erneut.`,
  batchRequest: ({ deadline }) =>
    html`Eine POST-Anfrage mit einem JSON-Array von Ereignissen. Ihr Server antwortet innerhalb von ${deadline} mit HTTP
    200 und bestätigt jedes Ereignis mit seinem Hash. Unbestätigte Ereignisse sendet Mailhook erneut.`,
};
