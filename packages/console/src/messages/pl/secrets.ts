import { html } from '../../html/markup.ts';
import { pluralIn } from '../catalog.ts';
import type { Translated } from '../catalog.ts';
import type { secrets as english } from '../en/secrets.ts';

const plural = pluralIn('pl');

export const secrets: Translated<typeof english> = {
  lead:
    'Z kluczem każde żądanie jest podpisane, więc serwer może stwierdzić, że pochodzi od Mailhook i nie ' +
    'zostało zmienione. Endpoint może mieć własne klucze, w swoich ustawieniach.',
  ofAccount: 'Klucze konta',
  ofAccountLead: 'Podpisują żądania do wszystkich endpointów bez własnych kluczy.',
  notSigned: 'Żądania nie są podpisywane',
  notSignedHint: 'Należy utworzyć klucz i sprawdzać podpis tak, jak pokazano niżej.',
  ownNote: ({ endpoints }) =>
    html`Te endpointy mają własne klucze i poniższe klucze nie podpisują żądań do nich: ${endpoints}.`,
  ownLead: 'Z własnym kluczem serwer tego endpointu nie może podrabiać żądań do innych serwerów.',
  noOwn: 'Brak własnego klucza',
  accountSignsIfAny: 'Żądania są podpisywane kluczami konta, jeśli konto je ma.',
  accountSigns: 'Żądania są podpisywane kluczami konta.',
  nothingSigns: 'Żądania nie są podpisywane, bo konto też nie ma kluczy.',
  lastOfAll: 'Konto też nie ma kluczy, więc żądania nie będą już podpisywane.',
  lastOwn: 'Bez własnego klucza podpisują klucze konta.',
  create: 'Utwórz klucz',
  creating: 'Tworzenie…',
  two: 'Dwa klucze naraz: w czasie wymiany podpisują oba. Stary klucz można usunąć, gdy serwer zna już nowy.',
  copyNow: 'Klucz trzeba skopiować teraz. Nie zostanie pokazany ponownie.',
  copy: 'Kopiuj',
  created: ({ time }) => html`Utworzono ${time}`,
  deleteOne: ({ hidden, id }) => html`Usuń${hidden(` klucz ${id}`)}`,
  deletes: 'Serwer, który zna tylko ten klucz, odrzuci wszystkie późniejsze żądania.',
  delete: 'Usuń klucz',
  deleting: 'Usuwanie…',
  unreadable: 'Teraz nieczytelny',
  used: ({ time }) => html`ostatnio użyto ${time}`,
  unused: 'nieużywany w ostatnich żądaniach',
  ends: ({ time }) => html`podpisuje do ${time}`,
  roll: 'Wymień…',
  rollText: 'Nowy klucz podpisuje obok tego, a ten wygaśnie sam. Wcześniej serwer musi poznać nowy klucz.',
  rollFor: 'Ten klucz podpisuje jeszcze przez',
  hours: ({ hours }) =>
    plural(hours, (number) => ({ one: `${number} godzinę`, few: `${number} godziny`, many: `${number} godzin` })),
  rollNow: 'Wymień klucz',
  rolling: 'Wymiana…',
  endNow: ({ hidden, id }) => html`Zakończ teraz${hidden(` klucz ${id}`)}`,
  endsNow: 'Serwer, który nie zna jeszcze nowego klucza, odrzuci wszystkie późniejsze żądania.',
  takesBack: 'Poprzedni klucz nie wygaśnie wtedy sam.',
  verify: 'Sprawdzanie żądania',
  verifyLead: ({ standard, guide }) =>
    html`Podpis obejmuje nagłówki webhook-id i webhook-timestamp oraz treść w otrzymanej postaci, przed jakimkolwiek
    przetworzeniem (${standard('Standard Webhooks')}). Przykłady przyjmują dowolny z kilku kluczy, dzięki czemu klucz
    można wymienić. ${guide('Więcej o podpisach')}`,
  exampleLanguage: 'Język przykładu',
  copyExample: ({ hidden, name }) => html`Kopiuj${hidden(` przykład: ${name}`)}`,
  example: ({ name }) => `Przykład: ${name}`,
  ofEndpoint: 'Klucze podpisu tego endpointu',
  pauseEndpoint:
    'Jeśli ten serwer już sprawdza podpisy, na czas przekazywania mu nowego klucza należy wstrzymać endpoint.',
};
