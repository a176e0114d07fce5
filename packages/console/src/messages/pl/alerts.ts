import { html } from '../../html/markup.ts';
import type { Translated } from '../catalog.ts';
import type { alerts as english } from '../en/alerts.ts';

export const alerts: Translated<typeof english> = {
  title: 'Alerty e-mail',
  lead: 'Wiadomość przychodzi, gdy endpoint nie działa, znowu działa albo został wyłączony. O tym, że nie działa, mówi najwyżej jedna dziennie.',
  noMails: 'Ta instalacja nie wysyła e-maili, więc nie ma alertów.',
  nobody: 'Nikt nie dostaje alertów',
  nobodyHint: 'Warto dodać adres osoby, która opiekuje się serwerem.',
  full: ({ max }) => `Więcej adresów niż ${max} nie można dodać.`,
  active: 'Dostaje alerty',
  unconfirmed: 'Czeka na potwierdzenie',
  remove: 'Usuń',
  removing: 'Usuwanie…',
  email: 'Adres e-mail',
  emailHint: 'Na ten adres przyjdzie wiadomość z linkiem, a alerty dopiero po potwierdzeniu przez jego właściciela.',
  language: 'Język',
  add: 'Dodaj adres',
  adding: 'Dodawanie…',

  unknown: 'Ten adres nie dostaje alertów. Został usunięty albo link jest niekompletny.',
  away: 'To w tej chwili nie działa. Proszę spróbować ponownie za minutę.',
  getsAlerts: ({ address }) =>
    html`${address} dostaje wiadomość, gdy webhook nie działa, znowu działa albo został wyłączony.`,
  shouldGet: ({ address }) =>
    html`Czy ${address} ma dostawać wiadomość, gdy webhook nie działa, znowu działa albo został wyłączony?`,
  unsubscribe: 'Zrezygnuj z alertów',
  yes: 'Tak, wysyłaj alerty',
  no: 'Nie',
  confirmed: ({ address }) =>
    html`Potwierdzono. ${address} od teraz dostaje alerty. W każdym alercie jest link do rezygnacji.`,
  removed: ({ address }) => html`Usunięto. ${address} nie dostaje już alertów.`,
  never: 'Nigdy więcej nie pytaj tego adresu',
  shouldNever: ({ address }) => html`Czy żadne konto nie ma już pytać adresu ${address}, czy chce dostawać alerty?`,
  neverAgain: ({ address }) => html`Gotowe. Nikt nie może już dodać adresu ${address} do alertów.`,
  addressAdded:
    'Dodano. Na ten adres wysłano wiadomość; alerty będą przychodzić, gdy jego właściciel je w niej potwierdzi.',
  addressRemoved: 'Usunięto. Na ten adres nie będą już przychodzić alerty.',
};
