import { html } from '../../html/markup.ts';
import { pluralIn } from '../catalog.ts';
import type { Translated } from '../catalog.ts';
import type { attempt as english } from '../en/attempt.ts';

const plural = pluralIn('pl');

export const attempt: Translated<typeof english> = {
  title: ({ attempt }) => `Próba ${attempt}`,
  titleOfNone: 'Próba',
  unknown: 'Nie ma takiej próby: minęło od niej ponad 7 dni albo jej miejsce w dzienniku zajęły nowsze.',
  close: 'Zamknij',
  sentAgain: ({ events }) =>
    plural(events, (number) => ({
      one: 'Mailhook wysyła teraz to zdarzenie ponownie. Nowa próba pojawi się na liście.',
      few: `Mailhook wysyła teraz te ${number} zdarzenia ponownie. Nowe próby pojawią się na liście.`,
      many: `Mailhook wysyła teraz te ${number} zdarzeń ponownie. Nowe próby pojawią się na liście.`,
    })),
  notInLog: ({ events }) =>
    plural(events, (number) => ({
      one: `${number} innego zdarzenia żądania nie znaleziono w dzienniku.`,
      few: `${number} innych zdarzeń żądania nie znaleziono w dzienniku.`,
      many: `${number} innych zdarzeń żądania nie znaleziono w dzienniku.`,
    })),
  redirects: ({ target }) => html`Przekierowuje na ${target}.`,
  changeAddress: 'Zmień adres',
  story: 'Próby dostarczenia tych zdarzeń',
  all: ({ attempts }) => html`Wszystkie próby (${attempts})`,
  noReply: 'Brak odpowiedzi',

  notHeld: 'Mailhook nie ma już zdarzeń tej próby: zostały dostarczone albo usunięte po zaniechaniu.',
  heldUnknown:
    'Mailhook nie znalazł zdarzeń tej próby wśród przeszukanych. Ponownych wysyłek lub niedostarczonych ' +
    'zdarzeń jest za dużo, żeby przeszukać wszystkie, więc może nadal je mieć.',
  waiting: ({ events }) =>
    plural(events, (number) => ({
      one: `${number} zdarzenie czeka na następną próbę`,
      few: `${number} zdarzenia czekają na następną próbę`,
      many: `${number} zdarzeń czeka na następną próbę`,
    })),
  deadLetters: ({ events }) =>
    plural(events, (number) => ({
      one: `${number} zdarzenie jest wśród niedostarczonych`,
      few: `${number} zdarzenia są wśród niedostarczonych`,
      many: `${number} zdarzeń jest wśród niedostarczonych`,
    })),
  firstOnes: ({ shown }) => html`Tu widać tylko początek (${shown}). Wszystkie są dostępne przez API.`,
  unconfirmed: ({ unconfirmed, events }) =>
    plural(unconfirmed, (number) => ({
      one: html`Nie potwierdzono ${number} zdarzenia z ${events}`,
      few: html`Nie potwierdzono ${number} zdarzeń z ${events}`,
      many: html`Nie potwierdzono ${number} zdarzeń z ${events}`,
    })),

  request: 'Żądanie',
  nothingSent: 'Nic nie wysłano, bo nie nawiązano połączenia.',
  nothingKept: 'Z powodu błędu wewnętrznego Mailhook nie zachował nic z tego żądania.',
  copyBody: ({ hidden }) => html`Kopiuj${hidden(' treść')}`,
  copyAsCurl: 'Kopiuj jako curl (sh, bash, zsh)',
  cut: ({ link, bytes }) => html`Tu skrócono. ${link('Cała treść')} ma ${bytes} B.`,
  asCurl: 'Jako polecenie curl',
  curlExpires: 'Serwer, który sprawdza czas podpisu, odrzuci to polecenie po pięciu minutach od próby.',
  curlLeavesOut: 'Nagłówki o ukrytych wartościach zostały pominięte.',
  curlNeedsFile: 'Najpierw należy zapisać całą treść jako body.json.',
  bodyNotKept:
    'Mailhook nie zachował tej treści, więc większość wartości pominięto. Dostawca usługi może włączyć ' +
    'przechowywanie treści dostarczonych żądań do 24 godzin.',
  bodyNotHeld: 'Mailhook nie ma już wszystkich zdarzeń tej próby, więc większość wartości pominięto.',
  noBodiesOfTests: 'Mailhook nie przechowuje treści testów. Zawierają tylko przykładowe zdarzenia.',
  someOf: ({ shown, events }) => html`Tu widać tylko część zdarzeń: ${shown} z ${events}.`,
  size: ({ events, bytes }) =>
    plural(events, (number) => ({
      one: html`${number} zdarzenie, ${bytes} B.`,
      few: html`${number} zdarzenia, ${bytes} B.`,
      many: html`${number} zdarzeń, ${bytes} B.`,
    })),
  repeated:
    'Żądanie wysłano dwa razy: endpoint zamknął otwarte połączenie przed odpowiedzią, więc Mailhook ' +
    'wysłał to samo żądanie nowym połączeniem.',
  notSigned: 'Żądanie nie było podpisane, bo ani endpoint, ani konto nie miały klucza podpisu.',
  signed: ({ secrets }) =>
    plural(secrets, (number) => ({
      one: `Podpisano ${number} kluczem, w nagłówku webhook-signature.`,
      few: `Podpisano ${number} kluczami, w nagłówku webhook-signature.`,
      many: `Podpisano ${number} kluczami, w nagłówku webhook-signature.`,
    })),
  signedAgain: 'Mailhook nie przechowuje podpisów, więc utworzył go ponownie obecnymi kluczami.',
  signatureNeedsBody: 'Podpisu nie widać, bo do jego odtworzenia potrzebna jest cała treść.',
  secretsChanged: 'Podpisu nie widać, bo klucze podpisu zostały od tego czasu zmienione.',

  reply: 'Odpowiedź',
  noneCame: 'Nie nadeszła.',
  allConfirmed: 'Potwierdzono wszystkie zdarzenia. Mailhook zachowuje początek odpowiedzi nieudanych prób i testów.',
  keepsNoMore: 'Ta instalacja nie przechowuje więcej z odpowiedzi.',
  keepsReplies: 'Mailhook zachowuje początek odpowiedzi nieudanych prób i testów, dopóki są na tej liście.',
  bodyEmpty: 'Treść była pusta.',
  bodyWhole: 'To cała treść.',
  bodyStart: 'To początek treści.',
  statusDecides: 'Decyduje status; treści z nim nie było.',
  noBody: 'Razem ze statusem nie przyszła treść.',
  bodyCompressed: 'Treść była skompresowana, a takich Mailhook nie przechowuje.',
  noConnection: 'Nie nawiązano połączenia, więc nic nie wysłano.',
  noneShown: 'Nie ma odpowiedzi do pokazania.',
};
