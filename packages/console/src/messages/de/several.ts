import type { Translated } from '../catalog.ts';
import type { several as english } from '../en/several.ts';

export const several: Translated<typeof english> = {
  sent: 'Versandmeldungen',
  delivered: 'Zustellungen',
  deferred: 'Verzögerungen',
  rejected: 'Zurückweisungen',
  open: 'Öffnungen',
  click: 'Klicks',
  bounce: 'Bounces',
  complaint: 'Beschwerden',
  unsubscribe: 'Abmeldungen',
  subscribe: 'Anmeldungen von Empfängern',
  suppression: 'Änderungen der Sperrliste',
  custom: 'Ereignisse der Plattform',
};
