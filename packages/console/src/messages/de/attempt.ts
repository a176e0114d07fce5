import { html } from '../../html/markup.ts';
import { pluralIn } from '../catalog.ts';
import type { Translated } from '../catalog.ts';
import type { attempt as english } from '../en/attempt.ts';

const plural = pluralIn('de');

export const attempt: Translated<typeof english> = {
  title: ({ attempt }) => `Versuch ${attempt}`,
  titleOfNone: 'Versuch',
  unknown:
    'Diesen Versuch gibt es nicht: Er ist über 7 Tage alt, oder neuere haben seinen Platz im Protokoll eingenommen.',
  close: 'Schließen',
  sentAgain: ({ events }) =>
    plural(events, (number) => ({
      one: 'Mailhook sendet das Ereignis jetzt erneut. Der neue Versuch erscheint in der Liste.',
      other: `Mailhook sendet die ${number} Ereignisse jetzt erneut. Die neuen Versuche erscheinen in der Liste.`,
    })),
  notInLog: ({ events }) =>
    plural(events, (number) => ({
      one: `${number} anderes Ereignis der Anfrage war im Protokoll nicht zu finden.`,
      other: `${number} andere Ereignisse der Anfrage waren im Protokoll nicht zu finden.`,
    })),
  redirects: ({ target }) => html`Weiterleitung zu ${target}.`,
  changeAddress: 'Adresse ändern',
  story: 'Versuche für diese Ereignisse',
  all: ({ attempts }) => html`Alle Versuche (${attempts})`,
  noReply: 'Keine Antwort',

  notHeld:
    'Mailhook hat die Ereignisse dieses Versuchs nicht mehr: Sie wurden zugestellt oder aufgegeben und gelöscht.',
  heldUnknown:
    'Mailhook hat die Ereignisse dieses Versuchs nicht unter den durchsuchten gefunden. Es gibt zu viele ' +
    'Wiederholungen oder unzustellbare Ereignisse, um alle zu durchsuchen. Vielleicht hat Mailhook sie also noch.',
  waiting: ({ events }) =>
    plural(events, (number) => ({
      one: `${number} Ereignis wartet auf den nächsten Versuch`,
      other: `${number} Ereignisse warten auf den nächsten Versuch`,
    })),
  deadLetters: ({ events }) =>
    plural(events, (number) => ({
      one: `${number} Ereignis ist unzustellbar`,
      other: `${number} Ereignisse sind unzustellbar`,
    })),
  firstOnes: ({ shown }) => html`Das sind die ersten ${shown}. Über die API erhalten Sie alle.`,
  unconfirmed: ({ unconfirmed, events }) =>
    plural(unconfirmed, (number) => ({
      one: html`${number} Ereignis von ${events} nicht bestätigt`,
      other: html`${number} Ereignisse von ${events} nicht bestätigt`,
    })),

  request: 'Anfrage',
  nothingSent: 'Es wurde nichts gesendet, weil keine Verbindung zustande kam.',
  nothingKept: 'Wegen eines internen Fehlers hat Mailhook nichts von dieser Anfrage behalten.',
  copyBody: ({ hidden }) => html`Kopieren${hidden(': Inhalt')}`,
  copyAsCurl: 'Als curl kopieren (sh, bash, zsh)',
  cut: ({ link, bytes }) => html`Hier gekürzt. ${link('Der ganze Inhalt')} hat ${bytes} Bytes.`,
  asCurl: 'Als curl-Befehl',
  curlExpires:
    'Ein Server, der die Zeit einer Signatur prüft, lehnt diesen Befehl ab fünf Minuten nach dem Versuch ab.',
  curlLeavesOut: 'Header mit verborgenen Werten fehlen.',
  curlNeedsFile: 'Speichern Sie zuerst den ganzen Inhalt als body.json.',
  bodyNotKept:
    'Mailhook hat diesen Inhalt nicht behalten, deshalb fehlen die meisten Werte. Ihr Anbieter ' +
    'kann die Inhalte zugestellter Anfragen bis zu 24 Stunden aufbewahren lassen.',
  bodyNotHeld: 'Mailhook hat nicht mehr alle Ereignisse dieses Versuchs, deshalb fehlen die meisten Werte.',
  noBodiesOfTests: 'Mailhook speichert keine Inhalte von Tests. Sie bestehen nur aus Beispielereignissen.',
  someOf: ({ shown, events }) => html`Das sind ${shown} von ${events} Ereignissen.`,
  size: ({ events, bytes }) =>
    plural(events, (number) => ({
      one: html`${number} Ereignis in ${bytes} Bytes.`,
      other: html`${number} Ereignisse in ${bytes} Bytes.`,
    })),
  repeated:
    'Die Anfrage wurde zweimal gesendet: Ihr Endpunkt hat eine offene Verbindung vor der Antwort geschlossen, ' +
    'deshalb hat Mailhook dieselbe Anfrage über eine neue Verbindung gesendet.',
  notSigned: 'Die Anfrage war nicht signiert, weil weder der Endpunkt noch das Konto einen Signaturschlüssel hatte.',
  signed: ({ secrets }) =>
    plural(secrets, (number) => ({
      one: `Mit ${number} Schlüssel signiert, in webhook-signature.`,
      other: `Mit ${number} Schlüsseln signiert, in webhook-signature.`,
    })),
  signedAgain:
    'Mailhook speichert keine Signaturen und hat diese deshalb mit den heutigen Signaturschlüsseln neu erstellt.',
  signatureNeedsBody: 'Die Signatur wird nicht gezeigt, weil sie sich nur mit dem ganzen Inhalt neu erstellen lässt.',
  secretsChanged: 'Die Signatur wird nicht gezeigt, weil sich die Signaturschlüssel seitdem geändert haben.',

  reply: 'Antwort',
  noneCame: 'Es kam keine.',
  allConfirmed:
    'Alle Ereignisse wurden bestätigt. Mailhook speichert den Anfang der Antwort nur bei Fehlern und Tests.',
  keepsNoMore: 'Diese Installation speichert nicht mehr von Antworten.',
  keepsReplies:
    'Mailhook speichert den Anfang der Antwort bei Fehlern und Tests, solange sie hier in der Liste stehen.',
  bodyEmpty: 'Der Inhalt war leer.',
  bodyWhole: 'Das ist der ganze Inhalt.',
  bodyStart: 'Das ist der Anfang des Inhalts.',
  statusDecides: 'Der Status entscheidet, und es kam kein Inhalt mit ihm.',
  noBody: 'Zusammen mit dem Status kam kein Inhalt.',
  bodyCompressed: 'Der Inhalt war komprimiert. Komprimierte Inhalte speichert Mailhook nicht.',
  noConnection: 'Es kam keine Verbindung zustande, also wurde nichts gesendet.',
  noneShown: 'Es gibt keine Antwort zu zeigen.',
};
