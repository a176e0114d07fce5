import { html } from '../../html/markup.ts';
import { pluralIn } from '../catalog.ts';
import type { Translated } from '../catalog.ts';
import type { shell as english } from '../en/shell.ts';

const plural = pluralIn('pl');

export const shell: Translated<typeof english> = {
  webhooks: 'Webhooki',
  titleOfPage: ({ page }) => [page, ' · Webhooki'],
  skip: 'Przejdź do ustawień',
  guides: 'Przewodniki (po angielsku)',
  signOut: 'Wyloguj',
  seenAs: ({ account, operator }) =>
    `Widok konta ${account}. Zmiany będą zapisane jako wprowadzone przez operatora ${operator}.`,
  end: 'Zakończ',
  backTo: ({ name }) => `Wróć do ${name}`,
  settings: 'Ustawienia',

  overview: 'Przegląd',
  endpoints: 'Endpointy',
  troubled: ({ hidden, troubled }) =>
    plural(troubled, (number) => ({
      one: html`${number}${hidden(' endpoint wymaga uwagi')}`,
      few: html`${number}${hidden(' endpointy wymagają uwagi')}`,
      many: html`${number}${hidden(' endpointów wymaga uwagi')}`,
    })),
  deliveries: 'Dostarczenia',
  deadLetters: 'Niedostarczone',
  events: 'Znajdź zdarzenie',
  secrets: 'Klucze podpisu',
  developers: 'Dla programistów',
  testing: 'Testy',

  keys: 'Klawisze',
  keySearch: 'Znajdź zdarzenie',
  keyNext: 'Następny wiersz',
  keyBefore: 'Poprzedni wiersz',
  keyOpen: 'Otwórz wiersz',
  keyClose: 'Zamknij to, co otwarte',
  keyKeys: 'Ta lista',
  language: 'Język',
  change: 'Zmień',
  timesAreIn: ({ zone }) => `Czas: ${zone}`,
  timesIn: 'Czas:',

  readOnly: 'Wszystko jest tu widoczne. Zmiany i testy wymagają dostępu z prawem do zarządzania webhookami.',
  endpoint: 'Endpoint',
  noSuchPage: 'Nie ma takiej strony',
  nothingAt: ({ path }) => html`Pod ${path} nic nie ma. Sprawdź adres albo przejdź dalej:`,
  noSuchEndpoint: 'Ten endpoint nie istnieje.',
  mayBeDeleted: ({ all }) => html`Być może został usunięty. ${all('Wszystkie endpointy')}`,
  away: 'Tych danych nie można teraz odczytać. Nic nie przepadło; proszę spróbować ponownie za minutę.',

  unread: ({ strong }) =>
    html`${strong('Tych danych nie można teraz odczytać.')} Kreska oznacza brak danych, a pozostałe wartości pochodzą z
    ostatniego odczytu. Nic nie przepadło, strona sama spróbuje ponownie.`,
  unsaved: 'Niezapisane zmiany',
  unsavedText: 'Są niezapisane zmiany',
  discardChanges: 'Odrzuć zmiany',
  saveChanges: 'Zapisz zmiany',
};
