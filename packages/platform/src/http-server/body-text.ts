import { isUtf8 } from 'node:buffer';
import { ProblemError } from './problem.ts';

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** The bytes without the byte order mark that some clients send first. */
export const withoutByteOrderMark = (bytes: Buffer): Buffer =>
  bytes.subarray(0, 3).equals(BYTE_ORDER_MARK) ? bytes.subarray(3) : bytes;

/** Describes where a text is not UTF-8, as the end of a sentence. Returns undefined for valid UTF-8. */
export const utf8Fault = (bytes: Buffer): string | undefined =>
  isUtf8(bytes) ? undefined : `is not valid UTF-8: see byte ${firstWrongByte(bytes)}`;

/** A 400 for a body with the fault. */
export const malformedBody = (fault: string, cause?: unknown): ProblemError =>
  new ProblemError('malformed_json', { detail: `The request body ${fault}.`, cause });

const CHARACTER_BYTES_MAX = 4;

/**
 * A bisection, because `isUtf8` is much faster than a loop. A part that ends within a character counts as valid if the
 * character may go on.
 */
function firstWrongByte(bytes: Buffer): number {
  let [valid, wrong] = [0, bytes.length];
  while (wrong - valid > 1) {
    const middle = (valid + wrong) >> 1;
    if (validLength(bytes, middle) === undefined) wrong = middle;
    else valid = middle;
  }
  return validLength(bytes, wrong) ?? validLength(bytes, valid) ?? 0;
}

/**
 * The length of the valid text in the first bytes without a character that they may cut. Undefined if an earlier byte
 * is wrong.
 */
function validLength(bytes: Buffer, end: number): number | undefined {
  for (let length = end; length >= 0 && length > end - CHARACTER_BYTES_MAX; length -= 1)
    if (isUtf8(bytes.subarray(0, length))) return length;
  return undefined;
}
