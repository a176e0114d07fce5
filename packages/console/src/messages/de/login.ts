import { html } from '../../html/markup.ts';
import type { Translated } from '../catalog.ts';
import type { login as english } from '../en/login.ts';

export const login: Translated<typeof english> = {
  title: 'Anmeldung und Header',
  leadOfWebhook:
    'Für Server, die eine Anmeldung verlangen, nach einem Header weiterleiten oder Anfragen nur langsam vertragen. Jede Anfrage an diesen Webhook hat die Header, auch Tests.',
  leadOfSubscription:
    'Für Server, die eine Anmeldung verlangen, nach einem Header weiterleiten oder Anfragen nur langsam vertragen. Jede Anfrage dieses Abonnements hat die Header, auch Tests.',
  sendsNone: ({ address }) =>
    html`Mailhook sendet keine Anmeldung und keine eigenen Header an ${address}. Wenn sich Host oder Port der Adresse
    ändern, geben Sie sie erneut ein.`,
  sends: ({ names, address }) =>
    html`Mailhook sendet ${names} (Werte bleiben verborgen) an ${address}. Wenn sich Host oder Port der Adresse ändern,
    geben Sie sie erneut ein.`,
  otherHeaders: 'Weitere Header',
  otherHeadersHint: 'Einer je Zeile, etwa x-team: mail. Ein Name allein behält seinen gespeicherten Wert.',
  save: 'Anmeldung und Header speichern',
  saving: 'Wird gespeichert…',
  login: 'Anmeldung',
  keep: 'Gespeicherte Anmeldung behalten',
  stored: 'eine gespeicherte Anmeldung',
  none: 'Keine Anmeldung',
  bearer: 'Bearer-Token',
  basic: 'Benutzer und Passwort',
  user: 'Benutzer',
  password: 'Token oder Passwort',
  maxRequestsPerSecond: 'Höchstens so viele Anfragen pro Sekunde',
  maxRequestsPerSecondHint: 'Leer: kein Limit. Ereignisse darüber hinaus warten und gehen nicht verloren.',
};
