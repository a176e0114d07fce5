import { html } from '../../html/markup.ts';
import { pluralIn } from '../catalog.ts';
import type { Translated } from '../catalog.ts';
import type { secrets as english } from '../en/secrets.ts';

const plural = pluralIn('de');

export const secrets: Translated<typeof english> = {
  lead:
    'Mit einem Schlüssel wird jede Anfrage signiert. So erkennt Ihr Server, dass sie von Mailhook kommt und nicht ' +
    'verändert wurde. Ein Endpunkt kann in seinen Einstellungen eigene Schlüssel haben.',
  ofAccount: 'Schlüssel des Kontos',
  ofAccountLead: 'Sie signieren für jeden Endpunkt ohne eigene Schlüssel.',
  notSigned: 'Anfragen werden nicht signiert',
  notSignedHint: 'Erstellen Sie einen Schlüssel und prüfen Sie die Signatur wie unten gezeigt.',
  ownNote: ({ endpoints }) =>
    html`Diese Endpunkte haben eigene Schlüssel, und die folgenden Schlüssel signieren nicht für sie: ${endpoints}.`,
  ownLead: 'Mit eigenem Schlüssel kann der Server dieses Endpunkts keine Anfragen an Ihre anderen Server fälschen.',
  noOwn: 'Kein eigener Schlüssel',
  accountSignsIfAny: 'Anfragen werden mit den Schlüsseln Ihres Kontos signiert, falls es welche gibt.',
  accountSigns: 'Anfragen werden mit den Schlüsseln Ihres Kontos signiert.',
  nothingSigns: 'Anfragen werden nicht signiert, weil auch Ihr Konto keine Schlüssel hat.',
  lastOfAll: 'Auch Ihr Konto hat keine Schlüssel, also werden Anfragen nicht mehr signiert.',
  lastOwn: 'Ohne eigenen Schlüssel signieren die Schlüssel Ihres Kontos.',
  create: 'Schlüssel erstellen',
  creating: 'Wird erstellt…',
  two:
    'Zwei Schlüssel zugleich: Während Sie einen ersetzen, werden Anfragen mit beiden signiert. Löschen Sie den ' +
    'alten, sobald Ihr Server den neuen kennt.',
  copyNow: 'Kopieren Sie den Schlüssel jetzt. Er wird nicht noch einmal angezeigt.',
  copy: 'Kopieren',
  created: ({ time }) => html`Erstellt ${time}`,
  deleteOne: ({ hidden, id }) => html`Löschen${hidden(`: Schlüssel ${id}`)}`,
  deletes: 'Ein Server, der nur diesen Schlüssel hat, lehnt alle späteren Anfragen ab.',
  delete: 'Schlüssel löschen',
  deleting: 'Wird gelöscht…',
  unreadable: 'Gerade nicht lesbar',
  used: ({ time }) => html`zuletzt verwendet ${time}`,
  unused: 'von neueren Anfragen nicht verwendet',
  ends: ({ time }) => html`signiert bis ${time}`,
  roll: 'Ersetzen…',
  rollText:
    'Ein neuer Schlüssel signiert neben diesem, und dieser endet von selbst. Geben Sie Ihrem Server vorher den neuen.',
  rollFor: 'Dieser Schlüssel signiert noch',
  hours: ({ hours }) => plural(hours, (number) => ({ one: `${number} Stunde`, other: `${number} Stunden` })),
  rollNow: 'Schlüssel ersetzen',
  rolling: 'Wird ersetzt…',
  endNow: ({ hidden, id }) => html`Jetzt beenden${hidden(`: Schlüssel ${id}`)}`,
  endsNow: 'Ein Server, der den neuen Schlüssel noch nicht kennt, lehnt alle späteren Anfragen ab.',
  takesBack: 'Der frühere Schlüssel hat dann kein Ende mehr.',
  verify: 'Eine Anfrage prüfen',
  verifyLead: ({ standard, guide }) =>
    html`Die Signatur umfasst die Header webhook-id und webhook-timestamp und den Inhalt, wie er ankam, vor jedem Parsen
    (${standard('Standard Webhooks')}). Die Beispiele nehmen jeden von mehreren Schlüsseln an, sodass Sie einen ersetzen
    können. ${guide('Mehr über Signaturen')}`,
  exampleLanguage: 'Sprache des Beispiels',
  copyExample: ({ hidden, name }) => html`Kopieren${hidden(`: Beispiel für ${name}`)}`,
  example: ({ name }) => `Beispiel für ${name}`,
  ofEndpoint: 'Signaturschlüssel dieses Endpunkts',
  pauseEndpoint:
    'Wenn dieser Server bereits Signaturen prüft, pausieren Sie den Endpunkt, während Sie ihm den neuen ' +
    'Schlüssel geben.',
};
