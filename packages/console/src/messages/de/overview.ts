import { html } from '../../html/markup.ts';
import { pluralIn } from '../catalog.ts';
import type { Translated } from '../catalog.ts';
import type { overview as english } from '../en/overview.ts';

const plural = pluralIn('de');

export const overview: Translated<typeof english> = {
  lead: 'Wohin Ihre E-Mail-Ereignisse gehen und was aus ihnen geworden ist.',

  delivered: 'Erfolgreiche Versuche',
  percent: ({ number }) => html`${number} %`,
  eventsInAttempts: ({ events, attempts }) => [
    plural(events, (number) => ({ one: `${number} Ereignis`, other: `${number} Ereignisse` })),
    plural(attempts, (number) => ({ one: ` in ${number} Versuch`, other: ` in ${number} Versuchen` })),
  ],
  failed: 'Fehlgeschlagen',
  noneFailed: 'Kein Versuch ist fehlgeschlagen',
  ofAttempts: ({ attempts }) =>
    plural(attempts, (number) => ({ one: `von ${number} Versuch`, other: `von ${number} Versuchen` })),
  waiting: 'Jetzt wartend',
  nothingWaits: 'Nichts wartet',
  oldest: ({ time }) => html`Das älteste: ${time}`,
  keptFor: '7 Tage aufbewahrt',

  allIsWell: 'Alles in Ordnung. Sie müssen nichts tun.',
  attention: 'Braucht Ihre Aufmerksamkeit',
  since: ({ time }) => html`seit ${time}`,
  wait: ({ events }) =>
    plural(events, (number) => ({ one: `${number} Ereignis wartet`, other: `${number} Ereignisse warten` })),
  others: ({ more }) => plural(more, (number) => ({ one: `und ${number} weiteres`, other: `und ${number} weitere` })),
  deadLetters: ({ letters }) =>
    plural(letters, (number) => ({
      one: `${number} unzustellbare Anfrage: Beheben Sie die Ursache und stellen Sie sie dann erneut zu.`,
      other: `${number} unzustellbare Anfragen: Beheben Sie die Ursache und stellen Sie sie dann erneut zu.`,
    })),
  unrouted: ({ events }) => [
    html`Ereignisse der letzten 24 Stunden ohne aktiven Endpunkt, die nicht aufbewahrt wurden: ${events}.`,
    ' Arten, die Version 2 brauchen, zählen nur, wenn ein Endpunkt sie aufführt.',
  ],
  campaignEvents: ({ events }) =>
    plural(events, (number) => ({ one: `${number} Kampagnenereignis`, other: `${number} Kampagnenereignisse` })),
  eventsOfType: ({ events, type }) =>
    plural(events, (number) => ({ one: `${number} Ereignis ${type}`, other: `${number} Ereignisse ${type}` })),

  firstEvent: 'Ihr erstes Ereignis',
  threeSteps: 'Drei Schritte. Sie können eine Adresse testen, bevor Sie sie speichern.',
  address: 'Geben Sie an, wo Ihr Server ist',
  campaigns: 'Kampagnen',
  messages: 'Transaktionsnachrichten',
  ofMessages:
    'Ereignisse zu dem, was Ihre Anwendung sendet, etwa Quittungen: die gewählten Arten, je eines pro Anfrage.',
  receiverCode: 'Noch kein Server? Beginnen Sie mit diesem',
  noServer: ({ guide }) =>
    html`Er nimmt Stapel und Benachrichtigungen auf Port 4000 an. Weiteres steht in der ${guide('Anleitung')}.`,
  done: '(erledigt)',
  test: 'Prüfen Sie, ob er antwortet',
  tested: 'Ihr Server hat einen Test angenommen.',
  testFailed: 'Der letzte Test ist fehlgeschlagen. Sein Ergebnis sagt, was zu tun ist.',
  notTested: 'Ein Test sendet nur Beispiele, an die Adresse oben. Ein fehlgeschlagener sagt, was zu tun ist.',
  testOf: ({ name }) => ['Test: ', name],
  event: 'Empfangen Sie das erste Ereignis',
  ready: 'Mailhook wartet auf das erste Ereignis. Diese Seite zeigt es von selbst.',
  notReady: 'Speichern Sie zuerst eine Adresse. Dann zeigt diese Seite das erste Ereignis von selbst.',
};
