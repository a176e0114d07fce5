import type { IncomingHttpHeaders } from 'node:http';
import type { Exchange } from '@mailhook/core';
import type { Dispatcher } from 'undici';
import type { Connection, Connections } from './connections.ts';
import type { Deadline, Deadlines } from './deadlines.ts';
import { decodeBody, textOf, tooLong } from './decode-body.ts';
import { sanitizeHeader } from './sanitize-header.ts';
import { transportFailure } from './transport-failure.ts';

/** A request that can be ended before its deadline. */
export interface RequestHandle {
  /** Ends the request. Its exchange resolves as `cut` if it is still unresolved. Set while the request is in flight. */
  cut: (() => void) | undefined;
}

/** Facts about an exchange that do not depend on its result. */
export interface ExchangeFacts {
  readonly durationMs: number;
  /** Whether its connection had carried another exchange before. */
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
  /** From the lookup of the name to the last byte that the result needs. */
  readonly deadlines: Deadlines;
  /** For reading the unneeded rest of a reply, so that the connection can be used again. */
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

/** Sends one request. Never rejects. */
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
  /** There is no result yet, and the deadline runs. */
  | 'waiting'
  /** The result is known. The rest of the reply is read and ignored, so that the connection stays usable. */
  | 'leftover'
  /** The exchange has ended, and its connection is released or destroyed. */
  | 'over';

/**
 * Follows one request through undici, which needs an object with these methods per request. A class, because this is the hottest path of the
 * workers.
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

  /** Runs when the time for the reply, or for its unneeded rest, is over. */
  onDue(): void {
    const isWaiting = this.#phase === 'waiting';
    this.#cut();
    if (isWaiting) this.#settle({ type: 'timeout' });
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
    this.#statusText = sanitizeHeader(statusText ?? '');
    this.#retryAfter = keptHeader(headers['retry-after']);
    this.#encoding = oneOf(headers['content-encoding']) ?? '';
    this.#contentType = keptHeader(headers['content-type']);
    // If the status is not 2xx or no body is needed, the status line decides.
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
   * Whether the deadline has passed without a result. The timer runs late when many exchanges are due together or the event loop was blocked. It
   * still ends this exchange, a few at a time, so that many late replies do not delay the others.
   */
  #isTooLate(): boolean {
    return this.#phase === 'waiting' && performance.now() >= this.dueMs;
  }

  #finish(): void {
    (this.#phase === 'leftover' ? this.#deps.leftovers : this.#deps.deadlines).stop(this);
    this.#phase = 'over';
  }

  /** Ends the exchange now and destroys its connection, even one that is still being made. */
  #cut(): void {
    this.#finish();
    this.#chunks = [];
    this.#deps.connections.discard(this.#connection);
  }
}

/** A header as one string. For a repeated header undici passes a list, which its types do not always show. */
const oneOf = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value.join(', ') : value;

function keptHeader(value: string | string[] | undefined): string | undefined {
  const text = oneOf(value);
  return text === undefined ? undefined : sanitizeHeader(text);
}
