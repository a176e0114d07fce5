import { html } from '../../html/markup.ts';
import { pluralIn } from '../catalog.ts';
import type { Translated } from '../catalog.ts';
import type { states as english } from '../en/states.ts';

const plural = pluralIn('pl');

export const states: Translated<typeof english> = {
  no_deliveries: 'Brak dostarczeń',
  healthy: 'Działa',
  degraded: 'Działa częściowo',
  recovered: 'Znowu działa',
  webPage: 'Odpowiada strona WWW',
  noneWaits: 'Nic nie czeka na kolejną próbę.',
  hadFailures: ({ failed, all }) => html`Nieudane próby w ostatniej godzinie: ${failed} z ${all}.`,
  failing: 'Nie działa',
  parked: 'Zawieszony',
  paused: 'Wstrzymany',
  off: 'Wyłączony',
  switched_off: 'Wyłączony przez Mailhook',
  on: 'Włączony',
  unknown: 'Nieznany',
  notSetUp: 'Nieskonfigurowany',

  stopped: ({ failures }) =>
    plural(failures, (number) => ({
      one: `Mailhook przestał wysyłać na ten adres po ${number} nieudanej próbie.`,
      few: `Mailhook przestał wysyłać na ten adres po ${number} nieudanych próbach z rzędu.`,
      many: `Mailhook przestał wysyłać na ten adres po ${number} nieudanych próbach z rzędu.`,
    })),
  lastFailed: ({ failures }) =>
    plural(failures, (number) => ({
      one: 'Ostatnia próba nie powiodła się.',
      few: `Ostatnie ${number} próby nie powiodły się.`,
      many: `Ostatnich ${number} prób nie powiodło się.`,
    })),
  switchedOff: 'Mailhook wyłączył ten endpoint.',
  pausedByCustomer: 'Dostarczanie zostało wstrzymane z tego konta.',
  pausedByOperator: 'Dostarczanie wstrzymał operator Mailhook.',
  unconfirmed: ({ percent, confirmed, unconfirmed }) =>
    html`Serwer potwierdza ${percent}% zdarzeń. W ciągu ostatniej godziny potwierdzone: ${confirmed}, pominięte:
    ${unconfirmed}.`,
  confirmsOnly: ({ percent }) => html`Serwer potwierdza ${percent}% zdarzeń.`,
  confirmEach: 'Należy potwierdzać każde zapisane zdarzenie, także te, które są już znane.',
  lastSucceeded: 'Ostatnia próba się powiodła.',
  replied: ({ reply }) => html`Odpowiedź serwera: ${reply}`,
  reason: ({ error }) => html`Przyczyna: ${error}.`,

  triesOne: ({ time }) =>
    html`Następna próba z jednym zdarzeniem: ${time}. Potem nowe zdarzenia, a ponowienia według planu.`,
  nextAttempt: ({ time }) => html`Następna próba: ${time}.`,
  nextAttemptOrEarlier: ({ time }) => html`Następna próba: ${time} lub wcześniej.`,
  customerPaused: 'Dostarczanie zostało wstrzymane z tego konta.',
  customerPausedUntil: ({ time }) => html`Dostarczanie zostało wstrzymane z tego konta do ${time}.`,
  operatorPaused: 'Dostarczanie wstrzymał operator Mailhook.',
  operatorPausedUntil: ({ time }) => html`Dostarczanie wstrzymał operator Mailhook do ${time}.`,
  keptUntilThen: 'Nowe zdarzenia są zachowywane i zostaną wysłane później.',
  offHint: 'Wyłączony: Mailhook nie zachowuje tu nowych zdarzeń. Oczekujące trafiły do niedostarczonych.',
  noDeliveriesHint: 'W ciągu ostatnich 7 dni nic tu nie wysłano. Test pokaże, czy serwer odpowiada.',

  resendsWait: ({ requests }) =>
    plural(requests, (number) => ({
      one: `${number} nieudane żądanie czeka na kolejną próbę.`,
      few: `${number} nieudane żądania czekają na kolejną próbę.`,
      many: `${number} nieudanych żądań czeka na kolejną próbę.`,
    })),
  resendsWaitUntil: ({ requests, time }) =>
    plural(requests, (number) => ({
      one: html`${number} nieudane żądanie czeka na kolejną próbę. Termin: ${time}.`,
      few: html`${number} nieudane żądania czekają na kolejną próbę. Najbliższa: ${time}.`,
      many: html`${number} nieudanych żądań czeka na kolejną próbę. Najbliższa: ${time}.`,
    })),
  resendsWaitUntilOrEarlier: ({ requests, time }) =>
    plural(requests, (number) => ({
      one: html`${number} nieudane żądanie czeka na kolejną próbę. Termin: ${time} lub wcześniej.`,
      few: html`${number} nieudane żądania czekają na kolejną próbę. Najbliższa: ${time} lub wcześniej.`,
      many: html`${number} nieudanych żądań czeka na kolejną próbę. Najbliższa: ${time} lub wcześniej.`,
    })),
  waiting: ({ events }) =>
    plural(events, (number) => ({
      one: `${number} zdarzenie czeka i nie przepadło.`,
      few: `${number} zdarzenia czekają i nie przepadły.`,
      many: `${number} zdarzeń czeka i nie przepadło.`,
    })),
  waitingSince: ({ events, time }) =>
    plural(events, (number) => ({
      one: html`${number} zdarzenie czeka od ${time} i nie przepadło.`,
      few: html`${number} zdarzenia czekają i nie przepadły, najstarsze od ${time}.`,
      many: html`${number} zdarzeń czeka i nie przepadło, najstarsze od ${time}.`,
    })),
  aboutWaiting: ({ events }) =>
    plural(events, (number) => ({
      one: `Około ${number} zdarzenia czeka i nie przepadło.`,
      few: `Około ${number} zdarzeń czeka i nie przepadło.`,
      many: `Około ${number} zdarzeń czeka i nie przepadło.`,
    })),
  aboutWaitingSince: ({ events, time }) =>
    plural(events, (number) => ({
      one: html`Około ${number} zdarzenia czeka i nie przepadło, najstarsze od ${time} lub dłużej.`,
      few: html`Około ${number} zdarzeń czeka i nie przepadło, najstarsze od ${time} lub dłużej.`,
      many: html`Około ${number} zdarzeń czeka i nie przepadło, najstarsze od ${time} lub dłużej.`,
    })),
  deadLetters: ({ events, link }) =>
    plural(events, (number) => ({
      one: html`Do niedostarczonych trafiło ${number} zdarzenie. ${link('Można je dostarczyć ponownie')}.`,
      few: html`Do niedostarczonych trafiły ${number} zdarzenia. ${link('Można je dostarczyć ponownie')}.`,
      many: html`Do niedostarczonych trafiło ${number} zdarzeń. ${link('Można je dostarczyć ponownie')}.`,
    })),
  someDeadLetters: ({ link }) =>
    html`Część zdarzeń trafiła do niedostarczonych. ${link('Można je dostarczyć ponownie')}.`,

  resume: 'Wznów',
  resuming: 'Wznawianie…',
  sendNow: 'Wyślij wszystko teraz',
  starting: 'Uruchamianie…',
  deadLettersToo: 'Także niedostarczone',

  notKept: 'Nowe zdarzenia nie są zachowywane.',
  enterAddress: 'Podaj nowy adres',
  useAddress: 'Użyj nowego adresu',
  reading: 'Odczytywanie…',
  whatToDo: 'Co zrobić',
  showRequest: 'Pokaż żądanie',
  switchedOffAt: ({ time }) => html`Czas wyłączenia: ${time}.`,
};
