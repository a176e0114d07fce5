import { html } from '../../html/markup.ts';
import { pluralIn } from '../catalog.ts';
import type { Translated } from '../catalog.ts';
import type { outcomes as english } from '../en/outcomes.ts';

const plural = pluralIn('pl');

export const outcomes: Translated<typeof english> = {
  correctFields: 'Należy poprawić zaznaczone pola i spróbować ponownie.',
  changedMeanwhile:
    'Nic nie zapisano, bo te ustawienia zmieniono już po otwarciu strony. Wpisane dane są nadal widoczne, a ' +
    'pozostałe pola pokazują to, co jest teraz zapisane. Ponowny zapis zastąpi zapisane ustawienia.',
  ourFault: 'Mailhook nie może teraz tego zrobić. Wpisane dane nie przepadły: proszę spróbować ponownie za minutę.',
  readOnly: 'Ten dostęp służy tylko do odczytu. Zmiany wymagają dostępu z prawem do zarządzania webhookami.',

  headersLost:
    'Dane logowania i nagłówki były przeznaczone dla innego serwera i nie są wysyłane do tego. Trzeba je ' +
    'wpisać ponownie.',
  campaignSaved: 'Zapisano. Zdarzenia kampanii są od teraz dostarczane na ten adres.',
  campaignSavedOff: 'Zapisano. Webhook jest nadal wyłączony: zdarzenia kampanii nie są dostarczane.',
  notSaved: 'Adres nie jest jeszcze zapisany.',
  notCreated: 'Endpoint nie jest jeszcze utworzony.',
  saveAddress: 'Zapisz ten adres',
  batchConfirmed: ({ types }) => html`Udało się. Serwer potwierdził po jednym zdarzeniu każdego typu: ${types}.`,
  testsPassed: 'Udało się. Serwer poprawnie odpowiedział na test połączenia i potwierdził przykładową paczkę.',
  batchFailed: 'Serwer odpowiedział na test połączenia, ale nie potwierdził przykładowej paczki.',
  checksFailed: ({ failed, all }) =>
    plural(all, (number) => ({
      one: html`Nieudane sprawdzenia: ${failed} z ${number}. Poniżej opisano, jak to naprawić.`,
      few: html`Nieudane sprawdzenia: ${failed} z ${number}. Poniżej opisano, jak naprawić każde z nich.`,
      many: html`Nieudane sprawdzenia: ${failed} z ${number}. Poniżej opisano, jak naprawić każde z nich.`,
    })),
  checksPassed: ({ passed }) =>
    plural(passed, (number) => ({
      one: `Wszystko w porządku: ${number} sprawdzenie zakończone powodzeniem.`,
      few: `Wszystko w porządku: ${number} sprawdzenia zakończone powodzeniem.`,
      many: `Wszystko w porządku: ${number} sprawdzeń zakończonych powodzeniem.`,
    })),
  couldBeBetter: ({ results }) =>
    plural(results, (number) => ({
      one: `Żadne sprawdzenie nie wykryło błędu, ale ${number} wynik można poprawić. Szczegóły poniżej.`,
      few: `Żadne sprawdzenie nie wykryło błędu, ale ${number} wyniki można poprawić. Szczegóły poniżej.`,
      many: `Żadne sprawdzenie nie wykryło błędu, ale ${number} wyników można poprawić. Szczegóły poniżej.`,
    })),

  duplicate: ({ type }) =>
    html`Nic nie zmieniono. Serwer otrzymywałby każde zdarzenie ${type} dwa razy, bo inny endpoint już wysyła je na ten
    adres.`,
  savedAndOn: 'Zapisano i włączono.',
  switchedOn: 'Włączono.',

  paused: 'Wstrzymano. Nowe zdarzenia są zachowywane i zostaną wysłane po wstrzymaniu albo po użyciu „Wznów”.',
  resumed: 'Wznowiono. Oczekujące zdarzenia są teraz wysyłane.',
  startedSending: ({ time, what }) => html`Uruchomiono o ${time}: ${what}, tak szybko, jak pozwala serwer.`,
  waitingEvents: ({ events }) =>
    plural(events, (number) => ({
      one: `${number} oczekujące zdarzenie`,
      few: `${number} oczekujące zdarzenia`,
      many: `${number} oczekujących zdarzeń`,
    })),
  deadLetters: ({ letters }) =>
    plural(letters, (number) => ({
      one: `${number} niedostarczona paczka`,
      few: `${number} niedostarczone paczki`,
      many: `${number} niedostarczonych paczek`,
    })),
  restWaits: 'Jeśli próby nadal się nie powiodą, pozostałe zdarzenia zachowają swój harmonogram.',

  sendsNoHeaders: 'Zapisano. Mailhook nie wysyła żadnych danych logowania ani własnych nagłówków.',
  sendsHeaders: ({ names }) => html`Zapisano. Każde żądanie na ten adres ma od teraz ${names}, także testowe.`,
  secretCreated: 'Żądania są od teraz podpisywane tym kluczem, oprócz żądań do endpointów z własnym kluczem.',
  ownSecretCreated: 'Żądania do tego endpointu są od teraz podpisywane tym kluczem, a nie kluczami konta.',
  secretRolled: 'Od teraz żądania podpisuje także ten klucz. Poprzedni wygaśnie sam.',
  secretDeleted: 'Usunięto. W ciągu kilku sekund Mailhook przestanie podpisywać tym kluczem.',

  endpointAdded: ({ scope }) => html`Utworzono. ${scope}.`,
  wouldGet: ({ scope }) => html`Jeszcze nie zapisano. ${scope}.`,
  sampleTaken: ({ type }) => `Udało się. Serwer przyjął przykładowe zdarzenie ${type}.`,
  endpointSaved: 'Zapisano.',
  newAddress:
    'Oczekujące zdarzenia też trafią na nowy adres. Przycisk „Wyślij wszystko teraz” wysyła ponowienia bez ' +
    'czekania na ich termin.',
  endpointSavedOff: 'Zapisano. Endpoint jest nadal wyłączony: zdarzenia nie są dostarczane.',
  leavesList:
    'Nic nie zmieniono. Z tymi ustawieniami nie będzie go już w /v3/webhook/subscriptions. Identyfikator się ' +
    'nie zmieni, a endpoint będzie w /v3/webhook/destinations.',
};
