import type { Translated } from '../catalog.ts';
import type { setup as english } from '../en/setup.ts';

export const setup: Translated<typeof english> = {
  url: 'Adres URL webhooka',
  saveAndSwitchOn: 'Zapisz i włącz',
  saving: 'Zapisywanie…',
  testConnection: 'Testuj połączenie',
  testing: 'Testowanie…',
  sendBatch: 'Wyślij przykładową paczkę',
  sending: 'Wysyłanie…',
  check: 'Sprawdź mój serwer',
  checking: 'Sprawdzanie, do minuty…',

  address: 'Adres',
  campaignLead:
    'Otwarcia, kliknięcia i wypisania z kampanii, w paczkach do 1000 zdarzeń. Serwer potwierdza każde jego hashem.',
  switchOn: 'Włącz',
  switching: 'Przełączanie…',
  saveAnyway: 'Zapisz mimo to',

  stop: 'Zatrzymanie dostarczania',
  pause: 'Wstrzymaj…',
  switchOff: 'Wyłącz…',
  removeAddress: 'Usuń adres…',
  delete: 'Usuń…',
  pauseKeeps: 'Nowe zdarzenia są zachowywane i zostaną wysłane po wstrzymaniu.',
  offLoses: 'Nowe zdarzenia nie są zachowywane. Oczekujące trafią do niedostarczonych.',
  removeLoses: 'Bez adresu zdarzenia kampanii nie są zachowywane. Oczekujące trafią do niedostarczonych.',
  deleteLoses: 'Usuwa oczekujące zdarzenia, ustawienia i klucze. Nowe zdarzenia nie są zachowywane.',
  counting: 'Liczenie…',
};
