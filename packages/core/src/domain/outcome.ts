import { connectionTestReply } from '../contracts/campaign-webhook.ts';
import { errorText } from './error-text.ts';
import { capitalised } from './sentence.ts';
import { confirmedHashes, unconfirmed } from './settle.ts';

/** The resources that Mailhook or its machine may lack. */
export const localFaultCauses = ['file-descriptors', 'ports', 'memory', 'resolver'] as const;
export type LocalFaultCause = (typeof localFaultCauses)[number];

/** Nothing was sent, and the receiver has no part in it: no attempt is used up, and the breaker must not count it. */
export interface LocalFault {
  readonly type: 'local-fault';
  readonly cause: LocalFaultCause;
  /** For operators. */
  readonly detail: string;
}

/** What the receiver client saw of one request. A receiver's failure is a value, never an exception. */
export type Exchange = ReceiverExchange | LocalFault;

/** An exchange that says something of the receiver. Only such a one has an outcome. */
export type ReceiverExchange =
  | {
      readonly type: 'reply';
      readonly status: number;
      /** The reason phrase, '' when the receiver sent none. */
      readonly statusText: string;
      /** The `Retry-After` header as it came. */
      readonly retryAfter: string | undefined;
      /** The decoded body; undefined when it was not asked for. */
      readonly body: string | undefined;
      /** The `Content-Type` header as it came. No outcome depends on it. */
      readonly contentType?: string | undefined;
    }
  /** The deadline passed before the last byte of the reply. */
  | { readonly type: 'timeout' }
  /** No connection, no such name, TLS failure, or the connection broke before the reply was whole. */
  | { readonly type: 'unreachable'; readonly detail: string }
  /** A reply that is no HTTP, longer than the cap, or not decodable. */
  | { readonly type: 'invalid-reply'; readonly detail: string }
  /** The address leads where Mailhook must not go; nothing was sent. */
  | { readonly type: 'blocked'; readonly detail: string }
  /** Mailhook ended the request before its deadline, because many requests waited for a reply. */
  | { readonly type: 'cut' };

export type OutcomeName = 'delivered' | 'rejected' | 'timeout' | 'unreachable' | 'invalid-reply' | 'blocked' | 'cut';

/** One attempt's result, the only input of the retry decision and the breaker. */
export interface Outcome {
  readonly name: OutcomeName;
  readonly httpStatus: number | undefined;
  /** A sentence for customers and logs, 500 code points at most; undefined when everything was delivered. Never holds the reply's body. */
  readonly error: string | undefined;
  /** Positions of events to send again; empty when all is delivered, 'all' for the whole request. */
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

/** Mechanism A, where every 2xx delivers (design, section 3, "What receivers see"). */
export function notificationOutcome(exchange: ReceiverExchange): Outcome {
  if (exchange.type !== 'reply') return transportFailure(exchange);
  return isSuccess(exchange.status) ? delivered(exchange.status) : statusFailure(exchange);
}

/** Mechanism B: HTTP 200 and a JSON array of acknowledgement items (spec, "Delivery rules" 2). */
export function batchOutcome(exchange: ReceiverExchange, hashes: readonly string[]): Outcome {
  if (exchange.type !== 'reply') return transportFailure(exchange);
  if (exchange.status !== 200) return statusFailure(exchange, 'a batch is acknowledged with HTTP 200');
  const confirmed = confirmedHashes(exchange.body ?? '');
  if (confirmed === undefined)
    return failed('invalid-reply', 'the reply is not a JSON array of {hash, status}', exchange);
  const open = unconfirmed(hashes, confirmed);
  if (open.length === 0) return delivered(exchange.status);
  if (open.length === hashes.length)
    return failed('rejected', `the acknowledgement confirms none of ${hashes.length} events`, exchange);
  return {
    name: 'delivered',
    httpStatus: exchange.status,
    error: `the acknowledgement leaves ${open.length} of ${hashes.length} events unconfirmed`,
    unconfirmed: open,
    retryAfter: undefined,
  };
}

/**
 * The connection test of mechanism B (spec, "Receiver endpoints" and "Errors" 1 and 2): a message for the customer, 500 code points at
 * most; undefined on success. Of a status it says the code and its text, and nothing else: other people's scripts read it.
 */
export function connectionTestFault(exchange: ReceiverExchange): string | undefined {
  if (exchange.type === 'invalid-reply') return 'The server responded in an invalid format';
  if (exchange.type !== 'reply') return errorText(capitalised(transportFault(exchange)));
  if (!isSuccess(exchange.status)) return errorText(`Request error (curl) ${statusLine(exchange)}`);
  return isConnectionTestReply(exchange.body ?? '') ? undefined : 'The server responded in an invalid format';
}

/** `404 - HTTP/1.1 404 Not Found`, as the spec's settings screen shows it. */
const statusLine = (reply: { status: number; statusText: string }): string =>
  `${reply.status} - HTTP/1.1 ${reply.status} ${reply.statusText}`.trimEnd();

function isConnectionTestReply(body: string): boolean {
  try {
    return connectionTestReply.safeParse(JSON.parse(body)).success;
  } catch {
    return false;
  }
}

const isSuccess = (status: number): boolean => status >= 200 && status < 300;

function statusFailure(reply: Extract<ReceiverExchange, { type: 'reply' }>, hint?: string): Outcome {
  const redirect = reply.status >= 300 && reply.status < 400 ? 'redirects are not followed' : undefined;
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

function transportFault(exchange: Exclude<ReceiverExchange, { type: 'reply' }>): string {
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
};

/** A sentence without its period, for the customer who waits for a test's result. */
export const localFaultMessage = ({ cause }: LocalFault): string =>
  `Mailhook could not send the request just now (${LOCAL_FAULTS[cause]}); try again`;
