import { html } from '../../html/markup.ts';
import { pluralIn } from '../catalog.ts';
import type { Translated } from '../catalog.ts';
import type { states as english } from '../en/states.ts';

const plural = pluralIn('de');

export const states: Translated<typeof english> = {
  no_deliveries: 'Noch keine Zustellungen',
  healthy: 'In Ordnung',
  degraded: 'Eingeschränkt',
  recovered: 'Funktioniert wieder',
  webPage: 'Eine Webseite antwortet',
  noneWaits: 'Kein Ereignis wartet auf einen weiteren Versuch.',
  hadFailures: ({ failed, all }) => html`Fehlgeschlagen in der letzten Stunde: ${failed} von ${all}.`,
  failing: 'Gestört',
  parked: 'Ausgesetzt',
  paused: 'Pausiert',
  off: 'Aus',
  switched_off: 'Von Mailhook abgeschaltet',
  on: 'Ein',
  unknown: 'Unbekannt',
  notSetUp: 'Nicht eingerichtet',

  stopped: ({ failures }) =>
    plural(failures, (number) => ({
      one: `Mailhook sendet nach ${number} fehlgeschlagenem Versuch nicht mehr hierher.`,
      other: `Mailhook sendet nach ${number} fehlgeschlagenen Versuchen in Folge nicht mehr hierher.`,
    })),
  lastFailed: ({ failures }) =>
    plural(failures, (number) => ({
      one: 'Der letzte Versuch ist fehlgeschlagen.',
      other: `Die letzten ${number} Versuche sind fehlgeschlagen.`,
    })),
  switchedOff: 'Mailhook hat diesen Endpunkt abgeschaltet.',
  pausedByCustomer: 'Sie haben die Zustellung pausiert.',
  pausedByOperator: 'Ein Betreiber von Mailhook hat die Zustellung pausiert.',
  unconfirmed: ({ percent, confirmed, unconfirmed }) =>
    html`Ihr Server bestätigt ${percent} % der Ereignisse: In der letzten Stunde hat er ${confirmed} bestätigt und
    ${unconfirmed} ausgelassen.`,
  confirmsOnly: ({ percent }) => html`Ihr Server bestätigt ${percent} % der Ereignisse.`,
  confirmEach: 'Bestätigen Sie jedes Ereignis, das Sie gespeichert haben, auch solche, die Sie schon kennen.',
  lastSucceeded: 'Der letzte Versuch war erfolgreich.',
  replied: ({ reply }) => html`Antwort Ihres Servers: ${reply}`,
  reason: ({ error }) => html`Der Grund: ${error}.`,

  triesOne: ({ time }) =>
    html`Nächster Versuch mit einem Ereignis: ${time}. Dann folgen neue Ereignisse, Wiederholungen nach Plan.`,
  nextAttempt: ({ time }) => html`Der nächste Versuch: ${time}.`,
  nextAttemptOrEarlier: ({ time }) => html`Der nächste Versuch: ${time} oder früher.`,
  customerPaused: 'Sie haben die Zustellung pausiert.',
  customerPausedUntil: ({ time }) => html`Sie haben die Zustellung bis ${time} pausiert.`,
  operatorPaused: 'Ein Betreiber von Mailhook hat die Zustellung pausiert.',
  operatorPausedUntil: ({ time }) => html`Ein Betreiber von Mailhook hat die Zustellung bis ${time} pausiert.`,
  keptUntilThen: 'Neue Ereignisse werden aufbewahrt und danach gesendet.',
  offHint: 'Aus: Mailhook bewahrt neue Ereignisse für diese Adresse nicht auf. Wartende gelten als unzustellbar.',
  noDeliveriesHint:
    'Mailhook hat in den letzten 7 Tagen nichts hierher gesendet. Ein Test zeigt, ob Ihr Server antwortet.',

  resendsWait: ({ requests }) =>
    plural(requests, (number) => ({
      one: `${number} fehlgeschlagene Anfrage wartet auf einen weiteren Versuch.`,
      other: `${number} fehlgeschlagene Anfragen warten auf einen weiteren Versuch.`,
    })),
  resendsWaitUntil: ({ requests, time }) =>
    plural(requests, (number) => ({
      one: html`${number} fehlgeschlagene Anfrage wartet auf einen weiteren Versuch: ${time}.`,
      other: html`${number} fehlgeschlagene Anfragen warten auf einen weiteren Versuch, den nächsten: ${time}.`,
    })),
  resendsWaitUntilOrEarlier: ({ requests, time }) =>
    plural(requests, (number) => ({
      one: html`${number} fehlgeschlagene Anfrage wartet auf einen weiteren Versuch: ${time} oder früher.`,
      other: html`${number} fehlgeschlagene Anfragen warten auf einen weiteren Versuch, den nächsten: ${time} oder
      früher.`,
    })),
  waiting: ({ events }) =>
    plural(events, (number) => ({
      one: `${number} Ereignis wartet und ist nicht verloren.`,
      other: `${number} Ereignisse warten und sind nicht verloren.`,
    })),
  waitingSince: ({ events, time }) =>
    plural(events, (number) => ({
      one: html`${number} Ereignis wartet seit ${time} und ist nicht verloren.`,
      other: html`${number} Ereignisse warten und sind nicht verloren, das älteste seit ${time}.`,
    })),
  aboutWaiting: ({ events }) =>
    plural(events, (number) => ({
      one: `Etwa ${number} Ereignis wartet und ist nicht verloren.`,
      other: `Etwa ${number} Ereignisse warten und sind nicht verloren.`,
    })),
  aboutWaitingSince: ({ events, time }) =>
    plural(events, (number) => ({
      one: html`Etwa ${number} Ereignis wartet seit ${time} oder länger und ist nicht verloren.`,
      other: html`Etwa ${number} Ereignisse warten und sind nicht verloren, das älteste seit ${time} oder länger.`,
    })),
  deadLetters: ({ events, link }) =>
    plural(events, (number) => ({
      one: html`${number} Ereignis ist unzustellbar: ${link('erneut zustellen')}.`,
      other: html`${number} Ereignisse sind unzustellbar: ${link('erneut zustellen')}.`,
    })),
  someDeadLetters: ({ link }) => html`Einige Ereignisse sind unzustellbar: ${link('erneut zustellen')}.`,

  resume: 'Fortsetzen',
  resuming: 'Wird fortgesetzt…',
  sendNow: 'Alles jetzt senden',
  starting: 'Wird gestartet…',
  deadLettersToo: 'Auch unzustellbare Ereignisse',

  notKept: 'Neue Ereignisse werden nicht aufbewahrt.',
  enterAddress: 'Neue Adresse eingeben',
  useAddress: 'Neue Adresse verwenden',
  reading: 'Wird gelesen…',
  whatToDo: 'Was zu tun ist',
  showRequest: 'Anfrage zeigen',
  switchedOffAt: ({ time }) => html`Zeitpunkt: ${time}.`,
};
