import { html } from '../../html/markup.ts';
import type { Translated } from '../catalog.ts';
import type { tokens as english } from '../en/tokens.ts';

export const tokens: Translated<typeof english> = {
  title: 'Zugriffstoken',
  lead: 'Für Programme, die die API verwenden, und zum Anmelden hier. Geben Sie jedem Programm ein eigenes Token.',
  none: 'Kein Zugriffstoken',
  noneHint: 'Eine Administratorin oder ein Administrator der Plattform kann eines erstellen.',
  reads: 'Liest nur',
  manages: 'Ändert alles',
  noLabel: 'Ohne Bezeichnung',
  id: ({ id }) => html`ID <code>${id}</code>`,
  thisOne: 'Damit haben Sie sich angemeldet',
  created: ({ time }) => html`Erstellt ${time}`,
  used: ({ time }) => html`zuletzt verwendet ${time}`,
  unused: 'nie verwendet',
  ends: ({ time }) => html`endet ${time}`,
  ended: ({ time }) => html`endete ${time}`,
  revokeOne: ({ hidden, label }) => html`Widerrufen${hidden(`: Token ${label}`)}`,
  revokes: 'Anfragen mit diesem Token werden innerhalb von Sekunden abgelehnt. Es kann nicht wieder verwendet werden.',
  revokesThis: 'Mit diesem Token haben Sie sich angemeldet, deshalb werden auch Sie abgemeldet.',
  revoke: 'Token widerrufen',
  revoking: 'Wird widerrufen…',
  revoked: 'Widerrufen. Anfragen mit diesem Token werden innerhalb von Sekunden abgelehnt.',
  newOne: 'Zugriffstoken erstellen',
  label: 'Bezeichnung',
  labelHint: 'Das Programm, das es verwendet. Sie steht auch in der Liste der Änderungen.',
  access: 'Es darf',
  mayRead: 'alles lesen und nichts ändern',
  mayManage: 'alles lesen und ändern und Tests senden',
  end: 'Es endet',
  endHint: 'Endet das Token Ihrer Anmeldung früher, endet das neue mit ihm.',
  never: 'nie',
  inDays: ({ days }) => `in ${days} Tagen`,
  create: 'Token erstellen',
  creating: 'Wird erstellt…',
  createdOne: 'Erstellt. Programme senden es als Authorization: Bearer <Token>.',
  copyNow: 'Kopieren Sie das Token jetzt. Es wird nicht noch einmal angezeigt.',
  full: ({ max }) =>
    `Ein Konto mit ${max} Token erstellt keine weiteren. Widerrufen Sie eines, das nicht verwendet wird.`,
  notHere:
    'Ein Link einer anderen Seite hat diese Einstellungen geöffnet, und ein Token würde ihn überdauern. ' +
    'Melden Sie sich mit einem Token an, um eines zu erstellen, oder fragen Sie die Administration der Plattform.',
};
