import { errorText } from './error-text.ts';
import { acknowledgedHashes, propertyOf, unacknowledged } from './acknowledgement.ts';
import { acknowledgementFault } from './acknowledgement-fault.ts';
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
  | { readonly type: 'unreachable'; readonly detail: string }
  /** A reply that is not HTTP, exceeds the size limit, or cannot be decoded. */
  | { readonly type: 'invalid-reply'; readonly detail: string }
  /** Mailhook must not connect to this address. Nothing was sent. */
  | {
      readonly type: 'blocked';
      readonly detail: string;
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
  /**
   * A sentence for customers and logs, at most 500 code points. Undefined if everything was delivered. Never contains
   * the reply's body.
   */
  readonly error: string | undefined;
  /** Positions of the events to send again, or 'all'. Empty if everything was delivered. */
  readonly unconfirmed: 'all' | readonly number[];
  readonly retryAfter: string | undefined;
}

const failed = (
  name: OutcomeName,
  error: string,
  reply?: { status: number; retryAfter: string | undefined },
): Outcome => ({
  name,
  httpStatus: reply?.status,
  error: errorText(error),
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
  if (exchange.status !== 200) return statusFailure(exchange, 'a batch is acknowledged with HTTP 200');
  const body = readBody(exchange.body ?? '');
  if (body.shape !== 'array') {
    const isOneItem = body.shape === 'object' && propertyOf(body.value, 'hash') !== undefined;
    const fault = isOneItem ? 'it is one object' : describeBody(body);
    return failed('invalid-reply', `the reply is not a JSON array of {hash, status}: ${fault}`, exchange);
  }
  const open = unacknowledged(hashes, acknowledgedHashes(body.items));
  if (open.length === 0) return delivered(exchange.status);
  const fault = acknowledgementFault(body.items, hashes, open);
  if (open.length === hashes.length) {
    const none = hashes.length === 1 ? 'does not confirm the event' : `confirms none of ${hashes.length} events`;
    return failed('rejected', `the acknowledgement ${none}: ${fault}`, exchange);
  }
  return {
    name: 'delivered',
    httpStatus: exchange.status,
    error: errorText(`the acknowledgement leaves ${open.length} of ${hashes.length} events unconfirmed: ${fault}`),
    unconfirmed: open,
    retryAfter: undefined,
  };
}

const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];
/** Whether the status leads to another address. The other 3xx do not. */
export const isRedirect = (status: number): boolean => REDIRECTS.includes(status);

export const isSuccess = (status: number): boolean => status >= 200 && status < 300;

function statusFailure(reply: Extract<ReceiverExchange, { type: 'reply' }>, hint?: string): Outcome {
  const redirect = isRedirect(reply.status) ? 'redirects are not followed' : undefined;
  const why = redirect ?? (isSuccess(reply.status) ? hint : undefined);
  const status = `HTTP ${reply.status} ${reply.statusText}`.trimEnd();
  return failed(
    'rejected',
    why === undefined ? `the receiver answered ${status}` : `the receiver answered ${status}; ${why}`,
    reply,
  );
}

const transportFailure = (exchange: Exclude<ReceiverExchange, { type: 'reply' }>): Outcome =>
  failed(exchange.type, transportFault(exchange));

/** What went wrong before there was a reply, as a sentence without its period. */
export function transportFault(exchange: Exclude<ReceiverExchange, { type: 'reply' }>): string {
  switch (exchange.type) {
    case 'timeout':
      return 'the receiver did not answer in time';
    case 'unreachable':
      return `the receiver could not be reached: ${exchange.detail}`;
    case 'invalid-reply':
      return `the reply could not be read: ${exchange.detail}`;
    case 'blocked':
      return `blocked: ${exchange.detail}`;
    case 'cut':
      return 'Mailhook ended the request early, because many receivers did not answer; the attempt does not count';
  }
}

const LOCAL_FAULTS: Readonly<Record<LocalFaultCause, string>> = {
  'file-descriptors': 'it has too many open connections',
  ports: 'it has no free port',
  memory: 'it lacks memory',
  resolver: 'its name server does not answer',
  proxy: 'its outgoing proxy does not work',
  'secrets-key': 'it cannot read the stored secrets',
};

/** A sentence without its period, for a customer who waits for the result of a test. */
export const localFaultMessage = ({ cause }: LocalFault): string =>
  `Mailhook could not send the request just now (${LOCAL_FAULTS[cause]}); try again`;
