import type { IncomingHttpHeaders } from 'node:http';
import type { Request, RequestHandler, Response } from 'express';
import type { BodyReservation } from './body-budget.ts';
import { measureJson } from './json-shape.ts';
import { ProblemError } from './problem.ts';
import { readBody, tooBusy } from './read-body.ts';
import { whenAnswered } from './when-answered.ts';

/** The media type of a body in plain UTF-8. Undefined if the body is compressed or in another charset. */
export function plainMediaType(headers: IncomingHttpHeaders): string | undefined {
  const { 'content-encoding': encoding = 'identity', 'content-type': type = '' } = headers;
  // The fast path for nearly every request.
  if (type === 'application/json' && encoding === 'identity') return type;
  const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(type)?.[1] ?? 'utf-8';
  if (encoding.toLowerCase() !== 'identity' || !/^utf-?8$/i.test(charset)) return undefined;
  return (type.split(';', 1)[0] ?? '').trim().toLowerCase();
}

const hasBody = (request: Request): boolean =>
  request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0;

interface JsonBodyOptions {
  readonly limitBytes: number;
  readonly reserve: (request: Request, response: Response) => BodyReservation;
}

/**
 * Reads a JSON body into `request.body`, which stays undefined for a request without a body. Refuses other media types, charsets and encodings with 415
 * before it reads a byte. Also rejects as `readBody` and `parseJson` do.
 */
export const jsonBody =
  ({ limitBytes, reserve }: JsonBodyOptions): RequestHandler =>
  async (request, response, next) => {
    request.body = undefined;
    if (hasBody(request)) {
      if (plainMediaType(request.headers) !== 'application/json') throw notJson();
      const reservation = reserve(request, response);
      whenAnswered(request, response, () => {
        reservation.release();
        // The handler may still run after the client has disconnected. Free the parsed body together with its reservation.
        request.body = undefined;
      });
      request.body = parseJson(await readBody(request, response, { limitBytes, reservation }), reservation);
    }
    next();
  };

const DEPTH_MAX = 100;
const VALUES_MAX = 10_000;
/** The memory that an empty object takes, which is much more than its text. */
const VALUE_BYTES = 64;

function parseJson(body: Buffer, reservation: BodyReservation): unknown {
  if (body.length === 0) return {};
  // The decoder drops the byte order mark that some clients send.
  const text = new TextDecoder().decode(body);
  const { depth, values } = measureJson(text, DEPTH_MAX);
  if (depth > DEPTH_MAX) throw tooDeep(DEPTH_MAX);
  if (values > VALUES_MAX) throw tooManyValues(VALUES_MAX);
  if (!reservation.take(values * VALUE_BYTES)) {
    reservation.noteRefusal('full');
    throw tooBusy();
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ProblemError('malformed_json', { detail: 'The request body is not valid JSON.', cause: error });
  }
}

export const tooDeep = (most: number): ProblemError =>
  new ProblemError('malformed_json', { detail: `The request body is nested more than ${most} levels deep.` });

export const tooManyValues = (most: number): ProblemError =>
  new ProblemError('payload_too_large', { detail: `The request body holds more than ${most} values.` });

const notJson = (): ProblemError =>
  new ProblemError('unsupported_media_type', {
    detail: 'Send the body as Content-Type: application/json, in UTF-8 and without a Content-Encoding.',
  });
