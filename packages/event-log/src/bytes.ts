/** A stored object that is not what this package wrote. Its message names the object, if it is known. */
export class DamagedLogError extends Error {
  override readonly name = 'DamagedLogError';
  /** The object's name, if it is known. */
  readonly object: string | undefined;

  constructor(message: string, { object, cause }: { readonly object?: string; readonly cause?: unknown } = {}) {
    super(message, { cause });
    this.object = object;
  }
}

/** Writes numbers and texts into a growing buffer. */
export class ByteWriter {
  #bytes: Buffer;
  #length = 0;

  constructor(expectedBytes = 256) {
    this.#bytes = Buffer.allocUnsafe(expectedBytes);
  }

  get length(): number {
    return this.#length;
  }

  /** A whole number from 0 to 2^53, in 7 bits per byte. */
  number(value: number): void {
    this.#reserve(8);
    let rest = value;
    while (rest >= 0x80) {
      this.#bytes[this.#length++] = (rest % 0x80) | 0x80;
      rest = Math.floor(rest / 0x80);
    }
    this.#bytes[this.#length++] = rest;
  }

  /** A whole number that may be negative. */
  difference(value: number): void {
    this.number(value < 0 ? -2 * value - 1 : 2 * value);
  }

  text(value: string): void {
    const bytes = Buffer.byteLength(value);
    this.number(bytes);
    this.#reserve(bytes);
    this.#length += this.#bytes.write(value, this.#length);
  }

  bytes(value: Uint8Array): void {
    this.#reserve(value.length);
    this.#bytes.set(value, this.#length);
    this.#length += value.length;
  }

  finish(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#bytes.length) return;
    const grown = Buffer.allocUnsafe(Math.max(2 * this.#bytes.length, this.#length + bytes));
    this.#bytes.copy(grown, 0, 0, this.#length);
    this.#bytes = grown;
  }
}

/** Reads what a `ByteWriter` wrote. @throws DamagedLogError instead of reading beyond the end. */
export class ByteReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  number(): number {
    let value = 0;
    for (let factor = 1; factor <= 2 ** 49; factor *= 0x80) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) break;
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
    throw new DamagedLogError('a number has no end');
  }

  difference(): number {
    const value = this.number();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  text(): string {
    return this.bytes(this.number()).toString();
  }

  bytes(length: number): Buffer {
    const end = this.#at + length;
    if (end > this.#bytes.length) throw new DamagedLogError('a text or list has no end');
    const bytes = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return bytes;
  }

  /** A number of elements that take at least one byte each, so that a damaged one is not a huge loop. */
  count(): number {
    const count = this.number();
    if (count > this.#bytes.length - this.#at) throw new DamagedLogError('a list has no end');
    return count;
  }
}
