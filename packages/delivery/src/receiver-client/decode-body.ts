import { promisify } from 'node:util';
import { brotliDecompress, inflateRaw, unzip } from 'node:zlib';

const decoders = {
  unzip: promisify(unzip),
  inflateRaw: promisify(inflateRaw),
  brotli: promisify(brotliDecompress),
} as const;

export type Decoded = { readonly text: string } | { readonly fault: string };

/**
 * The text of a reply's body, decoded by its Content-Encoding. Never holds more than `capBytes` of decoded data, so a decompression bomb does no
 * harm.
 */
export async function decodeBody(body: Buffer, encoding: string, capBytes: number): Promise<Decoded> {
  const decoder = decoderOf(encoding.trim().toLowerCase(), body);
  if (decoder === undefined) return { fault: 'its Content-Encoding is unknown' };
  if (decoder === 'identity') return { text: textOf(body) };
  try {
    return { text: textOf(await decoders[decoder](body, { maxOutputLength: capBytes })) };
  } catch (error) {
    const isTooLong = Reflect.get(Object(error), 'code') === 'ERR_BUFFER_TOO_LARGE';
    return { fault: isTooLong ? tooLong(capBytes) : 'its body cannot be decompressed' };
  }
}

export const tooLong = (capBytes: number): string => `its body is longer than ${capBytes} bytes`;

/** Decodes UTF-8 and removes a byte order mark, which some editors put at the start of a PHP file. */
export function textOf(body: Buffer): string {
  const text = body.toString('utf8');
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

function decoderOf(encoding: string, body: Buffer): keyof typeof decoders | 'identity' | undefined {
  switch (encoding) {
    case '':
    case 'identity':
      return 'identity';
    case 'gzip':
    case 'x-gzip':
      return 'unzip';
    case 'deflate':
      // The standard requires the zlib format, but some servers send raw deflate data. The low four bits of zlib's first byte are 8.
      return ((body[0] ?? 0) & 0x0f) === 8 ? 'unzip' : 'inflateRaw';
    case 'br':
      return 'brotli';
    default:
      return undefined;
  }
}
