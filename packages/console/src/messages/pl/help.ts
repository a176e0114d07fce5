import { html } from '../../html/markup.ts';
import { pluralIn } from '../catalog.ts';
import type { Translated } from '../catalog.ts';
import type { help as english } from '../en/help.ts';

const plural = pluralIn('pl');

export const help: Translated<typeof english> = {
  developersLead: 'Wszystko, co potrzebne do integracji, oraz lista otwartych sesji.',
  guidesText: 'Od pierwszego webhooka po ponowienia, podpisy i kompletne serwery odbiorcze.',
  apiReference: 'Dokumentacja API (po angielsku)',
  apiReferenceText: 'Wszystko z tych stron przez REST, z formularzem do wypróbowania każdego wywołania.',
  openApi: 'Dokument OpenAPI',
  openApiText: 'Dla generatorów klientów. Schematy JSON treści żądań są pod adresem /schemas.',

  baseUrl: 'Bazowy URL API',
  baseUrlHint: 'Zaczynają się nim wszystkie ścieżki API.',
  sessions: 'Sesje',
  sessionsOfToken:
    'Przeglądarki zalogowane tym tokenem dostępu. Sesja kończy się po godzinie bez użycia lub po 8 godzinach.',
  sessionsOfPortal:
    'Przeglądarki, w których otwarto te ustawienia z platformy. Sesja kończy się po godzinie bez użycia lub po ' +
    '8 godzinach.',
  since: ({ time }) => html`Zalogowano ${time}`,
  thisBrowser: 'ta przeglądarka',
  alike: ({ sessions }) =>
    plural(sessions, (number) => ({
      one: `jeszcze ${number} taka sama`,
      few: `jeszcze ${number} takie same`,
      many: `jeszcze ${number} takich samych`,
    })),
  operator: ({ name }) => `operator ${name}`,
  endSession: ({ hidden, time }) => html`Zakończ${hidden([' sesję od ', time])}`,
  sessionsAway: 'Nie udało się odczytać sesji. Proszę spróbować ponownie za minutę.',
  signOutEverywhere: 'Wyloguj wszędzie',

  passed: 'W porządku',
  failed: 'Błąd',
  warning: 'Do poprawy',
  skipped: 'Nie sprawdzono',
  passedCount: ({ number }) => html`W porządku: ${number}`,
  skippedCount: ({ number }) => html`Nie sprawdzono: ${number}`,
  why: 'Dlaczego to ważne:',
  fix: 'Co zrobić:',
  report: 'Wynik sprawdzenia',
  whatToWorkOn: 'Do zrobienia',

  campaignExample: 'Co otrzymuje serwer i co odpowiada',
  campaignRequest: 'Żądanie POST z tablicą JSON zdarzeń:',
  batch: 'Paczka zdarzeń',
  campaignReply: ({ deadline }) =>
    html`W ciągu ${deadline} serwer odpowiada HTTP 200 i potwierdza każde zdarzenie jego hashem. Niepotwierdzone
    zdarzenia Mailhook wysyła ponownie.`,
  acknowledgement: 'Odpowiedź na paczkę',
  connectionTest: ({ request, reply }) =>
    html`„Testuj połączenie” wysyła zamiast tego ${request} i oczekuje odpowiedzi ${reply}. Potem następuje przykładowa
    paczka.`,

  sample: ({ type }) => html`Przykładowe żądanie: ${type}`,
  body: 'Treść żądania',
  singleRequest: ({ deadline }) =>
    html`Żądanie POST dla każdego zdarzenia, z obiektem JSON. Każda odpowiedź 2xx w ciągu ${deadline} potwierdza
    zdarzenie. Po każdej innej odpowiedzi Mailhook wysyła je ponownie.`,
  arrayRequest: ({ deadline }) =>
    html`Żądanie POST z tablicą zdarzeń w JSON. Odpowiedź 2xx w ciągu ${deadline} potwierdza je. Po każdej innej
    odpowiedzi Mailhook wysyła je ponownie.`,
  batchRequest: ({ deadline }) =>
    html`Żądanie POST z tablicą zdarzeń w JSON. W ciągu ${deadline} serwer odpowiada HTTP 200 i potwierdza każde
    zdarzenie jego hashem. Niepotwierdzone zdarzenia Mailhook wysyła ponownie.`,
};
