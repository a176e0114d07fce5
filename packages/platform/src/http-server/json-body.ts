import type { IncomingHttpHeaders } from 'node:http';
import type { Request, RequestHandler, Response } from 'express';
import { jsonFault } from '@mailhook/core';
import type { BodyReservation } from './body-budget.ts';
import { malformedBody, utf8Fault, withoutByteOrderMark } from './body-text.ts';
import { measureJson } from './json-shape.ts';
import { ProblemError } from './problem.ts';
import { readBody, tooBusy } from './read-body.ts';
import { whenAnswered } from './when-answered.ts';

/**
 * The media type of a body in UTF-8, of which ASCII is a part. Undefined for another charset, and for a body that is
 * compressed.
 */
export function plainMediaType(headers: IncomingHttpHeaders): string | undefined {
  return contentEncoding(headers) === 'identity' ? textMediaType(headers) : undefined;
}

/** The content encoding in lower case. An empty header means none, as an absent one does. */
export const contentEncoding = ({ 'content-encoding': encoding = '' }: IncomingHttpHeaders): string =>
  encoding.trim().toLowerCase() || 'identity';

/** The media type of a body in UTF-8, whatever its content encoding is. Undefined for another charset. */
export function textMediaType({ 'content-type': type = '' }: IncomingHttpHeaders): string | undefined {
  // The fast path for nearly every request.
  if (type === 'application/json') return type;
  const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(type)?.[1] ?? 'utf-8';
  if (!/^(?:utf-?8|us-ascii)$/i.test(charset)) return undefined;
  return (type.split(';', 1)[0] ?? '').trim().toLowerCase();
}

const hasBody = (request: Request): boolean =>
  request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0;

interface JsonBodyOptions {
  readonly limitBytes: number;
  readonly reserve: (request: Request, response: Response) => BodyReservation;
}

/**
 * Reads a JSON body into `request.body`, which stays undefined for a request without a body. Refuses other media types,
 * charsets and encodings with 415 before it reads a byte. Also rejects as `readBody` and `parseJson` do.
 */
export const jsonBody =
  ({ limitBytes, reserve }: JsonBodyOptions): RequestHandler =>
  async (request, response, next) => {
    request.body = undefined;
    if (hasBody(request)) {
      if (plainMediaType(request.headers) !== 'application/json') throw notJson(request.headers);
      const reservation = reserve(request, response);
      whenAnswered(request, response, () => {
        reservation.release();
        // The handler may still run after the client has disconnected. Free the parsed body together with its
        // reservation.
        request.body = undefined;
      });
      request.body = parseJson(await readBody(request, response, { limitBytes, reservation }), reservation);
    }
    next();
  };

/**
 * The JSON body, or an empty object for a request without a body. `null` stays null, because a typing error must not
 * mean "all".
 */
export const optionalBody = (body: unknown): unknown => (body === undefined ? {} : body);

const DEPTH_MAX = 100;
const VALUES_MAX = 10_000;
/** The memory that an empty object takes, which is much more than its text. */
const VALUE_BYTES = 64;

function parseJson(body: Buffer, reservation: BodyReservation): unknown {
  if (body.length === 0) return {};
  const fault = utf8Fault(body);
  if (fault !== undefined) throw malformedBody(fault);
  const text = withoutByteOrderMark(body).toString('utf8');
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
    throw malformedBody(jsonFault(text), error);
  }
}

export const tooDeep = (most: number): ProblemError => malformedBody(`is nested more than ${most} levels deep`);

export const tooManyValues = (most: number): ProblemError =>
  new ProblemError('payload_too_large', {
    detail: `The request body holds more than ${most} values. Send less data per request.`,
  });

/** How a body was sent, for a 415. */
export function sentAs({ 'content-type': type = '', 'content-encoding': encoding = '' }: IncomingHttpHeaders): string {
  const named = type === '' ? 'no Content-Type' : `Content-Type: ${type.slice(0, 100)}`;
  return `This request has ${named}${encoding === '' ? '' : ` and Content-Encoding: ${encoding.slice(0, 100)}`}.`;
}

const notJson = (headers: IncomingHttpHeaders): ProblemError =>
  new ProblemError('unsupported_media_type', {
    detail:
      'Send the body as Content-Type: application/json, in UTF-8 and without a Content-Encoding. ' + sentAs(headers),
  });
