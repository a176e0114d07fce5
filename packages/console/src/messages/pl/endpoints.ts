import { html } from '../../html/markup.ts';
import { pluralIn } from '../catalog.ts';
import type { Translated } from '../catalog.ts';
import type { endpoints as english } from '../en/endpoints.ts';

const plural = pluralIn('pl');

export const endpoints: Translated<typeof english> = {
  lead:
    'Dokąd trafiają zdarzenia. Webhook kampanii otrzymuje zdarzenia kampanii w paczkach. Każdy inny endpoint ' +
    'otrzymuje to, co wybrano.',
  campaign: 'Webhook kampanii',

  events: 'Zdarzenia',
  delivered: 'Dostarczone',
  waiting: 'Oczekujące',
  find: 'Filtruj według nazwy, adresu lub zdarzenia',
  state: 'Stan',
  all: ({ number }) => html`Wszystkie endpointy (${number})`,

  add: 'Dodaj endpoint',
  create: 'Utwórz ten endpoint',
  creating: 'Tworzenie…',
  tryFirst: 'Najpierw wypróbuj',
  createAnyway: 'Utwórz mimo to',

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

  testThis: 'Test tego endpointu',
  testLead: ({ deliveries }) =>
    html`Test wysyła tylko przykładowe zdarzenia. Żądanie i odpowiedź widać tutaj oraz na stronie
    ${deliveries('Dostarczenia')}.`,
  lastTests: 'Ostatnie testy',
  noTests: 'Nie ma jeszcze testów',
  testType: 'Typ testu',
  editSample: 'Edytuj przykład',
  sampleHint: 'Pola zdarzenia, tak jak wysyła je nadawca. Identyfikator, typ i konto pozostają testowe.',
  showSample: 'Pokaż przykład tego typu',

  everything: 'wszystkie typy',
  andMore: ({ types, more }) => [types, ' i jeszcze ', more],
  ofMessages: ({ types }) => ['Endpoint dla ', types],
  ofCampaigns: ({ types }) => ['Endpoint kampanii dla ', types],

  addEndpoint: 'Nowy endpoint',
  addLead: ({ max }) =>
    html`Adres i typy zdarzeń, które otrzymuje. Reszta ma zwykłą wartość. Najwięcej dla każdego typu: ${max}.`,
  more: 'Dalsze możliwości: treść, żądania, filtr',
  wouldGet: 'Co otrzyma serwer',
  bodyNeedsVersion2:
    'Wybrany typ lub ustawienie wymaga wersji 2 treści. Dotyczy ona wszystkich typów i zawiera adres odbiorcy.',
  bodyWithoutRecipient:
    'Treść ma wersję 1, bez adresu odbiorcy. Zawiera go wersja 2, do wybrania w „Dalszych możliwościach”.',
  asOfPreview: 'Według ostatniego „Pokaż, co otrzyma”.',
  chooseFirst: 'Po wybraniu typów zdarzeń pojawi się tu przykład żądania.',
  unclear: 'Nie wszystko do siebie pasuje.',
  preview: 'Pokaż, co otrzyma',
  tryType: 'Zdarzenie do „Najpierw wypróbuj”',
  firstType: 'Pierwszy z jego typów',

  scope: 'Zakres',
  body: 'Treść',
  version: ({ version }) => html`Wersja ${version}`,
  requests: 'Żądania',
  filtered: 'Zatrzymane przez filtr w ostatniej godzinie',
  inFlight: 'Limit równoczesnych żądań',
  testEvent: 'Wyślij testowe zdarzenie',
};
