import { html } from '../../html/markup.ts';
import { pluralIn } from '../catalog.ts';
import type { Translated } from '../catalog.ts';
import type { eventLog as english } from '../en/event-log.ts';

const plural = pluralIn('de');

export const eventLog: Translated<typeof english> = {
  title: 'Ereignisse',
  lead: 'Jedes angenommene Ereignis, das neueste zuerst, und was an jedem Endpunkt daraus wurde.',
  off:
    'Diese Installation führt kein Protokoll der angenommenen Ereignisse. Zu finden sind nur Ereignisse, die ' +
    'Mailhook noch hat. Ihr Anbieter kann das Protokoll einschalten.',
  list: 'Angenommene Ereignisse',
  matching: 'Passende angenommene Ereignisse',
  allEvents: 'Alle Ereignisse',
  campaign: 'Kampagne',
  endpoints: 'Endpunkte',
  nowhere: 'Kein Endpunkt',
  none: 'Keine Ereignisse',
  noneHint: 'Wählen Sie andere Filter oder warten Sie: Ein Ereignis erscheint hier Sekunden nach seiner Annahme.',
  noneSoFar: 'Nur ein Teil des Protokolls wurde durchsucht. „Ältere“ sucht weiter.',
  searchedUntil: ({ time }) => html`Durchsucht bis ${time}. Auch ältere Ereignisse können passen.`,
  newestOnly: ({ shown }) => html`Das sind die neuesten ${shown}. Die API hat alle.`,
  completeUntil: ({ time }) => html`Ereignisse, die nach ${time} angenommen wurden, können noch erscheinen.`,
  waiting: 'Wartet',
  delivered: 'Zugestellt',
  dead: 'Aufgegeben',
  discarded: 'Verworfen',

  gapOfStore: ({ from, to }) =>
    html`Hier fehlen Ereignisse oder was aus ihnen wurde, von ${from} bis ${to}: Das Protokoll war aus oder ließ sich
    nicht rechtzeitig schreiben. Zugestellt wurden sie wie üblich.`,
  gapOfStoreCounted: ({ from, to, events }) =>
    plural(events, (number) => ({
      one: html`Hier fehlt ${number} Ereignis, von ${from} bis ${to}: Das Protokoll ließ sich nicht rechtzeitig
      schreiben. Zugestellt wurde es wie üblich.`,
      other: html`Hier fehlen ${number} Ereignisse, von ${from} bis ${to}: Das Protokoll ließ sich nicht rechtzeitig
      schreiben. Zugestellt wurden sie wie üblich.`,
    })),
  gapOfRedis: ({ from, to }) =>
    html`Hier können Ereignisse fehlen, von ${from} bis ${to}: Die Datenbank von Mailhook hat ihre letzten Änderungen
    verloren.`,

  one: 'Ereignis',
  open: ({ time }) => html`Was aus dem Ereignis von ${time} wurde:`,
  close: 'Schließen',
  unknown: 'Das Protokoll hat kein solches Ereignis. Vielleicht ist es zu alt oder wurde gelöscht.',
  story: 'Was daraus wurde',
  tookNoOne: 'Kein Endpunkt hat es bekommen',
  isWaiting: 'Wartet auf den nächsten Versuch',
  wasDelivered: ({ attempts }) => `Im Versuch ${attempts} zugestellt`,
  wasGivenUp: ({ attempts }) =>
    plural(attempts, (number) => ({
      one: `Nach ${number} Versuch aufgegeben`,
      other: `Nach ${number} Versuchen aufgegeben`,
    })),
  wasDiscarded: 'Verworfen: vor der Zustellung gelöscht',
  byReplay: 'von einem Replay erneut gesendet',
  body: 'Inhalt, Version 2',
  sendAgain: 'Erneut senden',
  sendTo: 'Erneut senden an',
  sending: 'Wird gesendet…',
  sendHint: 'Die Anfrage hat den Header webhook-replay. Ab Version 2 des Inhalts behält das Ereignis id und Hash.',
  noTarget: 'Dafür ist kein Endpunkt eingeschaltet.',
  sentAgain: 'Mailhook sendet das Ereignis jetzt erneut. Seine Versuche erscheinen hier.',
};
