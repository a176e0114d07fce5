import { html } from '../../html/markup.ts';
import { pluralIn } from '../catalog.ts';
import type { Translated } from '../catalog.ts';
import type { events as english } from '../en/events.ts';

const plural = pluralIn('de');

export const events: Translated<typeof english> = {
  lead:
    'Was mit einem Ereignis geschah: nach seinem Hash oder seiner id, seiner messageId, der webhook-id einer ' +
    'Anfrage oder der E-Mail-Adresse eines Empfängers.',
  field: 'Hash, messageId, id, webhook-id oder E-Mail-Adresse',
  find: 'Suchen',
  notFound: 'Ereignis nicht gefunden',
  noneOfAccount: ({ event }) =>
    'Kein Ereignis dieses Kontos hat den Hash, die messageId, die id, die webhook-id oder den Empfänger ' +
    `„${event}“. Prüfen Sie, ob die Eingabe vollständig ist.`,
  noneSearched: ({ event }) =>
    'Kein durchsuchtes Ereignis hat den Hash, die messageId, die id, die webhook-id oder den Empfänger ' +
    `„${event}“. Prüfen Sie, ob die Eingabe vollständig ist.`,
  moreHeld:
    'Mailhook hat mehr Ereignisse dieses Kontos, als durchsucht wurden. Das gesuchte kann unter den anderen sein.',
  searched: (most) =>
    html`Durchsucht: von jedem Endpunkt die ersten ${most.waiting} wartenden Ereignisse und ${most.resends}
    Wiederholungen, die neuesten ${most.deadLetters} unzustellbaren Ereignisse und das Protokoll der Versuche.`,
  ofRecipient: (found) =>
    plural(found.events, (number) => ({
      one: html`${number} Ereignis dieses Empfängers: ${found.delivered} zugestellt, ${found.undelivered} nicht
      zugestellt`,
      other: html`${number} Ereignisse dieses Empfängers: ${found.delivered} zugestellt, ${found.undelivered} nicht
      zugestellt`,
    })),
  ofRecipientAtLeast: (found) =>
    plural(found.events, (number) => ({
      one: html`Mindestens ${number} Ereignis dieses Empfängers: ${found.delivered} zugestellt, ${found.undelivered}
      nicht zugestellt`,
      other: html`Mindestens ${number} Ereignisse dieses Empfängers: ${found.delivered} zugestellt, ${found.undelivered}
      nicht zugestellt`,
    })),
  attemptsOfRecipient: ({ attempts }) =>
    plural(attempts, (number) => ({
      one: `${number} Versuch mit Ereignissen dieses Empfängers`,
      other: `${number} Versuche mit Ereignissen dieses Empfängers`,
    })),
  now: 'Jetzt',

  anEvent: 'Ereignis',
  isWaiting: ({ event }) => html`${event} wartet auf den ersten Versuch`,
  isInFlight: ({ event }) => html`${event} wird gesendet`,
  isResent: ({ event }) => html`${event} wartet auf den nächsten Versuch`,
  isDeadLetter: ({ event }) => html`${event} ist unzustellbar`,
  wasGivenUp: ({ event }) => html`${event} wurde aufgegeben`,
  isDiscarded: ({ event }) => html`${event} wurde verworfen`,
  wasDelivered: ({ event, attempt }) => html`${event} wurde im Versuch ${attempt} zugestellt`,
  hasFailed: ({ event }) => html`${event} ist im neuesten Versuch fehlgeschlagen`,

  accepted: 'Von Mailhook angenommen',
  attempt: ({ attempt, result, link }) => html`${link(`Versuch ${attempt}`)}: ${result}`,
  attemptInBatch: ({ attempt, events, result, link }) =>
    plural(events, (number) => ({
      one: html`${link(`Versuch ${attempt}`)} in einer Anfrage mit ${number} Ereignis: ${result}`,
      other: html`${link(`Versuch ${attempt}`)} in einer Anfrage mit ${number} Ereignissen: ${result}`,
    })),
  confirmed: ({ ms }) => `bestätigt nach ${ms} ms`,
  confirmedWith: ({ status, ms }) => `mit HTTP ${status} bestätigt nach ${ms} ms`,
  othersUnconfirmed: ({ unconfirmed }) =>
    plural(unconfirmed, (number) => ({
      one: `(${number} anderes Ereignis dieses Stapels nicht)`,
      other: `(${number} andere Ereignisse dieses Stapels nicht)`,
    })),
  failed: ({ ms }) => `fehlgeschlagen nach ${ms} ms`,
  failedWith: ({ ms, error }) => html`fehlgeschlagen nach ${ms} ms: ${error}`,
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
      one: html`Nach einem Versuch aufgegeben: ${error}. Das Ereignis ist unzustellbar`,
      other: html`Nach ${number} Versuchen aufgegeben: ${error}. Das Ereignis ist unzustellbar`,
    })),
  delivered: 'Zugestellt',
  newestFailed: 'Der neueste Versuch ist fehlgeschlagen, und kein weiterer ist geplant',
};
