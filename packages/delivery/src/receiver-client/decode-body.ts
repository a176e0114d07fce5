import { promisify } from 'node:util';
import { brotliDecompress, constants, inflateRaw, unzip } from 'node:zlib';
import { coded, quote, readBody } from '@mailhook/core';
import type { CodedText } from '@mailhook/core';

const decoders = {
  unzip: promisify(unzip),
  inflateRaw: promisify(inflateRaw),
  brotli: promisify(brotliDecompress),
} as const;

export type Decoded = { readonly text: string } | { readonly fault: CodedText };

/** Each coding can unpack up to the limit of a reply, so a list of many would cost much CPU time. */
const CODINGS_MAX = 3;

/**
 * The text of a reply's body, decoded by its Content-Encoding. Never holds more than `capBytes` of decoded data, so a
 * decompression bomb does no harm. Some software names a coding, or something that is none, although nothing is
 * encoded. So a body that is JSON as it came is taken as it is.
 */
export async function decodeBody(body: Buffer, encoding: string, capBytes: number): Promise<Decoded> {
  const codings = codingsOf(encoding);
  if (codings.length > CODINGS_MAX) return { fault: coded('many-encodings') };
  const isUnknown = codings.some((coding) => decoderOf(coding, body) === undefined);
  try {
    const text = textOf(await decoded(body, codings, { maxOutputLength: capBytes }));
    if (!isUnknown || isJson(text)) return { text };
    return { fault: coded('unknown-encoding', { quote: quote(encoding, ENCODING_SHOWN_MAX) }) };
  } catch (error) {
    const isTooLong = Reflect.get(Object(error), 'code') === 'ERR_BUFFER_TOO_LARGE';
    if (isTooLong) return { fault: tooLong(capBytes) };
    return isJson(textOf(body)) ? { text: textOf(body) } : { fault: coded('not-decompressed') };
  }
}

const ENCODING_SHOWN_MAX = 40;

const FLUSH = { finishFlush: constants.Z_SYNC_FLUSH };
const BROTLI_FLUSH = { finishFlush: constants.BROTLI_OPERATION_FLUSH };

/** The text of the start of a body. Undefined if it cannot be decoded. */
export async function decodeStart(start: Buffer, encoding: string, capBytes: number): Promise<string | undefined> {
  const codings = codingsOf(encoding).slice(0, CODINGS_MAX);
  const limit = { maxOutputLength: capBytes };
  return decoded(start, codings, { ...limit, ...FLUSH }, { ...limit, ...BROTLI_FLUSH }).then(textOf, () => undefined);
}

export const tooLong = (capBytes: number): CodedText => coded('long-body', { bytes: String(capBytes) });

/** Decodes UTF-8 and removes a byte order mark, which some editors put at the start of a PHP file. */
export function textOf(body: Buffer): string {
  const text = body.toString('utf8');
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

const isJson = (text: string): boolean => readBody(text).shape !== 'text';

/** The codings of a body in the order in which they were applied. */
const codingsOf = (encoding: string): string[] =>
  encoding
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity');

type Options = Parameters<typeof decoders.unzip>[1];

/** Removes the codings, the last one first, and leaves out unknown ones. */
async function decoded(body: Buffer, codings: readonly string[], options: Options, brotli = options): Promise<Buffer> {
  let bytes = body;
  for (const coding of codings.toReversed()) {
    const decoder = decoderOf(coding, bytes);
    if (decoder !== undefined) bytes = await decoders[decoder](bytes, decoder === 'brotli' ? brotli : options);
  }
  return bytes;
}

function decoderOf(coding: string, body: Buffer): keyof typeof decoders | undefined {
  switch (coding) {
    case 'gzip':
    case 'x-gzip':
      return 'unzip';
    case 'deflate':
      // The standard requires the zlib format, but some servers send raw deflate data. The low four bits of zlib's
      // first byte are 8.
      return ((body[0] ?? 0) & 0x0f) === 8 ? 'unzip' : 'inflateRaw';
    case 'br':
      return 'brotli';
    default:
      return undefined;
  }
}
