import { html } from '../../html/markup.ts';
import type { Content } from '../../html/markup.ts';
import { pluralIn } from '../catalog.ts';
import type { Translated } from '../catalog.ts';
import type { deliveries as english } from '../en/deliveries.ts';

const plural = pluralIn('pl');

export const deliveries: Translated<typeof english> = {
  lead:
    'Wszystkie żądania do serwerów, od najnowszego. Próba jest nieudana, jeśli Mailhook musi ponownie wysłać ' +
    'choć jedno z jej zdarzeń albo zaniechał jego dostarczania.',
  keeps: (kept) =>
    plural(kept.days, (days) => {
      const text = (span: string): Content =>
        html`Mailhook przechowuje przez ${span} najnowsze udane próby (${kept.delivered}) i pozostałe
        (${kept.attempts}): mniej, gdy są duże, a gdy udanych jest naraz bardzo wiele, tylko ich część.`;
      return { one: text(`${days} dzień`), few: text(`${days} dni`), many: text(`${days} dni`) };
    }),
  deliveredFor: ({ span }) => html`Obecnie udane próby są przechowywane przez ${span}.`,

  deleted: ({ id }) => `Endpoint ${id} (usunięty)`,
  endpoint: 'Endpoint',
  allEndpoints: 'Wszystkie endpointy',
  outcome: 'Wynik',
  allOutcomes: 'Wszystkie wyniki',
  event: 'Zdarzenie',
  allEvents: 'Wszystkie zdarzenia',
  period: 'Okres',
  anyTime: 'Dowolny czas',
  from: ({ zone }) => html`Od (${zone})`,
  to: ({ zone }) => html`Do (${zone})`,
  replyText: 'Tekst odpowiedzi',
  allReplies: 'Wszystkie odpowiedzi',
  allAttempts: 'Wszystkie próby',
  firstAttempts: 'Pierwsze próby',
  laterAttempts: 'Ponowne próby',
  since: 'Od',
  until: 'Do',
  removeFilter: '(usuń ten filtr)',
  found: ({ attempts, isAll }) =>
    plural(attempts, (number) => ({
      one: isAll ? `${number} próba` : `co najmniej ${number} próba`,
      few: isAll ? `${number} próby` : `co najmniej ${number} próby`,
      many: isAll ? `${number} prób` : `co najmniej ${number} prób`,
    })),
  why: 'Przyczyna',
  show: 'Pokaż',

  delivered: 'Dostarczono',
  failed: 'Nieudana',
  dead: 'Zaniechano',
  not_delivered: 'Nieudana albo zaniechano',
  split: 'Podzielona',

  noneYet: 'Jeszcze nic nie dostarczono',
  noneYetHint: 'Można przetestować endpoint: testy też są na liście.',
  nothingSoFar: 'Na razie brak wyników',
  nothingSoFarHint: 'Przeszukano tylko część prób. Przycisk „Starsze” szuka dalej.',
  nothing: 'Brak wyników',
  nothingHint: 'Można wybrać inne filtry albo poczekać: nowe dostarczenia pojawiają się tu same.',
  all: 'Wszystkie dostarczenia',
  newest: 'Najnowsze',
  older: 'Starsze',

  list: 'Próby dostarczenia',
  time: 'Czas',
  events: 'Zdarzenia',
  attempt: 'Próba',
  reply: 'Odpowiedź',
  open: ({ attempt, time }) => html`Żądanie i odpowiedź próby ${attempt} z ${time}`,
  test: 'Test',
  next: ({ time }) => html`Następna próba: ${time}`,
  deliveredBy: ({ link, attempt, time }) => html`Dostarczono w ${link(`próbie ${attempt}`)}, ${time}`,
  splitIn: ({ attempt, requests }) =>
    plural(requests, (number) => ({
      one: `Próba ${attempt}, podzielona na ${number} żądanie`,
      few: `Próba ${attempt}, podzielona na ${number} żądania`,
      many: `Próba ${attempt}, podzielona na ${number} żądań`,
    })),
  splitInSmaller: ({ attempt }) => `Próba ${attempt}, podzielona na mniejsze żądania`,
};
