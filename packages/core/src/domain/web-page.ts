import { coded } from './coded-text.ts';
import type { CodedText } from './coded-text.ts';
import { isSuccess } from './outcome.ts';
import type { ReceiverExchange } from './outcome.ts';
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

/** Pages are longer, and the short texts of receivers are shorter. */
const PAGE_BYTES_MIN = 256;

/**
 * The same for a delivery, whose body nobody reads, by the headers alone: a sentence about a 2xx reply that says to be
 * a web page of some length. Undefined for a page of unknown length, since many receivers give a page's type to `OK`.
 */
export function webPageByHeaders({
  status,
  headers,
}: Pick<ReceivedReply, 'status' | 'headers'>): CodedText | undefined {
  if (Number(headers['content-length'] ?? 0) < PAGE_BYTES_MIN || !isSuccess(status)) return undefined;
  const isPage = PAGE_TYPES.test(String(headers['content-type']));
  return isPage ? coded('test-page', { status, fault: coded('web-page') }) : undefined;
}
