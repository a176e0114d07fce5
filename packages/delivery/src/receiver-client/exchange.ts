import type { IncomingHttpHeaders } from 'node:http';
import type { Exchange } from '@mailhook/core';
import type { Dispatcher } from 'undici';
import type { Connection, Connections } from './connections.ts';
import type { Deadline, Deadlines } from './deadlines.ts';
import { decodeBody, textOf, tooLong } from './decode-body.ts';
import { keptText } from './kept-text.ts';
import { transportFailure } from './transport-failure.ts';

/** A request that can be ended before its deadline. */
export interface RequestHandle {
  /** Ends the request. Its exchange resolves as `cut` if it is still unresolved. Set while the request is in flight. */
  cut: (() => void) | undefined;
}

/** What is known of an exchange, whatever became of it. */
export interface ExchangeFacts {
  readonly durationMs: number;
  /** Whether it went over a connection that had carried another one before. */
  readonly isConnectionReused: boolean;
}

export interface ExchangeRequest {
  readonly origin: string;
  readonly path: string;
  readonly body: string;
  readonly headers: Record<string, string>;
  readonly needsBody: boolean;
  readonly handle?: RequestHandle | undefined;
}

export type TimedExchange = Exchange & ExchangeFacts;

export interface ExchangeDeps {
  readonly connections: Connections;
  /** From the look-up of the name to the last byte of the reply that is needed. */
  readonly deadlines: Deadlines;
  /** For the rest of a reply that nobody needs, so that its socket can be used again. */
  readonly leftovers: Deadlines;
  readonly replyCapBytes: number;
}

const ALL_IN_USE: TimedExchange = {
  type: 'local-fault',
  cause: 'file-descriptors',
  detail: 'all connections that the limit of open files allows are in use',
  durationMs: 0,
  isConnectionReused: false,
};

/** Sends one request; never rejects. */
export const exchange = (deps: ExchangeDeps, request: ExchangeRequest): Promise<TimedExchange> =>
  new Promise((resolve) => {
    const connection = deps.connections.acquire(request.origin);
    if (connection === undefined) {
      resolve(ALL_IN_USE);
      return;
    }
    const handler = new ExchangeHandler(deps, connection, request.needsBody, resolve);
    if (request.handle !== undefined) request.handle.cut = () => handler.cut();
    connection.client.dispatch(
      { path: request.path, method: 'POST', headers: request.headers, body: request.body },
      handler,
    );
  });

type Phase =
  /** The result is open; the deadline runs. */
  | 'waiting'
  /** The result is out; what is left of the reply is read and thrown away, so that the socket stays usable. */
  | 'leftover'
  /** Nothing more is to happen, and the connection is somebody else's, or gone. */
  | 'over';

/**
 * Follows one request through undici. A class for once: undici wants an object with these methods, one a request, and this is the
 * hottest place of the workers.
 */
class ExchangeHandler implements Dispatcher.DispatchHandler, Deadline {
  dueMs = 0;
  readonly #deps: ExchangeDeps;
  readonly #resolve: (result: TimedExchange) => void;
  readonly #needsBody: boolean;
  readonly #connection: Connection;
  #isConnectionReused = false;
  readonly #startedMs: number;
  #phase: Phase = 'waiting';
  #wasSent = false;
  #status = 0;
  #statusText = '';
  #retryAfter: string | undefined;
  #encoding = '';
  #contentType: string | undefined;
  #chunks: Buffer[] = [];
  #receivedBytes = 0;

  constructor(
    deps: ExchangeDeps,
    connection: Connection,
    needsBody: boolean,
    resolve: (result: TimedExchange) => void,
  ) {
    this.#deps = deps;
    this.#connection = connection;
    this.#needsBody = needsBody;
    this.#resolve = resolve;
    this.#startedMs = deps.deadlines.start(this);
  }

  /** Time is up, for the reply or for its leftovers. */
  onDue(): void {
    const isWaiting = this.#phase === 'waiting';
    this.#cut();
    if (isWaiting) this.#settle({ type: 'timeout' });
  }

  /** Ends the exchange, because another request needs its place. */
  cut(): void {
    if (this.#phase !== 'waiting') return;
    this.#cut();
    this.#settle({ type: 'cut' });
  }

  /** undici calls it right before it writes the request. */
  onRequestStart(): void {
    this.#wasSent = true;
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
    statusText?: string,
  ): void {
    if (status < 200 || this.#phase !== 'waiting') return;
    const isDecided = !this.#needsBody || status >= 300;
    if (isDecided && this.#isTooLate()) return;
    this.#status = status;
    this.#isConnectionReused = this.#connection.isUsed;
    this.#statusText = keptText(statusText ?? '');
    this.#retryAfter = keptHeader(headers['retry-after']);
    this.#encoding = oneOf(headers['content-encoding']) ?? '';
    this.#contentType = keptHeader(headers['content-type']);
    // The body of a refusal is never of interest: the status line decides.
    if (!isDecided) return;
    this.#deps.deadlines.stop(this);
    this.#phase = 'leftover';
    this.#deps.leftovers.start(this);
    this.#reply(undefined);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#phase === 'over') return;
    this.#receivedBytes += chunk.length;
    if (this.#receivedBytes > this.#deps.replyCapBytes) {
      if (this.#isTooLate()) return;
      const isWaiting = this.#phase === 'waiting';
      this.#cut();
      if (isWaiting) this.#settle({ type: 'invalid-reply', detail: tooLong(this.#deps.replyCapBytes) });
    } else if (this.#phase === 'waiting') {
      this.#chunks.push(chunk);
    }
  }

  onResponseEnd(): void {
    if (this.#phase === 'over' || this.#isTooLate()) return;
    const isWaiting = this.#phase === 'waiting';
    this.#finish();
    this.#deps.connections.release(this.#connection);
    if (isWaiting) this.#deliverBody();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#phase === 'over' || this.#isTooLate()) return;
    const isWaiting = this.#phase === 'waiting';
    this.#cut();
    if (isWaiting) this.#settle(transportFailure(error, this.#wasSent));
  }

  #deliverBody(): void {
    const [first] = this.#chunks;
    const body = first !== undefined && this.#chunks.length === 1 ? first : Buffer.concat(this.#chunks);
    this.#chunks = [];
    if (this.#encoding === '') {
      this.#reply(textOf(body));
      return;
    }
    void decodeBody(body, this.#encoding, this.#deps.replyCapBytes).then(
      (decoded) => {
        if ('text' in decoded) this.#reply(decoded.text);
        else this.#settle({ type: 'invalid-reply', detail: decoded.fault });
      },
      () => this.#settle({ type: 'invalid-reply', detail: 'its encoding cannot be read' }),
    );
  }

  #reply(body: string | undefined): void {
    this.#settle({
      type: 'reply',
      status: this.#status,
      statusText: this.#statusText,
      retryAfter: this.#retryAfter,
      body,
      contentType: this.#contentType,
    });
  }

  #settle(result: Exchange): void {
    const durationMs = performance.now() - this.#startedMs;
    this.#resolve({ ...result, durationMs, isConnectionReused: this.#isConnectionReused });
  }

  /**
   * Whether the deadline has passed without a result. The timer runs late when many exchanges are due together or the event loop was blocked.
   * The timer still settles this exchange, at its own pace, so that many late replies do not delay the others.
   */
  #isTooLate(): boolean {
    return this.#phase === 'waiting' && performance.now() >= this.dueMs;
  }

  #finish(): void {
    (this.#phase === 'leftover' ? this.#deps.leftovers : this.#deps.deadlines).stop(this);
    this.#phase = 'over';
  }

  /** Ends it now, and the connection with it, made or in the making. */
  #cut(): void {
    this.#finish();
    this.#chunks = [];
    this.#deps.connections.discard(this.#connection);
  }
}

/** A header as one text: undici gives a list for one that was sent twice, whatever its types say. */
const oneOf = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value.join(', ') : value;

function keptHeader(value: string | string[] | undefined): string | undefined {
  const text = oneOf(value);
  return text === undefined ? undefined : keptText(text);
}
