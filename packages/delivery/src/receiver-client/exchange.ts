import type { IncomingHttpHeaders } from 'node:http';
import { coded, isPageType } from '@mailhook/core';
import type { CodedText, Exchange, LocalFault, ReceivedReply } from '@mailhook/core';
import type { Dispatcher } from 'undici';
import type { Connection, Connections } from './connections.ts';
import type { Deadline, Deadlines } from './deadlines.ts';
import { namesAndValues } from './delivery-headers.ts';
import type { SentHeaders } from './delivery-headers.ts';
import { decodeBody, decodeStart, textOf, tooLong } from './decode-body.ts';
import { sanitizeHeader } from './sanitize-header.ts';
import { notConnected, transportFailure } from './transport-failure.ts';
import type { ReplyReader } from './reply-bytes.ts';
import type { InTurn } from './turns.ts';

/** A request that can be ended before its deadline. */
export interface RequestHandle {
  /** Ends the request. Its exchange resolves as `cut` if it is still unresolved. Set while the request is in flight. */
  cut: (() => void) | undefined;
  /** It waits for its turn to make a TLS connection. This time is not the receiver's. */
  isInLine: boolean;
}

/** Facts about an exchange that do not depend on its result. */
export interface ExchangeFacts {
  readonly durationMs: number;
  /** Whether its connection had carried another exchange before. */
  readonly isConnectionReused: boolean;
  /** Whether a connection was made and the request was written to it. */
  readonly wasSent: boolean;
  /** The headers of the request, with its signatures and the values of custom headers. */
  readonly headers: SentHeaders;
  /** Set if the request was written twice, because a reused connection broke before the first byte of a reply. */
  readonly isRepeated?: true;
  /**
   * What arrived of a reply, also of one that timed out or could not be read. Only if the client keeps the starts of
   * replies.
   */
  readonly received?: ReceivedReply | undefined;
}

export interface ExchangeRequest {
  /** Connections are not shared between accounts, and they take turns with TLS handshakes. */
  readonly account: string;
  readonly origin: string;
  readonly path: string;
  readonly body: string;
  readonly headers: SentHeaders;
  readonly needsBody: boolean;
  readonly readsStart: boolean;
  readonly handle: RequestHandle | undefined;
}

export type TimedExchange = Exchange & ExchangeFacts;

export interface ExchangeDeps {
  readonly connections: Connections;
  readonly handshakes: InTurn;
  /** Counts the exchanges without a result. */
  readonly inFlight: { count: number };
  /** From the lookup of the name to the last byte that the result needs. Waiting in line does not count. */
  readonly deadlines: Deadlines;
  /** For reading the unneeded rest of a reply, so that the connection can be used again. */
  readonly leftovers: Deadlines;
  readonly replyCapBytes: number;
  /** Bytes of a reply's body that `ExchangeFacts.received` has. With 0 it is undefined. */
  readonly replyExcerptBytes: number;
}

/** Bytes of a body that `readsStart` waits for. The title of a page stands before. */
const START_BYTES = 4096;
/** Headers of bot protections that answer in place of the receiver (SiteGround, Cloudflare). */
const CHALLENGE_HEADERS = ['sg-captcha', 'cf-mitigated'] as const;

const ALL_IN_USE: Omit<TimedExchange & LocalFault, 'headers'> = {
  type: 'local-fault',
  cause: 'file-descriptors',
  detail: 'all connections that the limit of open files allows are in use',
  durationMs: 0,
  isConnectionReused: false,
  wasSent: false,
};

/** Sends one request. Never rejects. */
export const exchange = (deps: ExchangeDeps, request: ExchangeRequest): Promise<TimedExchange> =>
  new Promise((resolve) => {
    const connection = deps.connections.acquire(request.account, request.origin);
    if (connection === undefined) {
      resolve({ ...ALL_IN_USE, headers: request.headers });
      return;
    }
    const handler = new ExchangeHandler(deps, connection, request, resolve);
    if (request.handle !== undefined) request.handle.cut = () => handler.cut();
    handler.start();
  });

type Phase =
  /** There is no result yet, and the deadline runs. */
  | 'waiting'
  /** The result is known. The rest of the reply is read and ignored, so that the connection stays usable. */
  | 'leftover'
  /** The exchange has ended, and its connection is released or destroyed. */
  | 'over';

/**
 * Follows one request through undici, which needs an object with these methods per request. A class, because this is
 * the hottest path of the workers.
 */
class ExchangeHandler implements Dispatcher.DispatchHandler, Deadline, ReplyReader {
  dueMs = 0;
  readonly #deps: ExchangeDeps;
  readonly #resolve: (result: TimedExchange) => void;
  readonly #request: ExchangeRequest;
  readonly #needsBody: boolean;
  readonly #readsStart: boolean;
  #connection: Connection;
  #isConnectionReused = false;
  #isRepeated = false;
  #startedMs: number;
  #phase: Phase = 'waiting';
  #wasSent = false;
  #status = 0;
  #statusText = '';
  #retryAfter: string | undefined;
  #headers: IncomingHttpHeaders = {};
  #encoding = '';
  #contentType: string | undefined;
  #chunks: Buffer[] = [];
  #receivedBytes = 0;
  /** When the status line decided. Undefined while it has not. */
  #decidedMs: number | undefined;
  #isSettled = false;
  #isEnded = false;

  constructor(
    deps: ExchangeDeps,
    connection: Connection,
    request: ExchangeRequest,
    resolve: (result: TimedExchange) => void,
  ) {
    this.#deps = deps;
    this.#connection = connection;
    this.#request = request;
    this.#needsBody = request.needsBody;
    this.#readsStart = request.readsStart;
    this.#resolve = resolve;
    deps.inFlight.count += 1;
    this.#startedMs = performance.now();
  }

  start(): void {
    if (this.#connection.address === undefined) this.#connectAndDispatch();
    else this.#dispatchIfCurrent();
  }

  /** Sends the request, on a new connection if the name no longer leads to the address of this one. */
  #dispatchIfCurrent(): void {
    this.#startDeadline();
    const isCurrent = this.#deps.connections.isCurrent(this.#connection);
    if (isCurrent === true) this.#dispatchOnKept();
    else if (isCurrent === false) this.#dispatchOnNewConnection();
    else {
      void isCurrent.then((isStill) => {
        if (this.#phase !== 'waiting') return;
        if (isStill) this.#dispatchOnKept();
        else this.#dispatchOnNewConnection();
      });
    }
  }

  /**
   * undici writes a request to a used socket in the next immediate. From one immediate to the next, the event loop
   * reads all sockets. So bytes that have come by now are seen, and destroy the socket before the request is written.
   */
  #dispatchOnKept(): void {
    setImmediate(() => {
      if (this.#phase !== 'waiting') return;
      if (this.#deps.connections.isFree(this.#connection)) this.#dispatch();
      else this.#dispatchOnNewConnection();
    });
  }

  #dispatch(): void {
    const { path, body } = this.#request;
    this.#connection.client.dispatch(
      { path, method: 'POST', headers: namesAndValues(this.#request.headers), body },
      this,
    );
  }

  #dispatchOnNewConnection(): void {
    this.#connection = this.#deps.connections.replace(this.#connection);
    this.#connectAndDispatch();
  }

  #connectAndDispatch(): void {
    if (!this.#connection.origin.startsWith('https:')) {
      this.#startDeadline();
      this.#dispatch();
      return;
    }
    this.#setInLine(true);
    this.#deps.handshakes(this.#request.account, () => {
      if (this.#phase !== 'waiting') return false;
      this.#setInLine(false);
      this.#startDeadline();
      this.#dispatch();
      return true;
    });
  }

  /** Does nothing if it runs: a request that is sent again keeps its deadline. */
  #startDeadline(): void {
    if (this.dueMs === 0) this.#startedMs = this.#deps.deadlines.start(this);
  }

  #setInLine(isInLine: boolean): void {
    if (this.#request.handle !== undefined) this.#request.handle.isInLine = isInLine;
  }

  /** Runs when the time for the reply, or for its unneeded rest, is over. */
  onDue(): void {
    const isAccepted = this.#connection.address !== undefined;
    this.#fail(this.#wasSent ? { type: 'timeout' } : notConnected(isAccepted));
  }

  onFlood(detail: CodedText): void {
    this.#fail({ type: 'invalid-reply', detail });
  }

  get bodyBytes(): number | undefined {
    return this.#status === 0 ? undefined : this.#receivedBytes;
  }

  /** Ends the exchange, because other requests need its resources. */
  cut(): void {
    if (this.#phase !== 'waiting') return;
    this.#cut();
    this.#settle({ type: 'cut' });
  }

  /** undici calls this method right before it writes the request. */
  onRequestStart(): void {
    this.#wasSent = true;
    this.#connection.replyBytes.expect(this);
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
    statusText?: string,
  ): void {
    if (status < 200 || this.#phase !== 'waiting') return;
    this.#connection.replyBytes.head = undefined;
    const isDecided = !this.#needsBody || status >= 300;
    this.#status = status;
    this.#isConnectionReused = this.#connection.isUsed;
    this.#statusText = sanitizeHeader(statusText ?? '');
    this.#retryAfter = keptHeader(headers['retry-after']);
    this.#headers = headers;
    this.#encoding = oneOf(headers['content-encoding']) ?? '';
    this.#contentType = keptHeader(headers['content-type']);
    // If the status is not 2xx or no body is needed, the status line decides.
    if (!isDecided) return;
    this.#deps.deadlines.stop(this);
    this.#phase = 'leftover';
    this.#deps.leftovers.start(this);
    this.#decidedMs = performance.now();
    if (this.#readsStart) return;
    // undici passes all data that it has read before a microtask runs. So the start of the body is known without
    // waiting for it.
    const isKept = this.#deps.replyExcerptBytes > 0 && (status >= 300 || isPageType(headers));
    if (isKept) queueMicrotask(() => this.#reply(undefined));
    else this.#reply(undefined);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#phase === 'over') return;
    this.#receivedBytes += chunk.length;
    if (this.#receivedBytes > this.#deps.replyCapBytes) {
      this.#fail({ type: 'invalid-reply', detail: tooLong(this.#deps.replyCapBytes) });
    } else if (!this.#isSettled) {
      this.#chunks.push(chunk);
    }
    const isStartThere = this.#receivedBytes >= Math.max(START_BYTES, this.#deps.replyExcerptBytes);
    if (isStartThere && this.#phase !== 'waiting') this.#replyWithStart();
  }

  onResponseEnd(): void {
    if (this.#phase === 'over' || this.#isTooLate()) return;
    const isWaiting = this.#phase === 'waiting';
    this.#isEnded = true;
    this.#finish();
    this.#deps.connections.release(this.#connection);
    if (isWaiting) this.#deliverBody();
    else this.#replyWithStart();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#phase === 'over' || this.#isTooLate()) return;
    const isKeptAndGone = this.#connection.isUsed && !this.#wasSent;
    if (isKeptAndGone || this.#isStale()) {
      this.#isRepeated = !isKeptAndGone;
      this.#wasSent = false;
      this.#dispatchOnNewConnection();
      return;
    }
    this.#fail(this.#failure(error));
  }

  /**
   * Whether a reused connection broke before the first byte of a reply. A receiver may close an idle connection at any
   * time, also while a request is in flight, so the request is sent again, once. If the receiver has seen it, the
   * `webhook-id` shows the repeat (docs/decisions/0072).
   */
  #isStale(): boolean {
    const { isUsed, replyBytes } = this.#connection;
    const hasReply = this.#status !== 0 || replyBytes.head !== undefined;
    return this.#wasSent && isUsed && !this.#isRepeated && !hasReply;
  }

  #failure(error: Error): Exchange {
    const { socketError, address, isUsed, origin, replyBytes } = this.#connection;
    const head = { bytes: replyBytes.head, isHttps: origin.startsWith('https'), isFirst: !isUsed };
    const isAccepted = address !== undefined;
    return transportFailure(socketError ?? error, this.#wasSent, isAccepted, this.#status === 0 ? head : undefined);
  }

  /** Resolves with a decided reply that waited for the start of its body. Does nothing if it is resolved. */
  #replyWithStart(): void {
    if (this.#isSettled || !this.#readsStart) return;
    const body = joined(this.#chunks);
    this.#chunks = [body];
    this.#isSettled = true;
    const start = body.subarray(0, START_BYTES);
    const isSeen = this.#isEnded || start.length > 0;
    if (!isSeen || this.#encoding === '') {
      this.#reply(isSeen ? textOf(start) : undefined);
      return;
    }
    void decodeStart(start, this.#encoding, this.#deps.replyCapBytes).then((text) => this.#reply(text));
  }

  #deliverBody(): void {
    const body = joined(this.#chunks);
    this.#chunks = [body];
    if (this.#encoding === '') {
      this.#reply(textOf(body));
      return;
    }
    void decodeBody(body, this.#encoding, this.#deps.replyCapBytes).then(
      (decoded) => {
        if ('text' in decoded) this.#reply(decoded.text);
        else this.#settle({ type: 'invalid-reply', detail: decoded.fault });
      },
      () => this.#settle({ type: 'invalid-reply', detail: coded('unread-encoding') }),
    );
  }

  #reply(body: string | undefined): void {
    this.#end({
      type: 'reply',
      status: this.#status,
      statusText: this.#statusText,
      retryAfter: this.#retryAfter,
      body,
      contentType: this.#contentType,
      challenge: !this.#readsStart ? undefined : CHALLENGE_HEADERS.find((name) => this.#headers[name] !== undefined),
      durationMs: (this.#decidedMs ?? performance.now()) - this.#startedMs,
      ...this.#facts(),
    });
  }

  #settle(result: Exchange): void {
    this.#end({ ...result, durationMs: performance.now() - this.#startedMs, ...this.#facts() });
  }

  #facts(): Omit<ExchangeFacts, 'durationMs'> {
    return {
      isConnectionReused: this.#isConnectionReused,
      wasSent: this.#wasSent || this.#isRepeated,
      headers: this.#request.headers,
      received: this.#received(),
      ...(this.#isRepeated ? { isRepeated: true } : {}),
    };
  }

  #end(result: TimedExchange): void {
    this.#isSettled = true;
    this.#chunks = [];
    this.#deps.inFlight.count -= 1;
    this.#resolve(result);
  }

  #received(): ReceivedReply | undefined {
    const { replyExcerptBytes } = this.#deps;
    if (this.#status === 0 || replyExcerptBytes === 0) return undefined;
    return {
      status: this.#status,
      headers: this.#headers,
      body: joined(this.#chunks).subarray(0, replyExcerptBytes),
      isWhole: this.#isEnded && this.#receivedBytes <= replyExcerptBytes,
    };
  }

  /**
   * Whether the deadline has passed without a result. The timer runs late when many exchanges are due together or the
   * event loop was blocked. It still ends this exchange, a few at a time, so that many late replies do not delay the
   * others.
   */
  #isTooLate(): boolean {
    return this.#phase === 'waiting' && performance.now() >= this.dueMs;
  }

  /** Ends the exchange, without a result if it has one: only the unneeded rest of the reply is missing then. */
  #fail(failure: Exchange): void {
    const isWaiting = this.#phase === 'waiting';
    this.#cut();
    if (isWaiting) this.#settle(failure);
    else this.#replyWithStart();
  }

  #finish(): void {
    (this.#phase === 'leftover' ? this.#deps.leftovers : this.#deps.deadlines).stop(this);
    this.#phase = 'over';
  }

  /** Ends the exchange now and destroys its connection, even one that is still being made. */
  #cut(): void {
    this.#finish();
    this.#deps.connections.discard(this.#connection);
  }
}

/** Copies nothing if there is only one chunk, which is usual. */
const joined = ([first, ...others]: readonly Buffer[]): Buffer =>
  first !== undefined && others.length === 0 ? first : Buffer.concat(first === undefined ? [] : [first, ...others]);

/** A header as one string. For a repeated header undici passes a list, which its types do not always show. */
const oneOf = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value.join(', ') : value;

function keptHeader(value: string | string[] | undefined): string | undefined {
  const text = oneOf(value);
  return text === undefined ? undefined : sanitizeHeader(text);
}
