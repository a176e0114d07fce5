import type { Translated } from '../catalog.ts';
import type { several as englishSeveral, types as english } from '../en/types.ts';

export const types: Translated<typeof english> = {
  sent: 'Platforma przyjęła wiadomość dla tego odbiorcy. Zdarza się to najwyżej raz.',
  delivered: 'Serwer odbiorcy przyjął wiadomość.',
  deferred: 'Serwer na razie odmówił przyjęcia wiadomości, a platforma spróbuje ponownie.',
  rejected: 'Platforma w ogóle nie przekazała wiadomości żadnemu serwerowi.',
  open: 'Wiadomość otwarto: zrobił to odbiorca albo program.',
  click: 'Kliknięto link w wiadomości: zrobił to odbiorca albo program.',
  bounce:
    'Platforma zrezygnowała. hard: adres nie działa. soft: wszystko inne. Może nadejść po dostarczeniu ' +
    'wiadomości.',
  complaint: 'Odbiorca uznał wiadomość za spam.',
  unsubscribe: 'Odbiorca nie chce więcej wiadomości albo wiadomości z jednej listy.',
  subscribe: 'Odbiorca znów chce wiadomości albo wiadomości z jednej listy.',
  suppression: 'Platforma wpisała adres na listę wykluczeń albo go z niej usunęła.',
  custom: 'Coś, co ma tylko ta platforma. Mówi o tym etykieta (label).',
};

export const several: Translated<typeof englishSeveral> = {
  sent: 'wysyłki',
  delivered: 'dostarczenia',
  deferred: 'opóźnienia',
  rejected: 'odrzucenia',
  open: 'otwarcia',
  click: 'kliknięcia',
  bounce: 'odbicia',
  complaint: 'skargi',
  unsubscribe: 'wypisania',
  subscribe: 'zapisy odbiorców',
  suppression: 'zmiany listy wykluczeń',
  custom: 'zdarzenia platformy',
};
