import type { IncomingMessage } from 'node:http';
import { EVENTS_PER_REQUEST_MAX } from '@mailhook/core';
import { plainMediaType, ProblemError } from '@mailhook/platform/http-server';

/** Largest body of `POST /v3/events`. */
export const INTAKE_LIMIT_BYTES = 16 * 1024 * 1024;

/** Deepest nesting of a large request or job. */
export const DEPTH_MAX = 1000;
/** Most values in a request or job: fifty per event of the largest request. Half a million values take up to 80 MB. */
export const VALUES_MAX = 50 * EVENTS_PER_REQUEST_MAX;

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
