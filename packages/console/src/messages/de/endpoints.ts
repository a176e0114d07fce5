import { html } from '../../html/markup.ts';
import { pluralIn } from '../catalog.ts';
import type { Translated } from '../catalog.ts';
import type { endpoints as english } from '../en/endpoints.ts';

const plural = pluralIn('de');

export const endpoints: Translated<typeof english> = {
  lead: 'Wohin Ihre Ereignisse gehen. Der Kampagnen-Webhook bekommt die Ereignisse von Kampagnen in Stapeln. Ein Abonnement bekommt eine Art von Transaktionsereignissen, je eines pro Anfrage.',
  campaign: 'Kampagnen-Webhook',
  subscription: ({ type }) => `Abonnement für ${type}`,

  events: 'Ereignisse',
  last24h: 'Letzte 24 Stunden',
  delivered: 'Zugestellt',
  waiting: 'Wartend',
  state: 'Zustand',
  all: ({ number }) => html`Alle ${number} Endpunkte`,

  addSubscription: 'Neues Abonnement',
  addLead: ({ max }) =>
    html`Öffnungen, Klicks und Bounces von Transaktionsnachrichten. Jede 2xx-Antwort bestätigt ein Ereignis. Bis zu
    ${max} Abonnements je Ereignis.`,
  add: 'Abonnement hinzufügen',
  adding: 'Wird hinzugefügt…',
  tryFirst: 'Zuerst ausprobieren',
  addAnyway: 'Trotzdem hinzufügen',

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
  oldestWaiting: 'Ältestes wartendes Ereignis',

  testThis: 'Diesen Endpunkt testen',
  testLead: ({ deliveries }) =>
    html`Ein Test sendet nur Beispielereignisse. Sie sehen die Anfrage und die Antwort hier und unter
    ${deliveries('Zustellungen')}.`,
  testType: 'Art des Tests',
  testNotification: 'Testbenachrichtigung senden',
  checkThis: 'Diesen Empfänger prüfen',
};
