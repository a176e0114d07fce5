import { html } from '../../html/markup.ts';
import { pluralIn } from '../catalog.ts';
import type { Translated } from '../catalog.ts';
import type { endpoints as english } from '../en/endpoints.ts';

const plural = pluralIn('de');

export const endpoints: Translated<typeof english> = {
  lead:
    'Wohin Ihre Ereignisse gehen. Der Kampagnen-Webhook bekommt die Ereignisse von Kampagnen in Stapeln. Jeder ' +
    'andere Endpunkt bekommt, was Sie wählen.',
  campaign: 'Kampagnen-Webhook',

  events: 'Ereignisse',
  delivered: 'Zugestellt',
  waiting: 'Wartend',
  find: 'Nach Name, Adresse oder Ereignis filtern',
  state: 'Zustand',
  all: ({ number }) => html`Alle ${number} Endpunkte`,

  add: 'Endpunkt hinzufügen',
  create: 'Diesen Endpunkt anlegen',
  creating: 'Wird angelegt…',
  tryFirst: 'Zuerst ausprobieren',
  createAnyway: 'Trotzdem anlegen',

  test: 'Testen',
  moreActions: 'Weitere Aktionen',
  pause: 'Pausieren…',
  switchOffOrRemove: 'Abschalten oder entfernen…',
  remove: 'Entfernen…',
  copyAddress: 'Adresse kopieren',
  latest: 'Neueste Zustellungen',
  configuration: 'Konfiguration',
  signing: 'Signatur',
  signedByOwn: 'Mit den Schlüsseln dieses Endpunkts',
  signedByAccount: 'Mit den Schlüsseln des Kontos',
  notSigned: 'Nicht signiert',
  none: 'Keine',
  pace: 'Tempo',
  noLimit: 'Kein Limit',
  atMost: ({ requests }) =>
    plural(requests, (number) => ({
      one: `Höchstens ${number} Anfrage pro Sekunde`,
      other: `Höchstens ${number} Anfragen pro Sekunde`,
    })),

  testThis: 'Diesen Endpunkt testen',
  testLead: ({ deliveries }) =>
    html`Ein Test sendet nur Beispielereignisse. Sie sehen die Anfrage und die Antwort hier und unter
    ${deliveries('Zustellungen')}.`,
  lastTests: 'Letzte Tests',
  noTests: 'Noch keine Tests',
  testType: 'Art des Tests',
  editSample: 'Beispiel bearbeiten',
  sampleHint: 'Felder des Ereignisses, wie ein Sender sie schickt. Kennung, Art und Konto bleiben die eines Tests.',
  showSample: 'Beispiel dieser Art zeigen',

  everything: 'alle Arten',
  andMore: ({ types, more }) => [types, ' und ', more, ' weitere'],
  ofMessages: ({ types }) => ['Endpunkt für ', types],
  ofCampaigns: ({ types }) => ['Kampagnen-Endpunkt für ', types],

  addEndpoint: 'Neuer Endpunkt',
  addLead: ({ max }) =>
    html`Eine Adresse und die Arten von Ereignissen, die sie bekommt. Alles andere hat einen üblichen Wert. Bis zu
    ${max} je Art.`,
  more: 'Weitere Möglichkeiten: Inhalt, Anfragen, Filter',
  wouldGet: 'Was Ihr Server bekommt',
  bodyNeedsVersion2:
    'Eine gewählte Art oder Einstellung braucht Version 2 des Inhalts. Sie gilt für alle Arten und enthält die ' +
    'Empfängeradresse.',
  bodyWithoutRecipient:
    'Der Inhalt hat Version 1, ohne die Empfängeradresse. Version 2 unter „Weitere Möglichkeiten“ enthält sie.',
  asOfPreview: 'Stand: zuletzt „Zeigen, was er bekommt“.',
  chooseFirst: 'Wählen Sie Arten von Ereignissen, dann steht hier ein Beispiel ihrer Anfragen.',
  unclear: 'Manches passt nicht zusammen.',
  preview: 'Zeigen, was er bekommt',
  tryType: 'Ereignis für „Zuerst ausprobieren“',
  firstType: 'Die erste seiner Arten',

  scope: 'Umfang',
  body: 'Inhalt',
  version: ({ version }) => html`Version ${version}`,
  requests: 'Anfragen',
  filtered: 'Vom Filter in der letzten Stunde zurückgehalten',
  inFlight: 'Höchstens gleichzeitige Anfragen',
  testEvent: 'Testereignis senden',
};
