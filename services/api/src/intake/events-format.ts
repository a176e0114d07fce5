import type { IncomingMessage } from 'node:http';
import { EVENTS_PER_REQUEST_MAX } from '@mailhook/core';
import { contentEncoding, ProblemError, sentAs, textMediaType } from '@mailhook/platform/http-server';

/** Largest body of `POST /v3/events`, before and after it is unpacked. */
export const INTAKE_LIMIT_BYTES = 16 * 1024 * 1024;

/** Deepest nesting of a large request or job. */
export const DEPTH_MAX = 1000;
/** Most values in a request or job: fifty per event of the largest request. Half a million values take up to 80 MB. */
export const VALUES_MAX = 50 * EVENTS_PER_REQUEST_MAX;

export type EventsFormat = 'json' | 'ndjson';

const FORMATS = new Map<string | undefined, EventsFormat>([
  ['application/json', 'json'],
  ['application/x-ndjson', 'ndjson'],
]);
/** `x-gzip` is its older name (RFC 9110). */
const PACKED: Readonly<Record<string, boolean>> = { identity: false, gzip: true, 'x-gzip': true };

/** Returns how the events are written, or throws a 415 before a byte of the body is read. */
export function formatOf({ headers }: IncomingMessage): { readonly format: EventsFormat; readonly isPacked: boolean } {
  const format = FORMATS.get(textMediaType(headers));
  const isPacked = PACKED[contentEncoding(headers)];
  if (format !== undefined && isPacked !== undefined) return { format, isPacked };
  throw new ProblemError('unsupported_media_type', {
    detail:
      'Send the events as Content-Type: application/json or application/x-ndjson, in UTF-8, plain or with ' +
      `Content-Encoding: gzip. ${sentAs(headers)}`,
    headers: { 'accept-encoding': 'gzip' },
  });
}
