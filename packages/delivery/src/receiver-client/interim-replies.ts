import type { Socket } from 'node:net';

const STATUS_AT = 'HTTP/1.1 '.length;
const LAST_DIGIT_AT = STATUS_AT + 2;
const [ZERO, ONE, TWO, LINE_FEED, CARRIAGE_RETURN] = Buffer.from('012\n\r');

/**
 * Lets undici skip an unrequested `100 Continue`. HTTP allows any number of interim replies before the final one (RFC
 * 9110, section 15.2). undici skips all but status 100, for which it closes the connection. Therefore status 100 is
 * changed to 102, which undici skips.
 */
export class InterimReplies {
  /** The first bytes of a reply until its head is read, for the cause of a fault. */
  head: Buffer | undefined;
  /** Whether the status line of the final reply is still awaited. */
  #isAwaited = true;
  /** Bytes read of the current head, and of its current line without the line end. */
  #headAt = 0;
  #lineAt = 0;
  #isHundred = false;

  /** Call before each request. The next bytes are then the start of its reply. */
  expect(): void {
    this.head = undefined;
    this.#isAwaited = true;
    this.#headAt = 0;
    this.#lineAt = 0;
  }

  /** Intercepts all chunks that undici reads from a new socket. */
  watch(socket: Socket): void {
    this.expect();
    const read = socket.read.bind(socket);
    socket.read = (size?: number): unknown => {
      const chunk: unknown = read(size);
      if (this.#isAwaited && Buffer.isBuffer(chunk)) {
        this.head ??= chunk;
        this.#rewrite(chunk);
      }
      return chunk;
    };
  }

  #rewrite(chunk: Buffer): void {
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at] ?? 0;
      if (this.#headAt === STATUS_AT && byte !== ONE) {
        this.#isAwaited = false;
        return;
      }
      if (this.#headAt === STATUS_AT + 1) this.#isHundred = byte === ZERO;
      if (this.#headAt === LAST_DIGIT_AT && this.#isHundred && byte === ZERO) chunk[at] = TWO ?? 0;
      this.#advance(byte);
    }
  }

  /** Counts a byte. After an empty line, the next head begins. */
  #advance(byte: number): void {
    this.#headAt += 1;
    if (byte === CARRIAGE_RETURN) return;
    if (byte !== LINE_FEED) this.#lineAt += 1;
    else if (this.#lineAt > 0) this.#lineAt = 0;
    else this.#headAt = 0;
  }
}
