import type { IncomingMessage, ServerResponse } from 'node:http';
import type { BodyRefusal, BodyReservation } from './body-budget.ts';
import { ProblemError, tooLarge, unavailable } from './problem.ts';

export interface BodyRules {
  readonly limitBytes: number;
  /** The caller must release a read body after the reply. Of a refused one, nothing stays reserved. */
  readonly reservation: BodyReservation;
  /** The longest pause between two parts of the body. */
  readonly idleMs?: number;
  /** The longest time from the first part to the last. */
  readonly withinMs?: number;
}

const IDLE_MS = 10_000;
const WITHIN_MS = 60_000;
const RETRY_SECONDS = 2;
const NOTHING: Buffer = Buffer.alloc(0);

/**
 * Reads the whole body. Reserves memory as bytes arrive, so that a large Content-Length alone cannot use up the budget.
 * A connection closes after the reply if part of the body is unread.
 *
 * Rejects with 413 as soon as the body is known to be too long, and with 503 when the budget is used up. Rejects with
 * 408 when the body is too slow, and with 400 when it breaks off.
 */
export function readBody(request: IncomingMessage, response: ServerResponse, rules: BodyRules): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    new BodyReader(request, response, rules, resolve, reject).start();
  });
}

class BodyReader {
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #rules: BodyRules;
  readonly #resolve: (body: Buffer) => void;
  readonly #reject: (error: ProblemError) => void;
  readonly #declaredBytes: number;
  readonly #mostBytes: number;
  #buffer = NOTHING;
  #bytes = 0;
  #idle: NodeJS.Timeout | undefined;
  #endsMs = 0;
  #isWhole = false;
  #isOver = false;

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    rules: BodyRules,
    resolve: (body: Buffer) => void,
    reject: (error: ProblemError) => void,
  ) {
    this.#request = request;
    this.#response = response;
    this.#rules = rules;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#declaredBytes = Number(request.headers['content-length'] ?? Number.NaN);
    this.#mostBytes = Math.min(rules.limitBytes, rules.reservation.maxBytes);
  }

  start(): void {
    const brokeOff = (): void => {
      if (!this.#isOver)
        this.#refuse(
          new ProblemError('malformed_json', {
            detail: 'The connection closed before the whole body arrived. Send the request again.',
          }),
        );
    };
    if (this.#request.destroyed) brokeOff();
    else if (this.#declaredBytes > this.#mostBytes) this.#refuse(tooLarge(this.#mostBytes));
    else {
      this.#request.on('data', (chunk: Buffer) => this.#add(chunk));
      this.#request.on('end', () => this.#end());
      // Node emits 'error' for a request only if there is a listener for it.
      this.#request.on('close', brokeOff);
    }
  }

  #add(chunk: Buffer): void {
    if (this.#isOver) return;
    const bytes = this.#bytes + chunk.length;
    this.#isWhole = bytes === this.#declaredBytes;
    if (bytes > this.#mostBytes) this.#refuse(tooLarge(this.#mostBytes));
    else if (!this.#keep(chunk, bytes)) this.#refuseAs('full', tooBusy());
    else if (!this.#isWhole) this.#awaitMore();
  }

  /**
   * Copies the parts into one buffer. If a body arrives byte by byte, separate parts would take hundreds of times its
   * length.
   */
  #keep(chunk: Buffer, bytes: number): boolean {
    if (bytes > this.#buffer.length) {
      const isFirst = this.#bytes === 0;
      const size = isFirst ? bytes : this.#grownSize(bytes);
      if (!this.#rules.reservation.take(size - this.#buffer.length)) return false;
      if (isFirst) {
        this.#buffer = chunk;
        this.#bytes = bytes;
        return true;
      }
      const grown = Buffer.allocUnsafe(size);
      this.#buffer.copy(grown, 0, 0, this.#bytes);
      this.#buffer = grown;
    }
    chunk.copy(this.#buffer, this.#bytes);
    this.#bytes = bytes;
    return true;
  }

  /** Twice the bytes that have arrived, but at most the declared length. */
  #grownSize(bytes: number): number {
    const mostBytes = this.#declaredBytes >= bytes ? this.#declaredBytes : this.#mostBytes;
    return Math.min(2 * bytes, mostBytes);
  }

  #awaitMore(): void {
    const nowMs = performance.now();
    const { idleMs = IDLE_MS, withinMs = WITHIN_MS } = this.#rules;
    if (this.#idle === undefined) {
      this.#endsMs = nowMs + withinMs;
      this.#idle = setTimeout(() => this.#refuseAs('slow', tooSlow()), idleMs);
    } else if (nowMs > this.#endsMs) this.#refuseAs('slow', tooSlow());
    else this.#idle.refresh();
  }

  #end(): void {
    if (this.#isOver) return;
    this.#finish();
    this.#resolve(this.#buffer.subarray(0, this.#bytes));
  }

  #refuseAs(reason: BodyRefusal, error: ProblemError): void {
    this.#rules.reservation.noteRefusal(reason);
    this.#refuse(error);
  }

  #refuse(error: ProblemError): void {
    this.#finish();
    this.#buffer = NOTHING;
    // The reply may end only after the rest of the body.
    this.#rules.reservation.release();
    // Otherwise the client would have to send the whole body before its next request.
    const isHere = this.#isWhole || this.#request.complete;
    if (!isHere && !this.#response.headersSent) this.#response.setHeader('connection', 'close');
    this.#request.resume();
    this.#reject(error);
  }

  #finish(): void {
    this.#isOver = true;
    clearTimeout(this.#idle);
  }
}

/** The reply when the memory for bodies is used up. */
export const tooBusy = (): ProblemError =>
  unavailable('The server has no memory for another request body. Send the request again in a moment.', RETRY_SECONDS);

const tooSlow = (): ProblemError =>
  new ProblemError('request_timeout', { detail: 'The request body took too long to arrive. Send the request again.' });
