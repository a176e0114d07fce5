import { pluralIn } from '../catalog.ts';
import type { Translated } from '../catalog.ts';
import type { stops as english } from '../en/stops.ts';

const plural = pluralIn('pl');

export const stops: Translated<typeof english> = {
  cancel: 'Anuluj',
  noneWaits: 'Żadne zdarzenia nie czekają teraz na wysłanie do tego endpointu.',
  discards: ({ events }) =>
    plural(events, (number) => ({
      one: `${number} oczekujące zdarzenie zostanie usunięte i nikt nie będzie mógł go przywrócić.`,
      few: `${number} oczekujące zdarzenia zostaną usunięte i nikt nie będzie mógł ich przywrócić.`,
      many: `${number} oczekujących zdarzeń zostanie usuniętych i nikt nie będzie mógł ich przywrócić.`,
    })),
  givesUp: ({ events }) =>
    plural(events, (number) => ({
      one: `${number} oczekujące zdarzenie trafi do niedostarczonych. Można je dostarczyć ponownie przez 7 dni.`,
      few: `${number} oczekujące zdarzenia trafią do niedostarczonych. Można je dostarczyć ponownie przez 7 dni.`,
      many: `${number} oczekujących zdarzeń trafi do niedostarczonych. Można je dostarczyć ponownie przez 7 dni.`,
    })),
  keeps: ({ events }) =>
    plural(events, (number) => ({
      one: `Zachowane zostanie też ${number} oczekujące zdarzenie.`,
      few: `Zachowane zostaną też ${number} oczekujące zdarzenia.`,
      many: `Zachowanych zostanie też ${number} oczekujących zdarzeń.`,
    })),
  notKept: 'Nowe zdarzenia nie będą odtąd zachowywane i nikt nie będzie mógł ich przywrócić.',
  pauseKeeps: 'Wstrzymanie je zachowuje.',

  offTitle: 'Wyłączyć ten endpoint?',
  pauseInstead: 'Zamiast tego wstrzymaj na 1 dzień',
  pausing: 'Wstrzymywanie…',
  switchOff: 'Wyłącz',
  switching: 'Wyłączanie…',
  removeTitle: 'Usunąć adres?',
  withoutAddress: 'Bez adresu zdarzenia kampanii nie są dostarczane.',
  remove: 'Usuń adres',
  removing: 'Usuwanie…',
  emptied: 'Nic nie zmieniono. Należy wpisać adres albo użyć przycisku „Usuń adres”.',
  deleteTitle: 'Usunąć ten endpoint?',
  deletesAll: 'Usunięte zostaną też jego ustawienia i klucze podpisu.',
  delete: 'Usuń endpoint',
  deleting: 'Usuwanie…',
  pauseTitle: 'Wstrzymać ten endpoint?',
  pauseText:
    'Nowe zdarzenia są zachowywane i zostaną wysłane, gdy wstrzymanie się skończy. Po osiągnięciu limitu ' +
    'oczekujących zdarzeń konta najnowsze są odrzucane.',
  pauseFor: 'Wstrzymaj na',
  hours: ({ hours }) =>
    plural(hours, (number) => ({ one: `${number} godzinę`, few: `${number} godziny`, many: `${number} godzin` })),
  days: ({ days }) =>
    plural(days, (number) => ({ one: `${number} dzień`, few: `${number} dni`, many: `${number} dni` })),
  pause: 'Wstrzymaj dostarczanie',

  switchedOff:
    'Wyłączono. Nowe zdarzenia nie są zachowywane. Oczekujące zdarzenia trafiają do niedostarczonych i po ' +
    'ponownym włączeniu można je dostarczyć ponownie.',
  removed: 'Usunięto. Nie ma teraz adresu, więc zdarzenia kampanii nie są dostarczane.',
  deleted: 'Usunięto. Oczekujące zdarzenia zostały usunięte.',

  newAddressTitle: 'Użyć nowego adresu?',
  newAddress: 'Od tej chwili trafią tam nowe i oczekujące zdarzenia.',
  noNewAddress: 'Zachowane próby nie pokazują, dokąd przekierowuje serwer. Adres należy podać w ustawieniach.',
};
