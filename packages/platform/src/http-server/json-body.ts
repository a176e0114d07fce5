import express from 'express';
import type { Request, RequestHandler } from 'express';
import { ProblemError } from './problem.ts';

/** Whether the media type is one of the given; parameters (charset) are left to whoever decodes. */
export function hasMediaType(contentType: string | undefined, types: readonly string[]): boolean {
  const media = (contentType ?? '').split(';', 1)[0] ?? '';
  return types.includes(media.trim().toLowerCase());
}

const hasBody = (request: Request): boolean =>
  request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0;

/**
 * Reads a JSON body of any kind of value into `request.body`; a request without a body leaves it undefined. Anything but
 * `application/json` is refused before a byte is parsed (415), then what is too long (413) or no JSON (400).
 */
export function jsonBody(limitBytes: number): RequestHandler {
  const parse: RequestHandler = express.json({ strict: false, limit: limitBytes, type: () => true });
  return (request, response, next) => {
    if (!hasBody(request)) {
      request.body = undefined;
      next();
      return;
    }
    if (!hasMediaType(request.headers['content-type'], ['application/json'])) {
      throw new ProblemError('unsupported_media_type', { detail: 'Send the body as Content-Type: application/json.' });
    }
    parse(request, response, next);
  };
}
