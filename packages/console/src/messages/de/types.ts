import type { Translated } from '../catalog.ts';
import type { several as englishSeveral, types as english } from '../en/types.ts';

export const types: Translated<typeof english> = {
  sent: 'Die Plattform hat die Nachricht für diesen Empfänger übernommen. Das kommt höchstens einmal.',
  delivered: 'Der Server des Empfängers hat die Nachricht angenommen.',
  deferred: 'Ein Server hat die Nachricht vorerst abgelehnt, und die Plattform versucht es erneut.',
  rejected: 'Die Plattform hat die Nachricht nie einem Server angeboten.',
  open: 'Die Nachricht wurde geöffnet, vom Empfänger oder von einem Programm.',
  click: 'Ein Link der Nachricht wurde angeklickt, vom Empfänger oder von einem Programm.',
  bounce:
    'Die Plattform hat aufgegeben. hard: Die Adresse funktioniert nicht. soft: alles andere. Das kann nach ' +
    'einer Zustellung kommen.',
  complaint: 'Der Empfänger hat die Nachricht als Spam gemeldet.',
  unsubscribe: 'Der Empfänger möchte keine Mails mehr, oder keine mehr einer Liste.',
  subscribe: 'Der Empfänger möchte wieder Mails, oder die einer Liste.',
  suppression: 'Die Plattform hat eine Adresse auf ihre Sperrliste gesetzt oder von ihr entfernt.',
  custom: 'Etwas, das nur diese Plattform hat. Das Label sagt, was.',
};

export const several: Translated<typeof englishSeveral> = {
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
