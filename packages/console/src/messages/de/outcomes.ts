import { html } from '../../html/markup.ts';
import { pluralIn } from '../catalog.ts';
import type { Translated } from '../catalog.ts';
import type { outcomes as english } from '../en/outcomes.ts';

const plural = pluralIn('de');

export const outcomes: Translated<typeof english> = {
  correctFields: 'Korrigieren Sie die markierten Felder und versuchen Sie es dann noch einmal.',
  changedMeanwhile:
    'Nichts wurde gespeichert, weil diese Einstellungen geändert wurden, nachdem Sie die Seite geöffnet haben. ' +
    'Ihre Eingaben sind noch da, und die anderen Felder zeigen, was jetzt gespeichert ist. Speichern Sie noch ' +
    'einmal, um es zu ersetzen.',
  ourFault: 'Mailhook kann das gerade nicht tun. Ihre Eingaben bleiben: Versuchen Sie es in einer Minute noch einmal.',
  readOnly: 'Dieser Zugang darf nur lesen. Für Änderungen brauchen Sie einen Zugang, der Webhooks verwalten darf.',

  headersLost:
    'Anmeldung und Header waren für einen anderen Server und gehen nicht an diesen: Geben Sie sie erneut ein.',
  campaignSaved: 'Gespeichert. Kampagnenereignisse werden ab jetzt an diese Adresse zugestellt.',
  campaignSavedOff: 'Gespeichert. Der Webhook ist weiterhin aus: Kampagnenereignisse werden nicht zugestellt.',
  notSaved: 'Noch nicht gespeichert.',
  notCreated: 'Er ist noch nicht angelegt.',
  saveAddress: 'Diese Adresse speichern',
  batchConfirmed: ({ types }) => html`Erfolg. Ihr Server hat je ein Ereignis jeder Art bestätigt: ${types}.`,
  testsPassed:
    'Erfolg. Ihr Server hat den Verbindungstest beantwortet, wie er soll. Er hat auch einen Beispielstapel bestätigt.',
  batchFailed: 'Ihr Server hat den Verbindungstest beantwortet, aber einen Beispielstapel nicht bestätigt.',
  checksFailed: ({ failed, all }) =>
    plural(all, (number) => ({
      one: html`${failed} von ${number} Prüfung fehlgeschlagen. Unten steht, wie Sie das beheben.`,
      other: html`${failed} von ${number} Prüfungen fehlgeschlagen. Unten steht, wie Sie jede beheben.`,
    })),
  checksPassed: ({ passed }) =>
    plural(passed, (number) => ({
      one: `Alles in Ordnung: ${number} Prüfung bestanden.`,
      other: `Alles in Ordnung: ${number} Prüfungen bestanden.`,
    })),
  couldBeBetter: ({ results }) =>
    plural(results, (number) => ({
      one: `Keine Prüfung ist fehlgeschlagen, aber ${number} Ergebnis könnte besser sein. Siehe unten.`,
      other: `Keine Prüfung ist fehlgeschlagen, aber ${number} Ergebnisse könnten besser sein. Siehe unten.`,
    })),

  duplicate: ({ type }) =>
    html`Nichts wurde geändert. Ihr Server bekäme jedes Ereignis ${type} doppelt, weil ein anderer Endpunkt sie schon an
    diese Adresse sendet.`,
  savedAndOn: 'Gespeichert und eingeschaltet.',
  switchedOn: 'Eingeschaltet.',

  paused:
    'Pausiert. Neue Ereignisse werden aufbewahrt und gesendet, wenn die Pause endet oder Sie „Fortsetzen“ ' +
    'drücken.',
  resumed: 'Fortgesetzt. Wartende Ereignisse werden jetzt gesendet.',
  startedSending: ({ time, what }) => html`Gestartet um ${time}: ${what}, so schnell Ihr Server es zulässt.`,
  waitingEvents: ({ events }) =>
    plural(events, (number) => ({ one: `${number} wartendes Ereignis`, other: `${number} wartende Ereignisse` })),
  deadLetters: ({ letters }) =>
    plural(letters, (number) => ({
      one: `${number} unzustellbare Anfrage`,
      other: `${number} unzustellbare Anfragen`,
    })),
  restWaits: 'Wenn er weiterhin Fehler meldet, behält der Rest seinen Zeitplan.',

  sendsNoHeaders: 'Gespeichert. Mailhook sendet keine Anmeldung und keine eigenen Header.',
  sendsHeaders: ({ names }) => html`Gespeichert. Jede Anfrage an diese Adresse enthält ab jetzt ${names}, auch Tests.`,
  secretCreated: 'Anfragen werden ab jetzt mit diesem Schlüssel signiert, außer an Endpunkte mit eigenem Schlüssel.',
  ownSecretCreated:
    'Anfragen an diesen Endpunkt werden ab jetzt mit diesem Schlüssel signiert und nicht mit denen Ihres Kontos.',
  secretRolled: 'Ab jetzt signiert auch dieser Schlüssel die Anfragen. Der frühere endet von selbst.',
  secretDeleted: 'Gelöscht. Mailhook signiert in wenigen Sekunden nicht mehr mit diesem Schlüssel.',

  endpointAdded: ({ scope }) => html`Angelegt. ${scope}.`,
  wouldGet: ({ scope }) => html`Noch nicht gespeichert. ${scope}.`,
  sampleTaken: ({ type }) => `Erfolg. Ihr Server hat das Beispielereignis ${type} angenommen.`,
  endpointSaved: 'Gespeichert.',
  newAddress:
    'Auch wartende Ereignisse gehen an die neue Adresse. Drücken Sie „Alles jetzt senden“, wenn Wiederholungen ' +
    'nicht auf ihre Zeit warten sollen.',
  endpointSavedOff: 'Gespeichert. Der Endpunkt ist weiterhin aus: Es werden keine Ereignisse zugestellt.',
  leavesList:
    'Nichts wurde geändert. Mit diesen Einstellungen steht er nicht mehr in /v3/webhook/subscriptions. Seine ' +
    'Kennung bleibt, und er steht in /v3/webhook/destinations.',
};
