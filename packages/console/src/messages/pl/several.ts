import type { Translated } from '../catalog.ts';
import type { several as english } from '../en/several.ts';

export const several: Translated<typeof english> = {
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
