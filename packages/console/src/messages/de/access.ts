import { html } from '../../html/markup.ts';
import type { Translated } from '../catalog.ts';
import type { access as english } from '../en/access.ts';

export const access: Translated<typeof english> = {
  signIn: 'Anmelden',
  webhookSettings: 'Webhook-Einstellungen',
  lead: ({ platform }) =>
    `Hier legen Sie fest, wohin ${platform} Öffnungen, Klicks, Bounces und andere Ereignisse Ihrer E-Mails sendet, ` +
    'und sehen jede Zustellung.',
  showToken: 'Token anzeigen',
  accessToken: 'Zugriffstoken',
  tokenHint: ({ platform }) =>
    `Das Token für die API Ihres Kontos. Es beginnt mit mhk_. Sie erhalten es von Ihrer ${platform}-Administration.`,
  signedOut: 'Sie sind abgemeldet. Gehen Sie zurück und öffnen Sie diese Einstellungen von dort aus noch einmal.',
  ended:
    'Ihre Sitzung ist beendet. Sie wurde eine Stunde lang nicht benutzt, ist abgelaufen, oder ihr Zugang wurde ' +
    'widerrufen. Melden Sie sich erneut an oder öffnen Sie diese Einstellungen noch einmal von dort, woher Sie ' +
    'kamen.',
  pageAway: 'Diese Seite funktioniert im Moment nicht.',
  signInAway: 'Die Anmeldung funktioniert im Moment nicht. Versuchen Sie es in einer Minute noch einmal.',
  producerToken: 'ist ein Sendertoken, das nur Ereignisse schickt. Nötig ist ein Zugriffstoken, das mit mhk_ beginnt.',
  unknownToken:
    'ist nicht bekannt. Prüfen Sie, ob es vollständig kopiert und nicht widerrufen wurde, oder lassen Sie sich ein ' +
    'neues geben.',

  openSettings: 'Webhook-Einstellungen öffnen',
  opens: ({ account }) =>
    html`Dieser Link öffnet die Webhook-Einstellungen von ${account}. Fahren Sie nur fort, wenn Sie sie gerade öffnen
    wollten.`,
  continue: 'Weiter',
  whoIsIt: 'Bestätigen Sie, dass Sie es sind',
  whoIsItText:
    'Ihre Anmeldung ist über 15 Minuten her. Was Sie vorhaben, wirkt länger als diese Sitzung und braucht deshalb ' +
    'noch einmal das Zugriffstoken.',
  notThisToken: 'gehört zu einem anderen Konto oder ist nur zum Lesen',
  checkAway: 'kann im Moment nicht geprüft werden: Versuchen Sie es in einer Minute noch einmal',
  openAgain:
    'Sie haben diese Einstellungen vor über 15 Minuten geöffnet. Öffnen Sie die Seite noch einmal von Ihrer ' +
    'Plattform aus, und wiederholen Sie dies.',
  openingAway: 'Mailhook kann die Einstellungen im Moment nicht öffnen. Versuchen Sie es in einer Minute noch einmal.',
  incompleteLink:
    'Dieser Link ist nicht vollständig. Kopieren Sie den ganzen Link, oder öffnen Sie ihn noch einmal von dort, ' +
    'woher er kam.',
  usedLink:
    'Dieser Link gilt nicht mehr. Ein Link öffnet diese Einstellungen einmal, und nur für begrenzte Zeit. Melden ' +
    'Sie sich an, oder öffnen Sie sie noch einmal von dort, woher der Link kam.',
  linkNeedsScript:
    'Dieser Link braucht ein Skript, das dieser Browser nicht ausführt. Schreiben Sie in der Adresse dieser Seite ? ' +
    'statt # und öffnen Sie sie noch einmal.',
  otherAccount:
    'In diesem Browser sind Sie bei einem anderen Konto angemeldet. Dieser Link beendet jene Sitzung. Fahren Sie nur ' +
    'fort, wenn Sie gerade die Einstellungen eines anderen Kontos öffnen wollten.',
  changeAccount: 'Zum anderen Konto wechseln',
  stay: 'Hier bleiben',
};
