import { html } from '../../html/markup.ts';
import { pluralIn } from '../catalog.ts';
import type { Translated } from '../catalog.ts';
import type { endpoints as english } from '../en/endpoints.ts';

const plural = pluralIn('pl');

export const endpoints: Translated<typeof english> = {
  lead: 'Dokąd trafiają zdarzenia. Webhook kampanii otrzymuje zdarzenia kampanii w paczkach. Subskrypcja otrzymuje jeden typ zdarzeń transakcyjnych, każde w osobnym żądaniu.',
  campaign: 'Webhook kampanii',
  subscription: ({ type }) => `Subskrypcja zdarzeń ${type}`,

  events: 'Zdarzenia',
  last24h: 'Ostatnie 24 godziny',
  delivered: 'Dostarczone',
  waiting: 'Oczekujące',
  state: 'Stan',
  all: ({ number }) => html`Wszystkie endpointy (${number})`,

  addSubscription: 'Nowa subskrypcja',
  addLead: ({ max }) =>
    html`Otwarcia, kliknięcia i odbicia wiadomości transakcyjnych. Zdarzenie potwierdza dowolna odpowiedź 2xx. Najwięcej
    subskrypcji każdego zdarzenia: ${max}.`,
  add: 'Dodaj subskrypcję',
  adding: 'Dodawanie…',
  tryFirst: 'Najpierw wypróbuj',
  addAnyway: 'Dodaj mimo to',

  test: 'Testuj',
  moreActions: 'Więcej działań',
  pause: 'Wstrzymaj…',
  switchOffOrRemove: 'Wyłącz lub usuń…',
  remove: 'Usuń…',
  copyAddress: 'Kopiuj adres',
  latest: 'Ostatnie dostarczenia',
  configuration: 'Konfiguracja',
  signing: 'Podpis',
  signedByOwn: 'Kluczami tego endpointu',
  signedByAccount: 'Kluczami konta',
  notSigned: 'Bez podpisu',
  none: 'Brak',
  pace: 'Tempo',
  noLimit: 'Bez limitu',
  atMost: ({ requests }) =>
    plural(requests, (number) => ({
      one: `Najwyżej ${number} żądanie na sekundę`,
      few: `Najwyżej ${number} żądania na sekundę`,
      many: `Najwyżej ${number} żądań na sekundę`,
    })),
  oldestWaiting: 'Najstarsze oczekujące zdarzenie',

  testThis: 'Test tego endpointu',
  testLead: ({ deliveries }) =>
    html`Test wysyła tylko przykładowe zdarzenia. Żądanie i odpowiedź widać tutaj oraz na stronie
    ${deliveries('Dostarczenia')}.`,
  testType: 'Typ testu',
  testNotification: 'Wyślij testowe powiadomienie',
  checkThis: 'Sprawdź ten serwer',
};
