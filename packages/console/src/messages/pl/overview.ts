import { html } from '../../html/markup.ts';
import { pluralIn } from '../catalog.ts';
import type { Translated } from '../catalog.ts';
import type { overview as english } from '../en/overview.ts';

const plural = pluralIn('pl');

export const overview: Translated<typeof english> = {
  lead: 'Dokąd trafiają zdarzenia e-mail i co się z nimi stało.',

  delivered: 'Udane próby',
  percent: ({ number }) => html`${number}%`,
  eventsInAttempts: ({ events, attempts }) => [
    plural(events, (number) => ({
      one: `${number} zdarzenie`,
      few: `${number} zdarzenia`,
      many: `${number} zdarzeń`,
    })),
    plural(attempts, (number) => ({
      one: ` w ${number} próbie`,
      few: ` w ${number} próbach`,
      many: ` w ${number} próbach`,
    })),
  ],
  failed: 'Nieudane',
  noneFailed: 'Wszystkie próby udane',
  ofAttempts: ({ attempts }) =>
    plural(attempts, (number) => ({
      one: `z ${number} próby`,
      few: `z ${number} prób`,
      many: `z ${number} prób`,
    })),
  waiting: 'Oczekujące teraz',
  nothingWaits: 'Nic nie czeka',
  oldest: ({ time }) => html`Najstarsze: ${time}`,
  keptFor: 'Przechowywane przez 7 dni',

  allIsWell: 'Nic nie wymaga uwagi.',
  attention: 'Wymaga uwagi',
  since: ({ time }) => html`od ${time}`,
  wait: ({ events }) =>
    plural(events, (number) => ({
      one: `${number} zdarzenie czeka`,
      few: `${number} zdarzenia czekają`,
      many: `${number} zdarzeń czeka`,
    })),
  others: ({ more }) =>
    plural(more, (number) => ({
      one: `i ${number} inny problem`,
      few: `i ${number} inne problemy`,
      many: `i ${number} innych problemów`,
    })),
  deadLetters: ({ letters }) =>
    plural(letters, (number) => ({
      one: `${number} niedostarczona paczka: po usunięciu przyczyny można dostarczyć ją ponownie.`,
      few: `${number} niedostarczone paczki: po usunięciu przyczyny można dostarczyć je ponownie.`,
      many: `${number} niedostarczonych paczek: po usunięciu przyczyny można dostarczyć je ponownie.`,
    })),
  unrouted: ({ events }) => [
    html`W ciągu ostatnich 24 godzin te zdarzenia nie miały aktywnego endpointu i nie zostały zachowane: ${events}.`,
    ' Typy, które wymagają wersji 2, liczą się tylko wtedy, gdy jakiś endpoint je wymienia.',
  ],
  campaignEvents: ({ events }) =>
    plural(events, (number) => ({
      one: `${number} zdarzenie kampanii`,
      few: `${number} zdarzenia kampanii`,
      many: `${number} zdarzeń kampanii`,
    })),
  eventsOfType: ({ events, type }) =>
    plural(events, (number) => ({
      one: `${number} zdarzenie ${type}`,
      few: `${number} zdarzenia ${type}`,
      many: `${number} zdarzeń ${type}`,
    })),

  firstEvent: 'Pierwsze zdarzenie',
  threeSteps: 'Trzy kroki. Wszystko można wypróbować, zanim cokolwiek zostanie zapisane.',
  address: 'Adres serwera',
  campaigns: 'Kampanie',
  messages: 'Wiadomości transakcyjne',
  ofMessages: 'Zdarzenia tego, co wysyła aplikacja, na przykład rachunków: wybrane typy, po jednym w żądaniu.',
  receiverCode: 'Nie ma jeszcze serwera? Na początek wystarczy ten',
  noServer: ({ guide }) =>
    html`Przyjmuje paczki i powiadomienia na porcie 4000. Dalsze kroki opisuje ${guide('przewodnik')}.`,
  done: '(gotowe)',
  test: 'Sprawdzenie, czy serwer odpowiada',
  tested: 'Serwer przyjął test.',
  testFailed: 'Ostatni test się nie powiódł. Jego wynik mówi, co zrobić.',
  notTested: 'Test wysyła tylko przykłady, na adres powyżej. Nieudany test mówi, co zrobić.',
  testOf: ({ name }) => ['Test: ', name],
  event: 'Odbiór pierwszego zdarzenia',
  ready: 'Oczekiwanie na pierwsze zdarzenie. Ta strona pokaże je sama.',
  notReady: 'Najpierw trzeba zapisać adres. Potem ta strona sama pokaże pierwsze zdarzenie.',
};
