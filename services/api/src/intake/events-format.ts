import type { IncomingMessage } from 'node:http';
import { plainMediaType, ProblemError } from '@mailhook/platform/http-server';

/** Largest body of `POST /v3/events`. */
export const INTAKE_LIMIT_BYTES = 16 * 1024 * 1024;

export type EventsFormat = 'json' | 'ndjson';

/** Returns the format by content type, or throws a 415 before a byte of the body is read. */
export function formatOf(request: IncomingMessage): EventsFormat {
  const type = plainMediaType(request.headers);
  if (type === 'application/json') return 'json';
  if (type === 'application/x-ndjson') return 'ndjson';
  throw new ProblemError('unsupported_media_type', {
    detail:
      'Send the events as Content-Type: application/json or application/x-ndjson, in UTF-8 and without a Content-Encoding.',
  });
}
