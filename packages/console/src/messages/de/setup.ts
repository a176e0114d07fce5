import type { Translated } from '../catalog.ts';
import type { setup as english } from '../en/setup.ts';

export const setup: Translated<typeof english> = {
  url: 'Webhook-URL',
  urlHint: 'Wo Ihr Server die Stapel empfängt, etwa https://example.com/mail-events.',
  saveAndSwitchOn: 'Speichern und einschalten',
  save: 'Speichern',
  saving: 'Wird gespeichert…',
  testConnection: 'Verbindung testen',
  testing: 'Wird getestet…',
  sendBatch: 'Beispielstapel senden',
  sending: 'Wird gesendet…',
  check: 'Meinen Empfänger prüfen',
  checking: 'Wird geprüft, bis zu einer Minute…',

  receiverAddress: 'Empfängeradresse',
  address: 'Adresse',
  campaignLead:
    'Öffnungen, Klicks und Abmeldungen Ihrer Kampagnen, in Stapeln von bis zu 1.000 Ereignissen. Ihr Server ' +
    'bestätigt jedes Ereignis mit seinem Hash.',
  update: 'Ändern',
  updating: 'Wird geändert…',
  switchOn: 'Einschalten',
  switching: 'Wird eingeschaltet…',
  updateAnyway: 'Trotzdem ändern',

  stop: 'Zustellung anhalten',
  stopLead: 'Eine Pause bewahrt neue Ereignisse auf. Bei allem anderen auf dieser Liste gehen sie verloren.',
  pause: 'Pausieren…',
  switchOff: 'Abschalten…',
  removeAddress: 'Adresse entfernen…',
  delete: 'Löschen…',
  counting: 'Wird gezählt…',
};
