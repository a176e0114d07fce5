import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { hasMediaType, ProblemError, tooLarge } from '@mailhook/platform/http-server';

/** Largest body of `POST /v3/events`. */
export const INTAKE_LIMIT_BYTES = 16 * 1024 * 1024;

export type EventsFormat = 'json' | 'ndjson';

/** The format by content type, or a 415. Checked before a byte is read. */
export function formatOf(request: IncomingMessage): EventsFormat {
  const type = request.headers['content-type'];
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') {
    throw new ProblemError('unsupported_media_type', { detail: 'Send the events without a Content-Encoding.' });
  }
  const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(type ?? '')?.[1];
  if (charset === undefined || /^utf-?8$/i.test(charset)) {
    if (hasMediaType(type, ['application/json'])) return 'json';
    if (hasMediaType(type, ['application/x-ndjson'])) return 'ndjson';
  }
  throw new ProblemError('unsupported_media_type', {
    detail: 'Send the events as Content-Type: application/json or application/x-ndjson, in UTF-8.',
  });
}

/** The whole body as text. Rejects with 413 as soon as it is known to be too long, and with 400 when it is no UTF-8 or breaks off. */
export function readBody(request: IncomingMessage, limitBytes: number): Promise<string> {
  return new Promise((resolve, reject) => {
    if (Number(request.headers['content-length'] ?? 0) > limitBytes) {
      reject(tooLarge(limitBytes));
      return;
    }
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > limitBytes) {
        request.pause();
        reject(tooLarge(limitBytes));
      } else {
        chunks.push(chunk);
      }
    });
    request.on('end', () => {
      const [only] = chunks;
      const body = chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks);
      if (isUtf8(body)) resolve(body.toString('utf8'));
      else reject(malformed('The request body is not valid UTF-8.'));
    });
    request.on('error', () => reject(malformed('The request broke off.')));
    request.on('aborted', () => reject(malformed('The request broke off.')));
  });
}

export const malformed = (detail: string): ProblemError => new ProblemError('malformed_json', { detail });
