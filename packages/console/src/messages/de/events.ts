import { markup } from '../../html/markup.ts';
import { pluralIn } from '../catalog.ts';
import type { Translated } from '../catalog.ts';
import type { events as english } from '../en/events.ts';

const plural = pluralIn('de');

export const events: Translated<typeof english> = {
  lead: 'Was mit einem Ereignis geschah: nach seinem Hash (Kampagnen), seiner messageId (transaktionale Nachrichten), der webhook-id einer Anfrage oder der E-Mail-Adresse eines Empfängers (Kampagnen).',
  field: 'Hash, messageId, webhook-id oder E-Mail-Adresse',
  find: 'Suchen',
  notFound: 'Ereignis nicht gefunden',
  noneOfAccount: ({ event }) =>
    `Kein Ereignis dieses Kontos hat den Hash, die messageId, die webhook-id oder den Empfänger „${event}“. Prüfen Sie, ob die Eingabe vollständig ist.`,
  noneSearched: ({ event }) =>
    `Kein durchsuchtes Ereignis hat den Hash, die messageId, die webhook-id oder den Empfänger „${event}“. Prüfen Sie, ob die Eingabe vollständig ist.`,
  moreHeld:
    'Mailhook hat mehr Ereignisse dieses Kontos, als durchsucht wurden. Das gesuchte kann unter den anderen sein.',
  searched: (most) =>
    markup`Durchsucht: von jedem Endpunkt die ersten ${most.waiting} wartenden Ereignisse und ${most.resends} Wiederholungen, die neuesten ${most.deadLetters} unzustellbaren Ereignisse und das Protokoll der Versuche.`,
  ofRecipient: (found) =>
    plural(found.events, (number) => ({
      one: markup`${number} Ereignis dieses Empfängers: ${found.delivered} zugestellt, ${found.undelivered} nicht zugestellt`,
      other: markup`${number} Ereignisse dieses Empfängers: ${found.delivered} zugestellt, ${found.undelivered} nicht zugestellt`,
    })),
  ofRecipientAtLeast: (found) =>
    plural(found.events, (number) => ({
      one: markup`Mindestens ${number} Ereignis dieses Empfängers: ${found.delivered} zugestellt, ${found.undelivered} nicht zugestellt`,
      other: markup`Mindestens ${number} Ereignisse dieses Empfängers: ${found.delivered} zugestellt, ${found.undelivered} nicht zugestellt`,
    })),
  attemptsOfRecipient: ({ attempts }) =>
    plural(attempts, (number) => ({
      one: `${number} Versuch mit Ereignissen dieses Empfängers`,
      other: `${number} Versuche mit Ereignissen dieses Empfängers`,
    })),
  now: 'Jetzt',

  anEvent: 'Ereignis',
  isWaiting: ({ event }) => markup`${event} wartet auf den ersten Versuch`,
  isInFlight: ({ event }) => markup`${event} wird gesendet`,
  isResent: ({ event }) => markup`${event} wartet auf den nächsten Versuch`,
  isDeadLetter: ({ event }) => markup`${event} ist unzustellbar`,
  wasGivenUp: ({ event }) => markup`${event} wurde aufgegeben`,
  wasDelivered: ({ event, attempt }) => markup`${event} wurde im Versuch ${attempt} zugestellt`,
  hasFailed: ({ event }) => markup`${event} ist im neuesten Versuch fehlgeschlagen`,

  accepted: 'Von Mailhook angenommen',
  attempt: ({ attempt, result }) => markup`Versuch ${attempt}: ${result}`,
  attemptInBatch: ({ attempt, events, result }) =>
    plural(events, (number) => ({
      one: markup`Versuch ${attempt} in einem Stapel von ${number} Ereignis: ${result}`,
      other: markup`Versuch ${attempt} in einem Stapel von ${number} Ereignissen: ${result}`,
    })),
  confirmed: ({ ms }) => `bestätigt nach ${ms} ms`,
  confirmedWith: ({ status, ms }) => `mit HTTP ${status} bestätigt nach ${ms} ms`,
  othersUnconfirmed: ({ unconfirmed }) =>
    plural(unconfirmed, (number) => ({
      one: `(${number} anderes Ereignis dieses Stapels nicht)`,
      other: `(${number} andere Ereignisse dieses Stapels nicht)`,
    })),
  failed: ({ ms }) => `fehlgeschlagen nach ${ms} ms`,
  failedWith: ({ ms, error }) => markup`fehlgeschlagen nach ${ms} ms: ${error}`,
  waits: 'Wartet auf den ersten Versuch',
  inProgress: ({ attempt }) => `Versuch ${attempt} läuft`,
  due: ({ attempt }) => `Versuch ${attempt} ist fällig`,
  scheduled: ({ attempt }) => `Versuch ${attempt} ist geplant`,
  givenUp: ({ attempts }) =>
    plural(attempts, (number) => ({
      one: 'Nach einem Versuch aufgegeben. Das Ereignis ist unzustellbar',
      other: `Nach ${number} Versuchen aufgegeben. Das Ereignis ist unzustellbar`,
    })),
  givenUpWith: ({ attempts, error }) =>
    plural(attempts, (number) => ({
      one: markup`Nach einem Versuch aufgegeben: ${error}. Das Ereignis ist unzustellbar`,
      other: markup`Nach ${number} Versuchen aufgegeben: ${error}. Das Ereignis ist unzustellbar`,
    })),
  delivered: 'Zugestellt',
  newestFailed: 'Der neueste Versuch ist fehlgeschlagen, und kein weiterer ist geplant',
};
