import { html } from '../../html/markup.ts';
import { pluralIn } from '../catalog.ts';
import type { Translated } from '../catalog.ts';
import type { deadLetters as english } from '../en/dead-letters.ts';

const plural = pluralIn('de');

export const deadLetters: Translated<typeof english> = {
  lead:
    'Anfragen, die Mailhook aufgegeben hat, 7 Tage lang mit ihren Ereignissen. Beheben Sie die Ursache und lassen ' +
    'Sie sie dann erneut zustellen.',
  csv: 'Als CSV herunterladen',
  deliverAll: 'Alle erneut zustellen',
  counting: 'Wird gezählt…',
  cause: 'Ursache',
  allCauses: 'Alle Ursachen',
  chosenCause: 'Die gewählte Ursache',
  since: ({ zone }) => html`Aufgegeben seit (${zone})`,

  groups: 'Unzustellbare Anfragen nach Ursache und Endpunkt',
  counted: ({ letters, events }) => {
    const all = plural(letters, (number) => ({
      one: `${number} unzustellbare Anfrage`,
      other: `${number} unzustellbare Anfragen`,
    }));
    return plural(events, (number) => ({
      one: html`${all} mit ${number} Ereignis`,
      other: html`${all} mit ${number} Ereignissen`,
    }));
  },
  select: 'Auswahl',
  oldest: 'Älteste',
  selectGroup: ({ cause, endpoint }) => html`Auswählen: ${cause} ${endpoint}`,
  groupOf: ({ hidden, cause, endpoint }) => html`${cause}${hidden(html` Unzustellbare Anfragen: ${endpoint}`)}`,
  onlyNewest:
    'Gezählt sind nur die neuesten 5.000 unzustellbaren Anfragen. Aktionen einer Gruppe gelten auch für ältere.',
  ofDeleted: 'Ein gelöschter Endpunkt',
  lessThanAnHour: 'noch weniger als 1 Stunde',
  hoursLeft: ({ hours }) =>
    plural(hours, (number) => ({ one: `noch ${number} Stunde`, other: `noch ${number} Stunden` })),
  daysLeft: ({ days }) => plural(days, (number) => ({ one: `noch ${number} Tag`, other: `noch ${number} Tage` })),
  deliverSelected: 'Ausgewählte erneut zustellen',
  discardSelected: 'Ausgewählte verwerfen',

  redrivenSince: ({ time }) => html`Erneut zugestellt seit ${time}:`,
  redriven: (all) =>
    plural(all.total, (number) => ({
      one: html`${all.delivered} von ${number} Ereignis zugestellt, ${all.failed} erneut fehlgeschlagen, ${all.waiting}
      unterwegs.`,
      other: html`${all.delivered} von ${number} Ereignissen zugestellt, ${all.failed} erneut fehlgeschlagen,
      ${all.waiting} unterwegs.`,
    })),
  neverSent: ({ events }) =>
    plural(events, (number) => ({
      one: `${number} nie gesendetes Ereignis wartet auf einen ersten Versuch oder hatte ihn schon.`,
      other: `${number} nie gesendete Ereignisse warten auf einen ersten Versuch oder hatten ihn schon.`,
    })),
  notStarted: ({ events }) =>
    plural(events, (number) => ({
      one: `${number} Ereignis ist noch nicht begonnen.`,
      other: `${number} Ereignisse sind noch nicht begonnen.`,
    })),
  wasStopped: ({ events }) =>
    plural(events, (number) => ({
      one: `Angehalten: ${number} Ereignis bleibt unzustellbar.`,
      other: `Angehalten: ${number} Ereignisse bleiben unzustellbar.`,
    })),
  interrupted: ({ events }) =>
    plural(events, (number) => ({
      one:
        `Mailhook wurde unterbrochen, bevor ${number} Ereignis begonnen war. Es ist weiterhin unzustellbar: Lassen ` +
        'Sie es erneut zustellen.',
      other:
        `Mailhook wurde unterbrochen, bevor ${number} Ereignisse begonnen waren. Sie sind weiterhin unzustellbar: ` +
        'Lassen Sie sie erneut zustellen.',
    })),
  share: 'Erneut zugestellt',
  stop: 'Anhalten',
  stopping: 'Wird angehalten…',

  oneByOne: 'Einzeln',
  andOlder: '„Alle erneut zustellen“ und die CSV-Datei umfassen auch die älteren.',
  othersOrAll: ({ all }) => html`Wählen Sie andere Filter oder ${all('sehen Sie alle unzustellbaren Anfragen')}.`,
  none: 'Keine unzustellbaren Anfragen',
  noneHint: 'Eine Anfrage, die Mailhook aufgibt, bleibt mit ihren Ereignissen 7 Tage hier.',
  andMore: ({ more }) => html`und ${more} weitere`,
  campaignEvents: ({ events, strong, endpoint }) =>
    plural(events, (number) => ({
      one: html`${strong(`${number} Kampagnenereignis`)} an ${endpoint}`,
      other: html`${strong(`${number} Kampagnenereignisse`)} an ${endpoint}`,
    })),
  notifications: ({ events, strong, endpoint }) =>
    plural(events, (number) => ({
      one: html`${strong(`${number} Benachrichtigung`)} an ${endpoint}`,
      other: html`${strong(`${number} Benachrichtigungen`)} an ${endpoint}`,
    })),
  givenUpAfter: ({ time, attempts }) =>
    plural(attempts, (number) => ({
      one: html`Aufgegeben ${time} nach ${number} Versuch.`,
      other: html`Aufgegeben ${time} nach ${number} Versuchen.`,
    })),
  untried: ({ time }) => html`Aufgegeben ${time} ohne Versuch.`,
  untriedOff: ({ time }) => html`Aufgegeben ${time} ohne Versuch, weil der Endpunkt abgeschaltet wurde.`,
  open: ({ hidden, time }) => html`Ereignisse und Versuche${hidden(html`, aufgegeben ${time}`)}`,
  deliverOne: ({ hidden, time, address }) =>
    html`Erneut zustellen${hidden(html` (aufgegeben ${time}, an ${address})`)}`,

  one: 'Unzustellbare Anfrage',
  unknown: 'Diesen Eintrag gibt es nicht: Er wurde erneut zugestellt oder vor über 7 Tagen aufgegeben.',
  attempts: 'Versuche',
  noAttempts: 'Im Protokoll ist keiner, oder es wurde nie etwas gesendet.',
  events: ({ events }) => plural(events, (number) => ({ one: `${number} Ereignis`, other: `${number} Ereignisse` })),
  firstOnes: ({ shown }) => html`Das sind die ersten ${shown}. Die CSV-Datei enthält alle.`,

  noAddress: 'einen Endpunkt, der derzeit keine Adresse hat',
  nothingLeft:
    'Es ist nichts mehr zur Auswahl da: Diese Ereignisse wurden erneut zugestellt oder verworfen oder sind abgelaufen.',
  notAllCounted: 'Nur die neuesten 5.000 unzustellbaren Anfragen wurden gezählt. Die älteren sind eingeschlossen.',
  nothingSelected: 'Es wurde nichts getan. Wählen Sie zuerst mindestens eine Zeile aus.',
  askRedrive: 'Diese Ereignisse erneut zustellen?',
  redriveDoes: ({ events, letters, endpoint }) => {
    const among = plural(letters, (number) => ({ one: `in ${number} Anfrage`, other: `in ${number} Anfragen` }));
    return plural(events, (number) => ({
      one: html`${number} Ereignis ${among} wird erneut gesendet an ${endpoint}.`,
      other: html`${number} Ereignisse ${among} werden erneut gesendet an ${endpoint}.`,
    }));
  },
  newAttempts: 'Jede Anfrage zählt als neuer Versuch. Ereignisse, die erneut fehlschlagen, sind wieder unzustellbar.',
  deliverAgain: 'Erneut zustellen',
  sending: 'Wird gesendet…',
  askDiscard: 'Diese Ereignisse verwerfen?',
  discardDoes: ({ events, endpoint }) =>
    plural(events, (number) => ({
      one: html`${number} Ereignis für ${endpoint} wird endgültig gelöscht.`,
      other: html`${number} Ereignisse für ${endpoint} werden endgültig gelöscht.`,
    })),
  permanently: 'Niemand kann sie wiederherstellen. Laden Sie sie zuerst als CSV herunter, wenn Sie sie noch brauchen.',
  discard: 'Verwerfen',
  deleting: 'Wird gelöscht…',
  goesOn: 'Mailhook stellt sie jetzt erneut zu. Die Seite zeigt, wie viele erledigt sind.',
  nothingToRedrive: 'Es gab nichts mehr, was erneut zuzustellen war.',
  stayed: ({ letters }) =>
    plural(letters, (number) => ({
      one:
        `${number} unzustellbare Anfrage bleibt, weil der Endpunkt abgeschaltet oder gelöscht ist. Schalten Sie ihn ` +
        'zuerst ein.',
      other:
        `${number} unzustellbare Anfragen bleiben, weil der Endpunkt abgeschaltet oder gelöscht ist. ` +
        'Schalten Sie ihn zuerst ein.',
    })),
  onTheWay: ({ letters }) =>
    plural(letters, (number) => ({
      one: 'Eine unzustellbare Anfrage ist wieder unterwegs.',
      other: `${number} unzustellbare Anfragen sind wieder unterwegs.`,
    })),
  discarded: ({ events }) =>
    plural(events, (number) => ({
      one: `${number} Ereignis wurde endgültig gelöscht.`,
      other: `${number} Ereignisse wurden endgültig gelöscht.`,
    })),
  nothingToStop: 'Es war nichts mehr anzuhalten: Alle waren schon begonnen.',
  stopped: ({ events }) =>
    plural(events, (number) => ({
      one: `Angehalten. ${number} Ereignis bleibt unzustellbar. Begonnene Ereignisse laufen weiter.`,
      other: `Angehalten. ${number} Ereignisse bleiben unzustellbar. Begonnene Ereignisse laufen weiter.`,
    })),
};
