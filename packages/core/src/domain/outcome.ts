import { acknowledgedHashes, propertyOf, unacknowledged } from './acknowledgement.ts';
import { acknowledgementFault } from './acknowledgement-fault.ts';
import { coded } from './coded-text.ts';
import type { CodedText } from './coded-text.ts';
import { describeBody, readBody } from './reply-body.ts';

/** What Mailhook or its machine may lack to send a request. */
export const localFaultCauses = ['file-descriptors', 'ports', 'memory', 'resolver', 'proxy', 'secrets-key'] as const;
export type LocalFaultCause = (typeof localFaultCauses)[number];

/**
 * Mailhook could not send the request, through no fault of the receiver. It uses up no attempt, and the breaker must
 * not count it.
 */
export interface LocalFault {
  readonly type: 'local-fault';
  readonly cause: LocalFaultCause;
  /** For operators. */
  readonly detail: string;
}

/** The result of one request, as the receiver client saw it. A receiver's failure is a value, not an exception. */
export type Exchange = ReceiverExchange | LocalFault;

/** An exchange that was not stopped by a local fault. Only these have an outcome. */
export type ReceiverExchange =
  | {
      readonly type: 'reply';
      readonly status: number;
      /** The reason phrase, or '' if the receiver sent none. */
      readonly statusText: string;
      /** The unparsed `Retry-After` header. */
      readonly retryAfter: string | undefined;
      /**
       * The decoded body, or its start if the caller asked for that. Undefined if the caller did not ask, or nothing
       * came in time.
       */
      readonly body: string | undefined;
      /** The unparsed `Content-Type` header. No outcome depends on it. */
      readonly contentType?: string | undefined;
      /** The name of a header by which a bot protection marks its own replies. No outcome depends on it. */
      readonly challenge?: string | undefined;
    }
  /** The deadline passed before the last byte of the reply. */
  | { readonly type: 'timeout' }
  /** No connection, an unknown host name, a TLS failure, or a connection that broke before the reply was complete. */
  | { readonly type: 'unreachable'; readonly detail: CodedText }
  /** A reply that is not HTTP, exceeds the size limit, or cannot be decoded. */
  | { readonly type: 'invalid-reply'; readonly detail: CodedText }
  /** Mailhook must not connect to this address. Nothing was sent. */
  | {
      readonly type: 'blocked';
      readonly detail: CodedText;
      /** Whether a lookup of the name showed it. */
      readonly isByLookup?: boolean | undefined;
    }
  /** Mailhook ended the request before its deadline, because many requests waited for a reply. */
  | { readonly type: 'cut' };

export type OutcomeName = 'delivered' | 'rejected' | 'timeout' | 'unreachable' | 'invalid-reply' | 'blocked' | 'cut';

/** The result of one attempt, on which the retry decision and the breaker depend. */
export interface Outcome {
  readonly name: OutcomeName;
  readonly httpStatus: number | undefined;
  /** Why it failed. Undefined if everything was delivered. Quotes at most a few words of the reply's body. */
  readonly error: CodedText | undefined;
  /** Positions of the events to send again, or 'all'. Empty if everything was delivered. */
  readonly unconfirmed: 'all' | readonly number[];
  readonly retryAfter: string | undefined;
}

const failed = (
  name: OutcomeName,
  error: CodedText,
  reply?: { status: number; retryAfter: string | undefined },
): Outcome => ({
  name,
  httpStatus: reply?.status,
  error,
  unconfirmed: 'all',
  retryAfter: reply?.retryAfter,
});

const delivered = (httpStatus: number): Outcome => ({
  name: 'delivered',
  httpStatus,
  error: undefined,
  unconfirmed: [],
  retryAfter: undefined,
});

/** The outcome of a transactional notification. Every 2xx status acknowledges it. */
export function notificationOutcome(exchange: ReceiverExchange): Outcome {
  if (exchange.type !== 'reply') return transportFailure(exchange);
  return isSuccess(exchange.status) ? delivered(exchange.status) : statusFailure(exchange);
}

/**
 * The outcome of a campaign batch. Only HTTP 200 with a JSON array of acknowledgement items acknowledges events
 * (docs/protocol.md).
 */
export function batchOutcome(exchange: ReceiverExchange, hashes: readonly string[]): Outcome {
  if (exchange.type !== 'reply') return transportFailure(exchange);
  if (exchange.status !== 200) return statusFailure(exchange, 'not-200');
  const body = readBody(exchange.body ?? '');
  if (body.shape !== 'array') {
    const isOneItem = body.shape === 'object' && propertyOf(body.value, 'hash') !== undefined;
    const fault = isOneItem ? coded('one-object') : describeBody(body);
    return failed('invalid-reply', coded('not-array', { fault }), exchange);
  }
  const open = unacknowledged(hashes, acknowledgedHashes(body.items));
  if (open.length === 0) return delivered(exchange.status);
  const fault = acknowledgementFault(body.items, hashes, open);
  const events = hashes.length;
  if (open.length === events) {
    const error = events === 1 ? coded('confirms-not', { fault }) : coded('confirms-none', { events, fault });
    return failed('rejected', error, exchange);
  }
  return {
    name: 'delivered',
    httpStatus: exchange.status,
    error: coded('confirms-some', { open: open.length, events, fault }),
    unconfirmed: open,
    retryAfter: undefined,
  };
}

const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];
/** Whether the status leads to another address. The other 3xx do not. */
export const isRedirect = (status: number): boolean => REDIRECTS.includes(status);

export const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/** `ofSuccess`: what a 2xx means that is not the expected one. */
function statusFailure(reply: Extract<ReceiverExchange, { type: 'reply' }>, ofSuccess?: 'not-200'): Outcome {
  const unwanted = isSuccess(reply.status) ? ofSuccess : undefined;
  const code = isRedirect(reply.status) ? 'redirect' : (unwanted ?? 'status');
  return failed('rejected', coded(code, { status: `${reply.status} ${reply.statusText}`.trimEnd() }), reply);
}

const transportFailure = (exchange: Exclude<ReceiverExchange, { type: 'reply' }>): Outcome =>
  failed(exchange.type, transportFault(exchange));

/** What went wrong before there was a reply. */
export function transportFault(exchange: Exclude<ReceiverExchange, { type: 'reply' }>): CodedText {
  switch (exchange.type) {
    case 'timeout':
      return coded('no-reply');
    case 'unreachable':
      return coded('unreachable', { fault: exchange.detail });
    case 'invalid-reply':
      return coded('unreadable', { fault: exchange.detail });
    case 'blocked':
      return coded('blocked', { fault: exchange.detail });
    case 'cut':
      return coded('cut');
  }
}

/** For a customer who waits for the result of a test. */
export const localFaultReason = ({ cause }: LocalFault): CodedText => coded('not-sent', { fault: coded(cause) });
