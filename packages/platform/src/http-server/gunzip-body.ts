import { createGunzip } from 'node:zlib';
import { malformedBody } from './body-text.ts';
import { tooLarge } from './problem.ts';
import { tooBusy } from './read-body.ts';
import type { BodyRules } from './read-body.ts';

const PART_BYTES = 64 * 1024;

/**
 * Unpacks a body. `limitBytes` counts the unpacked bytes, and each part is reserved as it is unpacked, so that a small
 * body that unpacks to a huge one is given up early. Rejects with 413, with 503 when the memory for bodies is used up,
 * and with 400 when the body is not gzip data.
 */
export function gunzipBody(
  packed: Buffer,
  { limitBytes, reservation }: Pick<BodyRules, 'limitBytes' | 'reservation'>,
): Promise<Buffer> {
  const mostBytes = Math.min(limitBytes, reservation.maxBytes - packed.length);
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let bytes = 0;
    const unpacking = createGunzip({ chunkSize: PART_BYTES });
    const refuse = (error: Error): void => {
      unpacking.destroy();
      reject(error);
    };
    unpacking.on('data', (part: Buffer) => {
      bytes += part.length;
      if (bytes > mostBytes) refuse(tooLarge(mostBytes, ' after it is unpacked'));
      else if (reservation.take(part.length)) parts.push(part);
      else {
        reservation.noteRefusal('full');
        refuse(tooBusy());
      }
    });
    unpacking.on('error', (error) => refuse(malformedBody('is not valid gzip data', error)));
    unpacking.on('end', () => resolve(Buffer.concat(parts, bytes)));
    unpacking.end(packed);
  });
}
