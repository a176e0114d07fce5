import { html } from '../../html/markup.ts';
import { pluralIn } from '../catalog.ts';
import type { Translated } from '../catalog.ts';
import type { events as english } from '../en/events.ts';

const plural = pluralIn('pl');

export const events: Translated<typeof english> = {
  lead:
    'Co stało się ze zdarzeniem: według jego hasha lub id, messageId, webhook-id żądania albo adresu e-mail ' +
    'odbiorcy.',
  field: 'Hash, messageId, id, webhook-id lub adres e-mail',
  find: 'Znajdź',
  notFound: 'Nie znaleziono zdarzenia',
  noneOfAccount: ({ event }) =>
    `Żadne zdarzenie tego konta nie ma hasha, messageId, id, webhook-id ani odbiorcy „${event}”. Należy ` +
    'sprawdzić, czy podano całość.',
  noneSearched: ({ event }) =>
    `Żadne z przeszukanych zdarzeń nie ma hasha, messageId, id, webhook-id ani odbiorcy „${event}”. Należy ` +
    'sprawdzić, czy podano całość.',
  moreHeld: 'Mailhook ma więcej zdarzeń tego konta, niż przeszukał, i szukane może być wśród pozostałych.',
  searched: (most) =>
    html`Przeszukano w każdym endpoincie początek kolejki oczekujących zdarzeń (najwyżej ${most.waiting}) i ponowne
    wysyłki (najwyżej ${most.resends}), a także najnowsze niedostarczone zdarzenia (najwyżej ${most.deadLetters}) i
    dziennik prób.`,
  ofRecipient: (found) =>
    plural(found.events, (number) => ({
      one: html`${number} zdarzenie odbiorcy, dostarczone: ${found.delivered}, niedostarczone: ${found.undelivered}`,
      few: html`${number} zdarzenia odbiorcy, dostarczone: ${found.delivered}, niedostarczone: ${found.undelivered}`,
      many: html`${number} zdarzeń odbiorcy, dostarczone: ${found.delivered}, niedostarczone: ${found.undelivered}`,
    })),
  ofRecipientAtLeast: (found) =>
    plural(found.events, (number) => ({
      one: html`Co najmniej ${number} zdarzenie odbiorcy, dostarczone: ${found.delivered}, niedostarczone:
      ${found.undelivered}`,
      few: html`Co najmniej ${number} zdarzenia odbiorcy, dostarczone: ${found.delivered}, niedostarczone:
      ${found.undelivered}`,
      many: html`Co najmniej ${number} zdarzeń odbiorcy, dostarczone: ${found.delivered}, niedostarczone:
      ${found.undelivered}`,
    })),
  attemptsOfRecipient: ({ attempts }) =>
    plural(attempts, (number) => ({
      one: `${number} próba ze zdarzeniami tego odbiorcy`,
      few: `${number} próby ze zdarzeniami tego odbiorcy`,
      many: `${number} prób ze zdarzeniami tego odbiorcy`,
    })),
  now: 'Teraz',

  anEvent: 'zdarzenie',
  isWaiting: ({ event }) => html`${event} czeka na pierwszą próbę`,
  isInFlight: ({ event }) => html`${event} jest wysyłane`,
  isResent: ({ event }) => html`${event} czeka na następną próbę`,
  isDeadLetter: ({ event }) => html`${event} jest wśród niedostarczonych`,
  wasGivenUp: ({ event }) => html`${event}: dostarczania zaniechano`,
  isDiscarded: ({ event }) => html`${event}: odrzucono`,
  wasDelivered: ({ event, attempt }) => html`${event}: dostarczono w próbie ${attempt}`,
  hasFailed: ({ event }) => html`${event}: najnowsza próba się nie powiodła`,

  accepted: 'Przyjęte przez Mailhook',
  attempt: ({ attempt, result, link }) => html`${link(`Próba ${attempt}`)}: ${result}`,
  attemptInBatch: ({ attempt, events, result, link }) =>
    plural(events, (number) => ({
      one: html`${link(`Próba ${attempt}`)} w paczce z ${number} zdarzeniem: ${result}`,
      few: html`${link(`Próba ${attempt}`)} w paczce z ${number} zdarzeniami: ${result}`,
      many: html`${link(`Próba ${attempt}`)} w paczce z ${number} zdarzeniami: ${result}`,
    })),
  confirmed: ({ ms }) => `potwierdzono po ${ms} ms`,
  confirmedWith: ({ status, ms }) => `potwierdzono odpowiedzią HTTP ${status} po ${ms} ms`,
  othersUnconfirmed: ({ unconfirmed }) =>
    plural(unconfirmed, (number) => ({
      one: `(nie potwierdzono ${number} innego zdarzenia tej paczki)`,
      few: `(nie potwierdzono ${number} innych zdarzeń tej paczki)`,
      many: `(nie potwierdzono ${number} innych zdarzeń tej paczki)`,
    })),
  failed: ({ ms }) => `niepowodzenie po ${ms} ms`,
  failedWith: ({ ms, error }) => html`niepowodzenie po ${ms} ms: ${error}`,
  waits: 'Czeka na pierwszą próbę',
  inProgress: ({ attempt }) => `Próba ${attempt} trwa`,
  due: ({ attempt }) => `Próba ${attempt} zaraz się zacznie`,
  scheduled: ({ attempt }) => `Próba ${attempt} jest zaplanowana`,
  givenUp: ({ attempts }) =>
    plural(attempts, (number) => ({
      one: 'Zaniechano po jednej próbie. Zdarzenie jest wśród niedostarczonych',
      few: `Zaniechano po ${number} próbach. Zdarzenie jest wśród niedostarczonych`,
      many: `Zaniechano po ${number} próbach. Zdarzenie jest wśród niedostarczonych`,
    })),
  givenUpWith: ({ attempts, error }) =>
    plural(attempts, (number) => ({
      one: html`Zaniechano po jednej próbie: ${error}. Zdarzenie jest wśród niedostarczonych`,
      few: html`Zaniechano po ${number} próbach: ${error}. Zdarzenie jest wśród niedostarczonych`,
      many: html`Zaniechano po ${number} próbach: ${error}. Zdarzenie jest wśród niedostarczonych`,
    })),
  delivered: 'Dostarczono',
  newestFailed: 'Najnowsza próba się nie powiodła i żadna kolejna nie jest zaplanowana',
};
