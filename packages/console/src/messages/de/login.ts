import { html } from '../../html/markup.ts';
import type { Translated } from '../catalog.ts';
import type { login as english } from '../en/login.ts';

export const login: Translated<typeof english> = {
  title: 'Anmeldung und Header',
  sends: ({ names }) =>
    html`Mailhook sendet ${names}. Die Werte bleiben verborgen. Bei anderem Host oder Port geben Sie sie erneut ein.`,
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
  lead: 'Für Server, die eine Anmeldung verlangen oder nach einem Header weiterleiten. Tests enthalten sie auch.',
};
