import { html } from '../../html/markup.ts';
import { pluralIn } from '../catalog.ts';
import type { Translated } from '../catalog.ts';
import type { fields as english } from '../en/fields.ts';

const plural = pluralIn('pl');

export const fields: Translated<typeof english> = {
  title: 'Co otrzymuje',
  lead:
    'Oczekujące zdarzenia też trafią na nowy adres. Typy i filtr obowiązują od następnego przyjętego ' +
    'zdarzenia, pozostałe ustawienia od następnego żądania.',
  name: 'Nazwa',
  nameHint: 'Na własny użytek. Pojawia się zamiast zdarzeń.',
  module: 'Zdarzenia',
  transactional: 'Wiadomości transakcyjnych',
  campaign: 'Kampanii',
  transactionalOnly: 'Tylko przy wiadomościach transakcyjnych.',
  ofMessages: 'Dotyczące wiadomości transakcyjnych.',
  ofCampaigns: 'Dotyczące kampanii.',
  events: 'Typ zdarzeń',
  instead: 'Jeśli coś zaznaczono, liczy się to zamiast zdarzenia powyżej.',
  all: 'Wszystkie',
  allHint: 'Także typy, których jeszcze nie ma. Wtedy nie należy zaznaczać nic innego.',
  chosen: 'zaznaczony',
  version: 'Format treści',
  versionHint: 'Wersja 2 zawiera adres odbiorcy, identyfikator i wszystko, co dodał nadawca.',
  version1: 'Wersja 1, zgodna ze specyfikacją',
  version2: 'Wersja 2, ze wszystkimi polami',
  usualVersion: 'Wersja 1, jeśli ma wybrane zdarzenia, w przeciwnym razie wersja 2',
  shape: 'Sposób wysyłania',
  single: 'Jedno zdarzenie w żądaniu',
  array: 'Tablice: status 2xx potwierdza wszystkie zdarzenia',
  batch: 'Paczki: serwer potwierdza każde zdarzenie',
  usualShape: 'Zwykły: jedno zdarzenie, a dla kampanii paczki',
  maxEvents: 'Limit zdarzeń w żądaniu',
  maxEventsHint: 'Dla tablic i paczek. Puste: 1000. Mailhook nigdy nie czeka, aż żądanie się zapełni.',
  concurrency: 'Limit równoczesnych żądań',
  concurrencyHint: 'Puste: 16, a dla tablic i paczek 4. Nawet 1 nie gwarantuje kolejności.',
  maxRequestsPerSecond: 'Limit żądań na sekundę',
  maxRequestsPerSecondHint: 'Puste: bez limitu. Zdarzenia ponad limit czekają i nie przepadają.',
  filter: 'Filtr',
  filterHint: 'Wszystko, co wypełniono, musi się zgadzać. Z listy wystarczy jeden wiersz. Wielkość liter ma znaczenie.',
  tried: ({ events, passed }) =>
    plural(events, (number) => ({
      one: html`Dziennik ma ${number} zdarzenie jego typów. Przepuszczone przez ten filtr: ${passed}.`,
      few: html`Z ostatnich ${number} zdarzeń jego typów filtr przepuściłby ${passed}.`,
      many: html`Z ostatnich ${number} zdarzeń jego typów filtr przepuściłby ${passed}.`,
    })),
  nothingToTry: 'Dziennik nie ma jeszcze zdarzeń jego typów, więc filtra nie można wypróbować.',
  noTrial:
    'Ta instalacja nie ma dziennika przyjętych zdarzeń, więc filtra nie można wypróbować na wcześniejszych.',
  tags: 'Tagi',
  tagsHint: 'Po jednym w wierszu.',
  campaigns: 'Hashe kampanii',
  campaignsHint: 'Po jednym w wierszu. Tylko dla zdarzeń kampanii.',
  domains: 'Domeny odbiorców',
  domainsHint: 'Po jednej w wierszu. example.net to tylko ta domena, .example.net także wszystkie pod nią.',
  metadata: 'Metadane',
  metadataHint: 'Po jednej parze w wierszu, na przykład order: 4711. Wszystkie wiersze muszą się zgadzać.',
  labels: 'Etykiety zdarzeń custom',
  labelsHint: 'Po jednej w wierszu.',
  bounce: 'Odbicia',
  both: 'Wszystkie',
  hardOnly: 'Tylko twarde: adres nie działa',
  softOnly: 'Tylko miękkie: wszystko inne',
  machine: 'Otwarcia i kliknięcia',
  neverMachine: 'Bez tych od programów',
  onlyMachine: 'Tylko od programów',
  firstOnly: 'Z otwarć i kliknięć tylko pierwsze',
  shapeStays: ({ shape }) => html`Webhook kampanii otrzymuje zdarzenia ${shape}. Tego nie można zmienić.`,
};
