import { html } from '../../html/markup.ts';
import { pluralIn } from '../catalog.ts';
import type { Translated } from '../catalog.ts';
import type { replays as english } from '../en/replays.ts';

const plural = pluralIn('pl');

export const replays: Translated<typeof english> = {
  tab: 'Powtórka',
  title: 'Ponowne wysyłanie przyjętych zdarzeń',
  lead: 'Należy wybrać okres. Żądania mają nagłówek webhook-replay, a nowe zdarzenia mają pierwszeństwo.',
  off:
    'Ta instalacja nie prowadzi dziennika przyjętych zdarzeń, więc żadnego nie można wysłać ponownie. ' +
    'Dziennik może włączyć dostawca usługi.',
  inactive: 'Ten endpoint jest wyłączony, więc nic nie można do niego wysłać. Najpierw trzeba go włączyć.',
  filtered: 'Wysyłane są tylko zdarzenia, które przepuszcza filtr tego endpointu.',
  which: 'Które zdarzenia',
  all: 'Wszystkie jego rodzaje',
  undelivered: 'Tylko zaniechane lub odrzucone',
  unmatched: 'Tylko te, których nigdy nie dostał',
  count: 'Najpierw policz',
  noSpan:
    'Należy wybrać początek i koniec. Początek musi być przed końcem, ' +
    'a dziennik musi sięgać co najmniej do końca.',
  counted: ({ events, from, to }) =>
    plural(events, (number) => ({
      one: html`${number} zdarzenie od ${from} do ${to}.`,
      few: html`${number} zdarzenia od ${from} do ${to}.`,
      many: html`${number} zdarzeń od ${from} do ${to}.`,
    })),
  countedMore: ({ events, from, to }) =>
    plural(events, (number) => ({
      one: html`Ponad ${number} zdarzenie od ${from} do ${to}: liczenie trwało zbyt długo.`,
      few: html`Ponad ${number} zdarzenia od ${from} do ${to}: liczenie trwało zbyt długo.`,
      many: html`Ponad ${number} zdarzeń od ${from} do ${to}: liczenie trwało zbyt długo.`,
    })),
  start: 'Wyślij ponownie',
  starting: 'Uruchamianie…',
  started: ({ link }) =>
    html`Uruchomiono. Mailhook wysyła zdarzenia, a nowe zachowują swoje tempo. ${link('Zobacz postęp')}`,
  tooMany:
    'Niczego nie uruchomiono: trwa już zbyt wiele powtórek. Należy poczekać na koniec jednej z nich albo ją ' +
    'zatrzymać.',
  busy: 'Powtórka tego endpointu trwa. Przed następną należy poczekać na jej koniec albo ją zatrzymać.',
  nothingToSend: 'Nie ma nic do wysłania.',

  list: 'Powtórki tego endpointu',
  none: 'Żadnej w ostatnich 7 dniach.',
  running: 'Trwa',
  waiting: 'Czeka',
  done: 'Zakończona',
  stopped: 'Zatrzymana',
  span: ({ from, to }) => html`Zdarzenia od ${from} do ${to}`,
  chosen: 'Wybrane zdarzenia',
  startedAt: ({ time }) => html`Początek: ${time}.`,
  progress: (all) =>
    plural(all.events, (number) => ({
      one: html`Znaleziono ${number} zdarzenie. Wysłane: ${all.sent}, dostarczone: ${all.delivered}, zaniechane lub
      odrzucone: ${all.dead}.`,
      few: html`Znaleziono ${number} zdarzenia. Wysłane: ${all.sent}, dostarczone: ${all.delivered}, zaniechane lub
      odrzucone: ${all.dead}.`,
      many: html`Znaleziono ${number} zdarzeń. Wysłane: ${all.sent}, dostarczone: ${all.delivered}, zaniechane lub
      odrzucone: ${all.dead}.`,
    })),
  missed: ({ events }) =>
    plural(events, (number) => ({
      one: `${number} zdarzenia nie było już w dzienniku.`,
      few: `${number} zdarzeń nie było już w dzienniku.`,
      many: `${number} zdarzeń nie było już w dzienniku.`,
    })),
  share: 'Wysłane ponownie',
  paused: 'Ciąg dalszy po pauzie endpointu.',
  full: 'Dość jej zdarzeń czeka w endpoincie. Ciąg dalszy, gdy zostaną wysłane.',
  store: 'Dziennika nie można teraz odczytać. Ciąg dalszy nastąpi sam.',
  complete: 'Czeka, aż wszystkie zdarzenia z jej okresu trafią do dziennika.',
  byPerson: 'Co wysłano, pozostaje wysłane.',
  endpointOff: 'Endpoint został wyłączony.',
  endpointDeleted: 'Endpoint został usunięty.',
  stop: 'Zatrzymaj',
  stopping: 'Zatrzymywanie…',
  stoppedNow: 'Zatrzymano. Zdarzenia, które czekają w endpoincie, zostaną jeszcze wysłane.',

  offer: ({ events }) =>
    plural(events, (number) => ({
      one: `Wyślij też ${number} wcześniejsze zdarzenie`,
      few: `Wyślij też ${number} wcześniejsze zdarzenia`,
      many: `Wyślij też ${number} wcześniejszych zdarzeń`,
    })),
  offerMore: ({ events }) =>
    plural(events, (number) => ({
      one: `Wyślij też wcześniejsze: ponad ${number} zdarzenie`,
      few: `Wyślij też wcześniejsze: ponad ${number} zdarzenia`,
      many: `Wyślij też wcześniejsze: ponad ${number} zdarzeń`,
    })),
  past: 'Dziennik ma dla niego wcześniejsze zdarzenia.',
};
