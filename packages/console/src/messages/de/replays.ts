import { html } from '../../html/markup.ts';
import { pluralIn } from '../catalog.ts';
import type { Translated } from '../catalog.ts';
import type { replays as english } from '../en/replays.ts';

const plural = pluralIn('de');

export const replays: Translated<typeof english> = {
  tab: 'Replay',
  title: 'Angenommene Ereignisse erneut senden',
  lead: 'Wählen Sie einen Zeitraum. Die Anfragen haben den Header webhook-replay, und neue Ereignisse haben Vorrang.',
  off:
    'Diese Installation führt kein Protokoll der angenommenen Ereignisse. Deshalb lässt sich keines erneut senden. ' +
    'Ihr Anbieter kann das Protokoll einschalten.',
  inactive: 'Dieser Endpunkt ist aus, deshalb lässt sich nichts an ihn senden. Schalten Sie ihn zuerst ein.',
  filtered: 'Gesendet werden nur Ereignisse, die der Filter dieses Endpunkts durchlässt.',
  which: 'Welche Ereignisse',
  all: 'Alle seiner Arten',
  undelivered: 'Nur aufgegebene oder verworfene',
  unmatched: 'Nur solche, die er nie bekam',
  count: 'Zuerst zählen',
  noSpan:
    'Wählen Sie Anfang und Ende. Der Anfang muss vor dem Ende liegen, und das Protokoll muss bis zum Ende ' +
    'zurückreichen.',
  counted: ({ events, from, to }) =>
    plural(events, (number) => ({
      one: html`${number} Ereignis von ${from} bis ${to}.`,
      other: html`${number} Ereignisse von ${from} bis ${to}.`,
    })),
  countedMore: ({ events, from, to }) =>
    plural(events, (number) => ({
      one: html`Mehr als ${number} Ereignis von ${from} bis ${to}: Das Zählen dauerte zu lange.`,
      other: html`Mehr als ${number} Ereignisse von ${from} bis ${to}: Das Zählen dauerte zu lange.`,
    })),
  start: 'Erneut senden',
  starting: 'Wird gestartet…',
  started: ({ link }) =>
    html`Gestartet. Mailhook sendet die Ereignisse, und neue behalten ihr Tempo. ${link('Stand ansehen')}`,
  tooMany:
    'Nichts wurde gestartet: Es laufen schon zu viele Replays. Warten Sie auf das Ende eines Replays, oder ' +
    'halten Sie eines an.',
  busy: 'Ein Replay dieses Endpunkts läuft. Warten Sie vor dem nächsten auf sein Ende, oder halten Sie es an.',
  nothingToSend: 'Es gibt nichts zu senden.',

  list: 'Replays dieses Endpunkts',
  none: 'Keines in den letzten 7 Tagen.',
  running: 'Läuft',
  waiting: 'Wartet',
  done: 'Fertig',
  stopped: 'Angehalten',
  span: ({ from, to }) => html`Ereignisse von ${from} bis ${to}`,
  chosen: 'Ausgewählte Ereignisse',
  startedAt: ({ time }) => html`Gestartet ${time}.`,
  progress: (all) =>
    plural(all.events, (number) => ({
      one: html`${number} Ereignis gefunden, ${all.sent} gesendet: ${all.delivered} zugestellt, ${all.dead} aufgegeben
      oder verworfen.`,
      other: html`${number} Ereignisse gefunden, ${all.sent} gesendet: ${all.delivered} zugestellt, ${all.dead}
      aufgegeben oder verworfen.`,
    })),
  missed: ({ events }) =>
    plural(events, (number) => ({
      one: `${number} Ereignis war nicht mehr im Protokoll.`,
      other: `${number} Ereignisse waren nicht mehr im Protokoll.`,
    })),
  share: 'Erneut gesendet',
  paused: 'Es geht weiter, wenn die Pause des Endpunkts endet.',
  full: 'Genug seiner Ereignisse warten am Endpunkt. Es geht weiter, wenn sie gesendet sind.',
  store: 'Das Protokoll lässt sich gerade nicht lesen. Es geht von selbst weiter.',
  complete: 'Es wartet, bis alle Ereignisse seines Zeitraums im Protokoll sind.',
  byPerson: 'Was gesendet wurde, bleibt gesendet.',
  endpointOff: 'Der Endpunkt wurde ausgeschaltet.',
  endpointDeleted: 'Der Endpunkt wurde gelöscht.',
  stop: 'Anhalten',
  stopping: 'Wird angehalten…',
  stoppedNow: 'Angehalten. Ereignisse, die am Endpunkt warten, werden noch gesendet.',

  offer: ({ events }) =>
    plural(events, (number) => ({
      one: `Auch ${number} früheres Ereignis senden`,
      other: `Auch ${number} frühere Ereignisse senden`,
    })),
  offerMore: ({ events }) =>
    plural(events, (number) => ({
      one: `Auch Früheres senden: mehr als ${number} Ereignis`,
      other: `Auch Früheres senden: mehr als ${number} Ereignisse`,
    })),
  past: 'Das Protokoll hat vergangene Ereignisse für ihn.',
};
