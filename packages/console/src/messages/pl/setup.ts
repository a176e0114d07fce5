import type { Translated } from '../catalog.ts';
import type { setup as english } from '../en/setup.ts';

export const setup: Translated<typeof english> = {
  url: 'Adres URL webhooka',
  urlHint: 'Adres, pod którym serwer odbiera paczki, na przykład https://example.com/mail-events.',
  saveAndSwitchOn: 'Zapisz i włącz',
  save: 'Zapisz',
  saving: 'Zapisywanie…',
  testConnection: 'Testuj połączenie',
  testing: 'Testowanie…',
  sendBatch: 'Wyślij przykładową paczkę',
  sending: 'Wysyłanie…',
  check: 'Sprawdź mój serwer',
  checking: 'Sprawdzanie, do minuty…',

  receiverAddress: 'Adres odbiorczy',
  address: 'Adres',
  campaignLead:
    'Otwarcia, kliknięcia i wypisania z kampanii, w paczkach do 1000 zdarzeń. Serwer potwierdza każde jego hashem.',
  update: 'Zmień',
  updating: 'Zmienianie…',
  switchOn: 'Włącz',
  switching: 'Przełączanie…',
  updateAnyway: 'Zmień mimo to',

  stop: 'Zatrzymanie dostarczania',
  stopLead: 'Wstrzymanie zachowuje nowe zdarzenia. Wszystkie inne działania na tej liście powodują ich utratę.',
  pause: 'Wstrzymaj…',
  switchOff: 'Wyłącz…',
  removeAddress: 'Usuń adres…',
  delete: 'Usuń…',
  counting: 'Liczenie…',
};
