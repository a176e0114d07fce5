import { coded } from './coded-text.ts';
import type { CodedText } from './coded-text.ts';
import type { ReceiverExchange } from './outcome.ts';
import { attemptReplyOf } from './received-reply.ts';
import type { ReceivedReply } from './received-reply.ts';
import { pageTitle, quote, readBody } from './reply-body.ts';

/** The types of web pages. Express and PHP give the first one to every text. */
const PAGE_TYPES = /^\s*(text\/html|application\/xhtml\+xml)\b/i;

/**
 * Says that a web page answered in place of the receiver, with a 2xx status that counts as delivered: a bot challenge,
 * a login form, a parked domain. A clause for customers, which quotes the title of the page. Undefined for other
 * replies.
 */
export function webPageFault(exchange: ReceiverExchange): CodedText | undefined {
  if (exchange.type !== 'reply' || exchange.status < 200 || exchange.status >= 300) return undefined;
  const { body, contentType = '', challenge } = exchange;
  const isPage = body === undefined ? PAGE_TYPES.test(contentType) : isPageText(body, PAGE_TYPES.test(contentType));
  if (!isPage) return challenge === undefined ? undefined : coded('bot', { header: challenge });
  const title = pageTitle(body ?? '').trim();
  if (challenge === undefined)
    return title === '' ? coded('web-page') : coded('titled-web-page', { quote: quote(title) });
  return title === ''
    ? coded('bot-page', { header: challenge })
    : coded('titled-bot-page', { quote: quote(title), header: challenge });
}

function isPageText(body: string, isPageType: boolean): boolean {
  if (/^\s*<[a-z!?]/i.test(body)) return true;
  return isPageType && readBody(body).shape === 'text' && /<[a-z][^<>]*>/i.test(body);
}

/** Length in bytes that separates a page from a short text such as `OK`, if the body was not read. */
const PAGE_BYTES_MIN = 64;

/** Whether the headers of a reply have the type of a web page. */
export const isPageType = ({ 'content-type': type }: ReceivedReply['headers']): boolean =>
  PAGE_TYPES.test(String(type));

/**
 * The same for a delivery, as a sentence: checks the start of the body of a reply with a page's type, or else its
 * length. Undefined if neither is known, because many receivers give a page's type to `OK`.
 */
export function webPageInDelivery(received: ReceivedReply): CodedText | undefined {
  const { status, headers } = received;
  if (!isPageType(headers)) return undefined;
  const { body } = attemptReplyOf(received);
  if (body === '' && Number(headers['content-length'] ?? 0) < PAGE_BYTES_MIN) return undefined;
  const fault = webPageFault({
    type: 'reply',
    status,
    statusText: '',
    retryAfter: undefined,
    body: body === '' ? undefined : body,
    contentType: String(headers['content-type']),
  });
  return fault && coded('test-page', { status, fault });
}
