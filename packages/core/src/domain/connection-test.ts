import { connectionTestReply } from '../contracts/campaign-webhook.ts';
import { describeValue } from './acknowledgement-fault.ts';
import { propertyOf } from './acknowledgement.ts';
import { errorText } from './error-text.ts';
import { isSuccess, transportFault } from './outcome.ts';
import type { ReceiverExchange } from './outcome.ts';
import { describeBody, readBody } from './reply-body.ts';
import { capitalized } from './sentence.ts';

/**
 * The customer's message after a failed connection test of the campaign webhook, at most 500 code points. Undefined on
 * success. Customers' scripts parse the message for an error status, so its form must not change.
 */
export function connectionTestFault(exchange: ReceiverExchange): string | undefined {
  if (exchange.type === 'invalid-reply') return 'The server responded in an invalid format';
  if (exchange.type !== 'reply') return errorText(capitalized(transportFault(exchange)));
  if (!isSuccess(exchange.status)) return errorText(`Request error (curl) ${statusLine(exchange)}`);
  return isConnectionTestReply(exchange.body ?? '') ? undefined : 'The server responded in an invalid format';
}

/**
 * What is wrong with the reply to a connection test whose message is only `The server responded in an invalid format`,
 * as the end of a sentence.
 */
export function connectionTestDetail(exchange: ReceiverExchange): string | undefined {
  if (exchange.type === 'invalid-reply') return errorText(transportFault(exchange));
  if (exchange.type !== 'reply' || !isSuccess(exchange.status)) return undefined;
  const body = readBody(exchange.body ?? '');
  if (body.shape !== 'object') return describeBody(body);
  const status = propertyOf(body.value, 'status');
  return status === 'ok' ? undefined : `its "status" ${describeValue(status, 'the text “ok”')}`;
}

/** `404 - HTTP/1.1 404 Not Found`, also for other versions of HTTP. */
const statusLine = (reply: { status: number; statusText: string }): string =>
  `${reply.status} - HTTP/1.1 ${reply.status} ${reply.statusText}`.trimEnd();

function isConnectionTestReply(body: string): boolean {
  try {
    return connectionTestReply.safeParse(JSON.parse(body)).success;
  } catch {
    return false;
  }
}

/**
 * The exchange as a test shows it. A name that leads to a blocked address looks like one without an address there, so
 * that nobody can list the names of the operator's network. Deliveries differ: a blocked address is a dead letter
 * immediately.
 */
export const asTested = <E extends ReceiverExchange>(exchange: E): E | (E & { type: 'unreachable' }) =>
  exchange.type === 'blocked' && exchange.isByLookup === true ? { ...exchange, type: 'unreachable' } : exchange;
