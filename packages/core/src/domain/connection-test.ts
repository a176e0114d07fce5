import { connectionTestReply } from '../contracts/campaign-webhook.ts';
import { valueFault } from './acknowledgement-fault.ts';
import { propertyOf } from './acknowledgement.ts';
import { coded } from './coded-text.ts';
import type { CodedText } from './coded-text.ts';
import { isSuccess, transportFault } from './outcome.ts';
import type { ReceiverExchange } from './outcome.ts';
import { describeBody, readBody } from './reply-body.ts';

/**
 * The customer's message after a failed connection test of the campaign webhook, at most 500 code points. Undefined on
 * success. Customers' scripts parse the message for an error status, so its form must not change.
 */
export function connectionTestFault(exchange: ReceiverExchange): CodedText | undefined {
  if (exchange.type === 'invalid-reply') return coded('test-format');
  if (exchange.type !== 'reply') return transportFault(exchange);
  if (!isSuccess(exchange.status)) return coded('test-status', { line: statusLine(exchange) });
  return isConnectionTestReply(exchange.body ?? '') ? undefined : coded('test-format');
}

/** What is wrong with the reply to a connection test whose fault is only `test-format`. */
export function connectionTestDetail(exchange: ReceiverExchange): CodedText | undefined {
  if (exchange.type === 'invalid-reply') return transportFault(exchange);
  if (exchange.type !== 'reply' || !isSuccess(exchange.status)) return undefined;
  const body = readBody(exchange.body ?? '');
  if (body.shape !== 'object') return describeBody(body);
  const status = propertyOf(body.value, 'status');
  return status === 'ok' ? undefined : valueFault('ok', status);
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
 * that nobody can list the names of the operator's network. In a delivery, a blocked address makes the
 * batch a dead letter immediately.
 */
export const asTested = <E extends ReceiverExchange>(exchange: E): E | (E & { type: 'unreachable' }) =>
  exchange.type === 'blocked' && exchange.isByLookup === true ? { ...exchange, type: 'unreachable' } : exchange;
