import type { AttemptReply } from '../contracts/delivery.ts';
import { escapeUnseen } from './unseen.ts';

/** What a request got back, as received. */
export interface ReceivedReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The first bytes of the body, perhaps compressed. */
  readonly body: Uint8Array;
  /** Whether `body` is the whole body. */
  readonly isWhole: boolean;
}

/** The headers that help to find a fault. Others, such as cookies, are not kept. */
const KEPT_HEADERS = [
  'content-type',
  'content-length',
  'content-encoding',
  'location',
  'sg-captcha',
  'cf-mitigated',
  'retry-after',
  'server',
] as const;
const HEADER_MAX = 200;
/** Other values of Content-Encoding stand before plain text in practice. */
const COMPRESSION = /\b(?:gzip|deflate|br|zstd|compress)\b/;

/**
 * The part of a reply that the attempt log keeps, as plain text that is safe to show. A compressed body is left out.
 */
export function attemptReplyOf({ status, headers, body, isWhole }: ReceivedReply): AttemptReply {
  const kept = KEPT_HEADERS.flatMap((name) => {
    const value = headers[name];
    return value === undefined ? [] : [[name, plainHeader([value].flat().join(', '))] as const];
  });
  const encoding = [headers['content-encoding'] ?? ''].flat().join(', ').trim().toLowerCase();
  const isText = !COMPRESSION.test(encoding);
  const text = isText ? plainText(body, isWhole) : { text: '', isWhole: body.length === 0 };
  return { status, headers: Object.fromEntries(kept), body: text.text, isBodyWhole: isWhole && text.isWhole };
}

const plainHeader = (value: string): string => value.slice(0, HEADER_MAX).replace(/[^\x20-\x7e]/gu, '?');

/** A text that fits in a row however the body looks. Escapes and replacements make binary data longer. */
const TEXT_BYTES_MIN = 1024;

/** Decodes UTF-8 and escapes characters that nobody sees. */
function plainText(bytes: Uint8Array, isBodyWhole: boolean): { text: string; isWhole: boolean } {
  // As a stream, the decoder leaves out a character that was cut.
  const decoded = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: !isBodyWhole });
  let room = Math.max(bytes.length, TEXT_BYTES_MIN);
  let text = '';
  for (const character of decoded.replaceAll('\r\n', '\n')) {
    const shown = escapeUnseen(character);
    room -= Buffer.byteLength(shown);
    if (room < 0) return { text, isWhole: false };
    text += shown;
  }
  return { text, isWhole: true };
}
