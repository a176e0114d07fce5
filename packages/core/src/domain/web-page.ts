import type { ReceiverExchange } from './outcome.ts';
import { pageTitle, quote, readBody } from './reply-body.ts';

/** The types of web pages. Express and PHP give the first one to every text. */
const PAGE_TYPES = /^\s*(text\/html|application\/xhtml\+xml)\b/i;

/** How to fix it. */
export const WEB_PAGE_FIX =
  'Enter the address of your webhook handler, and let requests of Mailhook pass bot protection and logins. Mailhook cannot know that the events are lost.';

/**
 * Says that a web page answered in place of the receiver, with a 2xx status that counts as delivered: a bot challenge,
 * a login form, a parked domain. A clause for customers, which quotes the title of the page. Undefined for other
 * replies.
 */
export function webPageFault(exchange: ReceiverExchange): string | undefined {
  if (exchange.type !== 'reply' || exchange.status < 200 || exchange.status >= 300) return undefined;
  const { body, contentType = '', challenge } = exchange;
  const isPage = body === undefined ? PAGE_TYPES.test(contentType) : isPageText(body, PAGE_TYPES.test(contentType));
  if (!isPage && challenge === undefined) return undefined;
  if (!isPage) return `the reply has the header ${challenge}, which shows that a bot protection sent it`;
  const title = pageTitle(body ?? '').trim();
  return [
    `the reply is a web page${title === '' ? '' : `: ${quote(title)}`}`,
    ...(challenge === undefined ? [] : [`and its header ${challenge} shows that a bot protection sent it`]),
  ].join(', ');
}

function isPageText(body: string, isPageType: boolean): boolean {
  if (/^\s*<[a-z!?]/i.test(body)) return true;
  return isPageType && readBody(body).shape === 'text' && /<[a-z][^<>]*>/i.test(body);
}
