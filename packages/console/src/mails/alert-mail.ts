import { isUrl } from '@mailhook/core';
import type { CodedText, Language, Mechanism, OperationsMessage, ShownDestination } from '@mailhook/core';
import { numberText } from '../html/formats.ts';
import { Localized, html } from '../html/markup.ts';
import type { Content, Markup } from '../html/markup.ts';
import { NOBODY } from '../html/reader.ts';
import type { Reader } from '../html/reader.ts';
import { plainSentence } from '../messages/coded.ts';
import { texts } from '../messages/texts.ts';
import { adviceOn } from '../messages/advice.ts';
import { endpointName, typesText } from '../settings/shared/endpoints.ts';

/** The messages that customers get as an e-mail. */
export type AlertType = Extract<OperationsMessage, { readonly destination: string; readonly kind: Mechanism }>['type'];

export interface Mail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** The same as the `text` of a message to Slack, in its markup. */
  readonly chat: string;
}

export interface Alert {
  readonly type: AlertType;
  readonly endpoint: ShownDestination;
  /** ISO 8601. */
  readonly failingSince?: string | undefined;
  /** The last error of a destination that fails, or why it was switched off. */
  readonly failure?: CodedText | undefined;
  /** Undelivered events. */
  readonly waiting: number;
  /** How long its receiver has for a reply. */
  readonly deadlineMs: number;
}

interface Recipient {
  readonly language: Language;
  /** The name of the account. */
  readonly account: string;
  /** The page on which the recipient confirms the address or unsubscribes. */
  readonly ownUrl: string;
}

interface Parts {
  readonly subject: string;
  readonly intro: string;
  /** Each with its name. */
  readonly facts?: readonly (readonly [name: string, value: string])[];
  readonly button: { readonly text: string; readonly url: string };
  readonly footer: string;
  /** Unsubscribes, or refuses further mails. */
  readonly refusal: { readonly text: string; readonly url: string };
}

/** @param settingsUrl the page of the endpoint. It signs nobody in. Empty: a message to a chat has no link. */
export function alertMail(alert: Alert, brand: string, to: Recipient, settingsUrl: string): Mail {
  const { type, endpoint, failingSince, failure, waiting, deadlineMs } = alert;
  const { mails } = texts;
  const words = wordsFor(to.language, deadlineMs);
  const name = words(endpointName(endpoint));
  const [subject, intro] = {
    'destination.failing': [mails.failingSubject({ name }), mails.failing] as const,
    'destination.recovered': [mails.recoveredSubject({ name }), mails.recovered] as const,
    'destination.deactivated': [mails.deactivatedSubject({ name }), mails.deactivated] as const,
  }[type];
  const facts: (readonly [Content, Content])[] = [
    [mails.account, to.account],
    [mails.webhook, name],
    [mails.events, typesText(endpoint)],
    [mails.address, shownAddress(endpoint.address)],
  ];
  if (failingSince !== undefined) facts.push([mails.since, timeText(to.language, failingSince)]);
  if (failure !== undefined) facts.push([mails.reason, ownSentence(failure)], [mails.advice, adviceOn(failure, true)]);
  facts.push([mails.waiting, numberText(to.language, waiting)]);
  return mailOf(brand, to.language, {
    subject: words(subject),
    intro: words(intro),
    facts: facts.map(([fact, value]) => [words(fact), words(value)]),
    button: { text: words(mails.open), url: settingsUrl },
    footer: words(mails.why({ account: to.account })),
    refusal: { text: words(mails.unsubscribe), url: to.ownUrl },
  });
}

/** After it, the reader gets no more alerts until `until` (ISO 8601). */
export function limitMail(
  { max, until }: { readonly max: number; readonly until: string },
  brand: string,
  to: Recipient,
  settingsUrl: string,
): Mail {
  const { mails } = texts;
  const words = wordsFor(to.language);
  return mailOf(brand, to.language, {
    subject: words(mails.limitSubject({ brand })),
    intro: words(mails.limit({ max, until: timeText(to.language, until) })),
    facts: [[words(mails.account), to.account]],
    button: { text: words(mails.open), url: settingsUrl },
    footer: words(mails.why({ account: to.account })),
    refusal: { text: words(mails.unsubscribe), url: to.ownUrl },
  });
}

/**
 * Asks the owner of an address whether it may get alerts.
 *
 * @param to `neverUrl`: the page on which the owner refuses all such questions.
 */
export function confirmationMail(brand: string, to: Recipient & { readonly neverUrl: string }): Mail {
  const { mails } = texts;
  const { language, account, ownUrl, neverUrl } = to;
  const words = wordsFor(language);
  return mailOf(brand, language, {
    subject: words(mails.confirmSubject({ brand })),
    intro: words(mails.confirm({ account })),
    button: { text: words(mails.confirmButton), url: ownUrl },
    footer: words(mails.confirmIgnore),
    refusal: { text: words(mails.neverAgain), url: neverUrl },
  });
}

/** Writes a message without HTML as plain text. */
function wordsFor(language: Language, deadlineMs = NOBODY.deadlineMs): (content: Content) => string {
  const reader: Reader = { language, timeZone: 'UTC', nowMs: 0, deadlineMs };
  const words = (content: Content): string => {
    if (content instanceof Localized) return words(content.of(reader));
    if (Array.isArray(content)) return (content as readonly Content[]).map(words).join('');
    if (typeof content !== 'string') throw new TypeError('the messages of e-mails are plain text');
    return content;
  };
  return words;
}

/** The last characters of a path tell endpoints of one host apart. */
const END_CHARS = 4;

/** The paths and queries of addresses often are secrets, and mail is kept for long. */
function shownAddress(address: string): string {
  if (!isUrl(address)) return '';
  const { origin, pathname } = new URL(address);
  return pathname === '/' ? origin : `${origin}/…${pathname.slice(-END_CHARS)}`;
}

/** A number, such as the status in front of a reason phrase, or a word of the protocol, an address of a host. */
const OWN_VALUE = /^(?:\d+(?= |$)|[\w.:-]{1,64}$)/;

/** What a receiver writes, such as its reason phrase, must not speak in a mail that the platform signs. */
const ownSentence = (failure: CodedText): Localized =>
  plainSentence(failure, (value) => OWN_VALUE.exec(value)?.[0] ?? '…');

const timeText = (language: Language, iso: string): string =>
  `${new Intl.DateTimeFormat(language === 'en' ? 'en-GB' : language, {
    dateStyle: 'medium',
    timeStyle: 'short',
    timeZone: 'UTC',
  }).format(new Date(iso))} UTC`;

/** Text of people in one line, so that it cannot look like another part of the mail, or end its header. */
const oneLine = (text: string): string => text.replaceAll(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();

/** Slack's three characters of markup, and those of links and emphasis, cannot come from a name or a reason. */
const forChat = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll(/[*_~`]/g, ' ');

/** What a test sends to a webhook of alerts. */
export function alertSample(brandName: string, { language, account }: Pick<Recipient, 'language' | 'account'>): string {
  const { mails } = texts;
  const words = wordsFor(language);
  const brand = oneLine(brandName);
  return `*${forChat(words(mails.sampleSubject({ brand })))}*\n${forChat(oneLine(words(mails.sample({ account }))))}`;
}

function mailOf(brandName: string, language: Language, content: Parts): Mail {
  const { button, refusal } = content;
  const [brand, subject] = [oneLine(brandName), oneLine(content.subject)];
  const [intro, footer] = [oneLine(content.intro), oneLine(content.footer)];
  const facts = (content.facts ?? []).map(([name, value]) => [name, oneLine(value)] as const);
  const text = [
    intro,
    ...(facts.length === 0 ? [] : [facts.map(([name, value]) => `${name}: ${value}`).join('\n')]),
    `${button.text}:\n${button.url}`,
    brand,
    footer,
    `${refusal.text}: ${refusal.url}`,
  ].join('\n\n');
  const body = html`<p>${intro}</p>
    ${facts.length > 0 && table(facts)}
    <p><a href="${button.url}">${button.text}</a></p>
    <hr />
    <p>
      <small>${brand}. ${footer} <a href="${refusal.url}">${refusal.text}</a></small>
    </p>`;
  const document = html`<!doctype html>
    <html lang="${language}">
      <head>
        <meta charset="utf-8" />
        <title>${subject}</title>
      </head>
      <body>
        ${body}
      </body>
    </html>`;
  const chat = [
    `*${forChat(subject)}*`,
    forChat(intro),
    ...facts.map(([name, value]) => `${forChat(name)}: ${forChat(value)}`),
    ...(button.url === '' ? [] : [`<${button.url}|${forChat(button.text)}>`]),
  ].join('\n');
  return { subject, text: `${text}\n`, html: document.toString(), chat };
}

const table = (facts: readonly (readonly [string, string])[]): Markup =>
  html`<table>
    ${facts.map(
      ([name, value]) =>
        html`<tr>
          <th align="left" valign="top">${name}</th>
          <td>${value}</td>
        </tr>`,
    )}
  </table>`;
