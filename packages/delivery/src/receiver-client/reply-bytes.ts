import type { Socket } from 'node:net';
import type { CodedText } from '@mailhook/core';
import { coded } from '@mailhook/core';

/** Follows the reply to one request. */
export interface ReplyReader {
  /** The end of the time for the reply, by `performance.now()`. */
  readonly dueMs: number;
  /** Bytes of the reply's body that the parser has passed on. Undefined until the final head is complete. */
  readonly bodyBytes: number | undefined;
  /** The reply breaks a limit. Must destroy the socket. */
  onFlood(detail: CodedText): void;
}

/** Bytes came on a connection while no request awaited a reply. */
export class UnaskedReplyError extends Error {
  override readonly name = 'UnaskedReplyError';
  /** The first bytes. */
  readonly data: string;
  constructor(bytes: Buffer) {
    super('bytes came without a request');
    this.data = bytes.toString('latin1', 0, DATA_BYTES);
  }
}

const DATA_BYTES = 100;

/** Limit of interim replies and empty lines before the final status line. */
const INTERIM_LINES_MAX = 20;
/**
 * Limit of what comes without a byte of the body: interim replies and empty lines, then the final head, and then an
 * extension of a chunk or trailers.
 */
const BARREN_BYTES_MAX = 16 * 1024;
/** Limit of all bytes of a reply but its body, for tiny chunks. */
const OVERHEAD_BYTES_MAX = 64 * 1024;
/** undici's own limit. Those above come first, because undici makes an error for each header beyond its limit. */
export const PARSER_HEADERS_MAX_BYTES = 2 * OVERHEAD_BYTES_MAX;
/** The parser gets no more at a time, so that the limits stop it soon. */
const PIECE_BYTES = 2048;
/** A read from the socket counts as this many bytes besides its own, because a byte alone costs as much. */
const READ_COST_BYTES = 16;

const INTERIM_FLOOD = coded('interim-flood', { lines: INTERIM_LINES_MAX, bytes: BARREN_BYTES_MAX });
const HEAD_FLOOD = coded('long-headers');
const BODY_FLOOD = coded('body-flood');

const STATUS_AT = 'HTTP/1.1 '.length;
const LAST_DIGIT_AT = STATUS_AT + 2;
const [ZERO, ONE, TWO, LINE_FEED, CARRIAGE_RETURN] = Buffer.from('012\n\r');

/**
 * Sees all bytes of a connection before undici's parser does. It
 *
 * - Takes bytes only as the reply to a request that was written before. Other bytes destroy the socket.
 * - Bounds what undici does not: interim replies, empty lines, and everything around a body.
 * - Compares the clock, because a flood delays the timer of the deadline.
 * - Lets undici skip an unrequested `100 Continue`. HTTP allows interim replies before the final one (RFC 9110, section
 *   15.2). undici skips all but status 100, for which it closes the connection. So status 100 is changed to 102.
 */
export class ReplyBytes {
  /** The first bytes of a reply until its head is read, for the cause of a fault. */
  head: Buffer | undefined;
  #reader: ReplyReader | undefined;
  /** What was read from the socket and not yet given to the parser. */
  #rest: Buffer | undefined;
  /** Given to the parser, with the cost of reads. */
  #countedBytes = 0;
  /** The bytes of the body so far, and what was counted when they last grew, or when the final head began. */
  #bodyBytes: number | undefined;
  #fruitfulBytes = 0;
  /** Whether the status line of the final reply is still awaited. Until then these count. */
  #isAwaited = false;
  #emptyLines = 0;
  /** Characters of the current head, and of its current line, without the line ends. */
  #headAt = 0;
  #lineAt = 0;
  #isHundred = false;

  /** Call right before a request is written. The next bytes are then the start of its reply. */
  expect(reader: ReplyReader): void {
    this.head = undefined;
    this.#reader = reader;
    this.#countedBytes = 0;
    this.#bodyBytes = undefined;
    this.#fruitfulBytes = 0;
    this.#isAwaited = true;
    this.#emptyLines = 0;
    this.#headAt = 0;
    this.#lineAt = 0;
  }

  /** Call when the reply is complete. */
  expectNothing(): void {
    this.#reader = undefined;
  }

  /** Intercepts all chunks that undici reads from a new socket. undici reads until it gets null. */
  watch(socket: Socket): void {
    const read = socket.read.bind(socket);
    socket.read = (size?: number): unknown => {
      const reader = this.#reader;
      // Nothing more is read until the timer ends the exchange.
      if (socket.destroyed || (reader !== undefined && performance.now() >= reader.dueMs)) return null;
      const chunk: unknown = this.#rest ?? read(size);
      if (!Buffer.isBuffer(chunk)) return chunk;
      if (reader === undefined) {
        socket.destroy(new UnaskedReplyError(chunk));
        return null;
      }
      if (this.#rest === undefined) this.#countedBytes += READ_COST_BYTES;
      this.#rest = chunk.length > PIECE_BYTES ? chunk.subarray(PIECE_BYTES) : undefined;
      const piece = this.#rest === undefined ? chunk : chunk.subarray(0, PIECE_BYTES);
      const flood = this.#floodOf(piece, reader.bodyBytes);
      if (flood === undefined) return piece;
      reader.onFlood(flood);
      return null;
    };
  }

  /** Counts a piece, and returns which limit is broken. */
  #floodOf(piece: Buffer, bodyBytes: number | undefined): CodedText | undefined {
    if (bodyBytes !== this.#bodyBytes) {
      this.#bodyBytes = bodyBytes;
      this.#fruitfulBytes = this.#countedBytes;
    }
    const isBarren = this.#countedBytes - this.#fruitfulBytes > BARREN_BYTES_MAX;
    if (isBarren && this.#isAwaited) return INTERIM_FLOOD;
    if (isBarren || this.#countedBytes - (bodyBytes ?? 0) > OVERHEAD_BYTES_MAX)
      return bodyBytes === undefined ? HEAD_FLOOD : BODY_FLOOD;
    this.#countedBytes += piece.length;
    if (!this.#isAwaited) return undefined;
    this.head ??= piece;
    return this.#skim(piece) ? undefined : INTERIM_FLOOD;
  }

  /** Follows interim replies up to the final status. Returns whether they are few. */
  #skim(piece: Buffer): boolean {
    for (let at = 0; at < piece.length; at += 1) {
      const byte = piece[at] ?? 0;
      if (this.#headAt === STATUS_AT && byte !== ONE) {
        this.#isAwaited = false;
        this.#fruitfulBytes = this.#countedBytes - piece.length + at;
        return true;
      }
      if (this.#headAt === STATUS_AT + 1) this.#isHundred = byte === ZERO;
      if (this.#headAt === LAST_DIGIT_AT && this.#isHundred && byte === ZERO) piece[at] = TWO ?? 0;
      this.#advance(byte);
      if (this.#emptyLines > INTERIM_LINES_MAX) return false;
    }
    return true;
  }

  /** Follows a byte. After an empty line, the next head begins. */
  #advance(byte: number): void {
    if (byte === CARRIAGE_RETURN) return;
    if (byte !== LINE_FEED) {
      this.#headAt += 1;
      this.#lineAt += 1;
    } else if (this.#lineAt > 0) {
      this.#headAt += 1;
      this.#lineAt = 0;
    } else {
      this.#headAt = 0;
      this.#emptyLines += 1;
    }
  }
}
