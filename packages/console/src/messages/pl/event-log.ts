import { html } from '../../html/markup.ts';
import { pluralIn } from '../catalog.ts';
import type { Translated } from '../catalog.ts';
import type { eventLog as english } from '../en/event-log.ts';

const plural = pluralIn('pl');

export const eventLog: Translated<typeof english> = {
  title: 'Zdarzenia',
  lead: 'Wszystkie przyjęte zdarzenia, od najnowszego, i ich losy w każdym endpoincie.',
  off:
    'Ta instalacja nie prowadzi dziennika przyjętych zdarzeń, więc można znaleźć tylko zdarzenia, które ' +
    'Mailhook jeszcze ma. Dziennik może włączyć dostawca usługi.',
  list: 'Przyjęte zdarzenia',
  matching: 'Pasujące przyjęte zdarzenia',
  allEvents: 'Wszystkie zdarzenia',
  campaign: 'Kampania',
  endpoints: 'Endpointy',
  nowhere: 'Żaden endpoint',
  none: 'Brak zdarzeń',
  noneHint: 'Można wybrać inne filtry albo poczekać: zdarzenie pojawia się tu kilka sekund po przyjęciu.',
  noneSoFar: 'Przeszukano tylko część dziennika. Przycisk „Starsze” szuka dalej.',
  searchedUntil: ({ time }) => html`Przeszukano do ${time}. Pasować mogą też starsze zdarzenia.`,
  newestOnly: ({ shown }) => html`To są najnowsze zdarzenia (${shown}). API ma wszystkie.`,
  completeUntil: ({ time }) => html`Zdarzenia przyjęte po ${time} mogą się jeszcze pojawić.`,
  waiting: 'Czeka',
  delivered: 'Dostarczono',
  dead: 'Zaniechano',
  discarded: 'Odrzucono',

  gapOfStore: ({ from, to }) =>
    html`Tu brakuje zdarzeń lub ich wyników, od ${from} do ${to}: dziennik był wyłączony lub zapis się opóźnił.
    Dostarczano je normalnie.`,
  gapOfStoreCounted: ({ from, to, events }) =>
    plural(events, (number) => ({
      one: html`Tu brakuje ${number} zdarzenia, od ${from} do ${to}: dziennika nie zapisano na czas. Dostarczano je
      normalnie.`,
      few: html`Tu brakuje ${number} zdarzeń, od ${from} do ${to}: dziennika nie zapisano na czas. Dostarczano je
      normalnie.`,
      many: html`Tu brakuje ${number} zdarzeń, od ${from} do ${to}: dziennika nie zapisano na czas. Dostarczano je
      normalnie.`,
    })),
  gapOfRedis: ({ from, to }) =>
    html`Tu może brakować zdarzeń, od ${from} do ${to}: baza danych Mailhooka utraciła ostatnie zmiany.`,

  one: 'Zdarzenie',
  open: ({ time }) => html`Losy zdarzenia z ${time}:`,
  close: 'Zamknij',
  unknown: 'Dziennik nie ma takiego zdarzenia. Może jest zbyt stare albo zostało usunięte.',
  story: 'Losy zdarzenia',
  tookNoOne: 'Nie trafiło do żadnego endpointu',
  isWaiting: 'Czeka na następną próbę',
  wasDelivered: ({ attempts }) => `Dostarczono w próbie ${attempts}`,
  wasGivenUp: ({ attempts }) =>
    plural(attempts, (number) => ({
      one: `Zaniechano po ${number} próbie`,
      few: `Zaniechano po ${number} próbach`,
      many: `Zaniechano po ${number} próbach`,
    })),
  wasDiscarded: 'Odrzucono: usunięto przed dostarczeniem',
  byReplay: 'wysłane ponownie z dziennika',
  body: 'Treść, wersja 2',
  sendAgain: 'Wyślij ponownie',
  sendTo: 'Wyślij ponownie do',
  sending: 'Wysyłanie…',
  sendHint: 'Żądanie ma nagłówek webhook-replay. Od wersji 2 treści zdarzenie zachowuje id i hash.',
  noTarget: 'Żaden endpoint dla tego zdarzenia nie jest włączony.',
  sentAgain: 'Mailhook wysyła teraz zdarzenie ponownie. Próby pojawią się tutaj.',
};
