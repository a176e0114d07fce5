import { html } from '../../html/markup.ts';
import type { Translated } from '../catalog.ts';
import type { alerts as english } from '../en/alerts.ts';

export const alerts: Translated<typeof english> = {
  title: 'Alerty',
  lead:
    'Wiadomość przychodzi, gdy endpoint nie działa, znowu działa albo został wyłączony. O tym, że nie ' +
    'działa, mówi najwyżej jedna dziennie.',
  noMails: 'Dostawca usługi nie skonfigurował e-maili z alertami. Otrzymują je tylko webhooki.',
  nobody: 'Nikt nie dostaje alertów',
  nobodyHint: 'Warto dodać kanał albo osobę, która ma się dowiedzieć o awarii endpointu.',
  full: ({ max }) => `Można dodać najwyżej ${max} adresów i ${max} webhooków.`,
  active: 'Dostaje alerty',
  unconfirmed: 'Czeka na potwierdzenie',
  remove: 'Usuń',
  removing: 'Usuwanie…',
  nothing: 'Nie dostaje nic',
  unsent: 'Nie wysłano',
  lastUnsent: ({ time, reason }) => html`Ostatniego alertu nie udało się wysłać (${time}): ${reason}`,
  gets: 'Dostaje',
  allOfIt: 'wszystko, ze wszystkich endpointów',
  someOfIt: ({ kinds, heard, all }) => html`gdy endpoint ${kinds} (endpointy: ${heard} z ${all})`,
  when: 'Gdy endpoint',
  failing: 'nie działa',
  recovered: 'znowu działa',
  deactivated: 'został wyłączony przez Mailhook',
  about: 'Z tych endpointów',
  save: 'Zapisz',
  saving: 'Zapisywanie…',
  chosen: 'Zapisano. Następne alerty będą zgodne z tym wyborem.',
  test: 'Wyślij test',
  testSent: 'Test dotarł: webhook go przyjął.',
  testFailed: 'Webhook nie przyjął testu.',
  webhookAdded: 'Dodano. Webhook od teraz dostaje alerty. Test pokaże, jak wyglądają.',
  addLead: 'Adres e-mail albo webhook przychodzący Slacka lub innego czatu, który przyjmuje {"text": "…"}.',
  addWebhookLead: 'Webhook przychodzący Slacka, Mattermost lub innego czatu, który przyjmuje {"text": "…"}.',
  webhook: 'Webhook czatu',
  webhookHint: 'Na przykład https://hooks.slack.com/services/… Ścieżka jest tajna: strona pokazuje tylko koniec.',
  email: 'Adres e-mail lub webhook',
  emailHint: 'Webhook dostaje alerty od razu, a adres e-mail, gdy jego właściciel potwierdzi pierwszą wiadomość.',
  language: 'Język',
  add: 'Dodaj odbiorcę',
  adding: 'Dodawanie…',

  unknown:
    'Ten adres nie dostaje alertów. Został usunięty albo link jest niekompletny. Aby dostawać alerty, należy ' +
    'skopiować cały link albo poprosić o ponowne dodanie adresu.',
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
  addressAdded: 'Dodano. Na ten adres wysłano wiadomość; alerty przyjdą, gdy właściciel je w niej potwierdzi.',
  addressRemoved: 'Usunięto. Ten odbiorca nie dostaje już alertów.',
};
