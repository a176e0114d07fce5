import { sentence } from '@mailhook/core';
import type { AlertLanguage, Mechanism, OperationsMessage, SubscriptionType } from '@mailhook/core';
import { markup } from '../html/markup.ts';
import type { Markup } from '../html/markup.ts';
import { adviceOn } from '../settings/advice.ts';
import { MAIL_TEXTS } from './texts.ts';

/** The messages that customers get as an e-mail. */
export type AlertType = Extract<OperationsMessage, { readonly destination: string; readonly kind: Mechanism }>['type'];

export interface Mail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

export interface Alert {
  readonly type: AlertType;
  /** Undefined for the campaign webhook. */
  readonly events: SubscriptionType | undefined;
  readonly address: string;
  /** ISO 8601. */
  readonly failingSince?: string | undefined;
  /** The last error of a destination that fails, or why it was switched off. */
  readonly failure?: string | undefined;
  /** Undelivered events. */
  readonly waiting: number;
}

interface Recipient {
  readonly language: AlertLanguage;
  /** The name of the account. */
  readonly account: string;
  /** The page on which the recipient confirms the address or unsubscribes. */
  readonly ownUrl: string;
}

interface Content {
  readonly subject: string;
  readonly intro: string;
  /** Each with its name. */
  readonly facts?: readonly (readonly [name: string, value: string])[];
  readonly button: { readonly text: string; readonly url: string; readonly hint: string };
  readonly footer: string;
  readonly unsubscribe?: { readonly text: string; readonly url: string };
}

/** @param settingsUrl a portal link, which opens the endpoint's page. */
export function alertMail(alert: Alert, brand: string, to: Recipient, settingsUrl: string): Mail {
  const texts = MAIL_TEXTS[to.language];
  const { type, events, failingSince, failure, waiting } = alert;
  const name = events === undefined ? texts.campaign : texts.subscription({ type: events });
  const [subject, intro] = {
    'destination.failing': [texts.failingSubject({ name }), texts.failing] as const,
    'destination.recovered': [texts.recoveredSubject({ name }), texts.recovered] as const,
    'destination.deactivated': [texts.deactivatedSubject({ name }), texts.deactivated] as const,
  }[type];
  const facts = [
    [texts.account, to.account],
    [texts.webhook, name],
    [texts.address, withoutQuery(alert.address)],
    ...(failingSince === undefined ? [] : [[texts.since, timeText(to.language, failingSince)] as const]),
    ...(failure === undefined
      ? []
      : [[texts.reason, sentence(failure)] as const, [texts.advice, adviceOn(failure, true)] as const]),
    [texts.waiting, new Intl.NumberFormat(to.language).format(waiting)],
  ] as const;
  return mailOf(brand, to.language, {
    subject,
    intro,
    facts,
    button: { text: texts.open, url: settingsUrl, hint: texts.openOnce },
    footer: texts.why({ account: to.account }),
    unsubscribe: { text: texts.unsubscribe, url: to.ownUrl },
  });
}

/** Asks the owner of an address whether it may get alerts. */
export function confirmationMail(brand: string, { language, account, ownUrl }: Recipient): Mail {
  const texts = MAIL_TEXTS[language];
  return mailOf(brand, language, {
    subject: texts.confirmSubject({ brand }),
    intro: texts.confirm({ account }),
    button: { text: texts.confirmButton, url: ownUrl, hint: '' },
    footer: texts.confirmIgnore,
  });
}

/** Queries of addresses often hold secrets, and so do user names. */
function withoutQuery(address: string): string {
  if (!URL.canParse(address)) return '';
  const { origin, pathname } = new URL(address);
  return `${origin}${pathname}`;
}

const timeText = (language: AlertLanguage, iso: string): string =>
  `${new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' }).format(new Date(iso))} UTC`;

/** Text of people in one line, so that it cannot look like another part of the mail, or end its header. */
const oneLine = (text: string): string => text.replaceAll(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();

function mailOf(brandName: string, language: AlertLanguage, content: Content): Mail {
  const { button, unsubscribe } = content;
  const [brand, subject] = [oneLine(brandName), oneLine(content.subject)];
  const [intro, footer] = [oneLine(content.intro), oneLine(content.footer)];
  const facts = (content.facts ?? []).map(([name, value]) => [name, oneLine(value)] as const);
  const text = [
    intro,
    ...(facts.length === 0 ? [] : [facts.map(([name, value]) => `${name}: ${value}`).join('\n')]),
    `${button.text}:\n${button.url}`,
    ...(button.hint === '' ? [] : [button.hint]),
    `-- \n${brand}`,
    footer,
    ...(unsubscribe === undefined ? [] : [`${unsubscribe.text}: ${unsubscribe.url}`]),
  ].join('\n\n');
  const body = markup`<p>${intro}</p>
${facts.length > 0 && table(facts)}
<p><a href="${button.url}">${button.text}</a></p>
${button.hint !== '' && markup`<p><small>${button.hint}</small></p>`}
<hr>
<p><small>${brand}. ${footer}${unsubscribe !== undefined && markup` <a href="${unsubscribe.url}">${unsubscribe.text}</a>`}</small></p>`;
  const html = markup`<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><title>${subject}</title></head>
<body>${body}</body></html>`;
  return { subject, text: `${text}\n`, html: html.toString() };
}

const table = (facts: readonly (readonly [string, string])[]): Markup =>
  markup`<table>${facts.map(([name, value]) => markup`<tr><th align="left" valign="top">${name}</th><td>${value}</td></tr>`)}</table>`;
