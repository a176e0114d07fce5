import { html } from '../../html/markup.ts';
import type { Content } from '../../html/markup.ts';
import { pluralIn } from '../catalog.ts';
import type { Translated } from '../catalog.ts';
import type { deliveries as english } from '../en/deliveries.ts';

const plural = pluralIn('de');

export const deliveries: Translated<typeof english> = {
  lead:
    'Alle Anfragen an Ihre Server, die neueste zuerst. Ein Versuch ist fehlgeschlagen, wenn Mailhook eines seiner ' +
    'Ereignisse erneut senden muss oder aufgegeben hat.',
  keeps: (kept) =>
    plural(kept.days, (days) => {
      const text = (span: string): Content =>
        html`Mailhook speichert die neuesten ${kept.delivered} erfolgreichen Versuche und ${kept.attempts} andere, für
        ${span}: weniger, wenn sie groß sind, und von sehr vielen erfolgreichen auf einmal nur eine Stichprobe.`;
      return { one: text(`${days} Tag`), other: text(`${days} Tage`) };
    }),
  deliveredFor: ({ span }) => html`Derzeit bleiben erfolgreiche Versuche ${span} lang gespeichert.`,

  deleted: ({ id }) => `Endpunkt ${id} (gelöscht)`,
  endpoint: 'Endpunkt',
  allEndpoints: 'Alle Endpunkte',
  outcome: 'Ergebnis',
  allOutcomes: 'Alle Ergebnisse',
  event: 'Ereignis',
  allEvents: 'Alle Ereignisse',
  period: 'Zeitraum',
  anyTime: 'Beliebige Zeit',
  from: ({ zone }) => html`Von (${zone})`,
  to: ({ zone }) => html`Bis (${zone})`,
  replyText: 'Text der Antwort',
  allReplies: 'Alle Antworten',
  allAttempts: 'Alle Versuche',
  firstAttempts: 'Erste Versuche',
  laterAttempts: 'Wiederholungen',
  since: 'Ab',
  until: 'Bis',
  removeFilter: '(diesen Filter entfernen)',
  found: ({ attempts, isAll }) =>
    plural(attempts, (number) => ({
      one: isAll ? `${number} Versuch` : `mindestens ${number} Versuch`,
      other: isAll ? `${number} Versuche` : `mindestens ${number} Versuche`,
    })),
  why: 'Grund',
  show: 'Anzeigen',

  delivered: 'Zugestellt',
  failed: 'Fehlgeschlagen',
  dead: 'Aufgegeben',
  not_delivered: 'Fehlgeschlagen oder aufgegeben',
  split: 'Geteilt',

  noneYet: 'Noch nichts zugestellt',
  noneYetHint: 'Testen Sie einen Endpunkt: Auch Tests stehen in der Liste.',
  nothingSoFar: 'Bisher nichts gefunden',
  nothingSoFarHint: 'Nur ein Teil der Versuche wurde durchsucht. „Ältere“ sucht weiter.',
  nothing: 'Nichts gefunden',
  nothingHint: 'Wählen Sie andere Filter oder warten Sie: Neue Zustellungen erscheinen hier von selbst.',
  all: 'Alle Zustellungen',
  newest: 'Neueste',
  older: 'Ältere',

  list: 'Zustellversuche',
  time: 'Zeit',
  events: 'Ereignisse',
  attempt: 'Versuch',
  reply: 'Antwort',
  open: ({ attempt, time }) => html`Anfrage und Antwort von Versuch ${attempt} um ${time}`,
  test: 'Test',
  next: ({ time }) => html`Nächster Versuch: ${time}`,
  deliveredBy: ({ link, attempt, time }) => html`Zugestellt durch ${link(`Versuch ${attempt}`)}, ${time}`,
  splitIn: ({ attempt, requests }) =>
    plural(requests, (number) => ({
      one: `Versuch ${attempt}, aufgeteilt in ${number} Anfrage`,
      other: `Versuch ${attempt}, aufgeteilt in ${number} Anfragen`,
    })),
  splitInSmaller: ({ attempt }) => `Versuch ${attempt}, aufgeteilt in kleinere Anfragen`,
};
