import type { Translated } from '../catalog.ts';
import type { setup as english } from '../en/setup.ts';

export const setup: Translated<typeof english> = {
  url: 'Webhook-URL',
  saveAndSwitchOn: 'Speichern und einschalten',
  saving: 'Wird gespeichert…',
  testConnection: 'Verbindung testen',
  testing: 'Wird getestet…',
  sendBatch: 'Beispielstapel senden',
  sending: 'Wird gesendet…',
  check: 'Meinen Empfänger prüfen',
  checking: 'Wird geprüft, bis zu einer Minute…',

  address: 'Adresse',
  campaignLead:
    'Öffnungen, Klicks und Abmeldungen Ihrer Kampagnen, in Stapeln von bis zu 1.000 Ereignissen. Ihr Server ' +
    'bestätigt jedes Ereignis mit seinem Hash.',
  switchOn: 'Einschalten',
  switching: 'Wird eingeschaltet…',
  saveAnyway: 'Trotzdem speichern',

  stop: 'Zustellung anhalten',
  pause: 'Pausieren…',
  switchOff: 'Abschalten…',
  removeAddress: 'Adresse entfernen…',
  delete: 'Löschen…',
  pauseKeeps: 'Neue Ereignisse werden aufbewahrt und nach der Pause gesendet.',
  offLoses: 'Neue Ereignisse werden nicht aufbewahrt. Wartende gelten als unzustellbar.',
  removeLoses: 'Ohne Adresse werden Kampagnenereignisse nicht aufbewahrt. Wartende gelten als unzustellbar.',
  deleteLoses: 'Löscht wartende Ereignisse, Einstellungen und Schlüssel. Neue werden nicht aufbewahrt.',
  counting: 'Wird gezählt…',
};
