import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';

const HEADER = 'x-request-id';
const ACCEPTED = /^[\w.-]{8,100}$/;

/**
 * Returns the id that connects a reply with its log lines, and sets it as a header of the reply. Uses the client's id
 * if it is harmless.
 */
export function requestIdOf(request: IncomingMessage, response: ServerResponse): string {
  const known = response.getHeader(HEADER);
  if (typeof known === 'string') return known;
  const offered = request.headers[HEADER];
  const id = typeof offered === 'string' && ACCEPTED.test(offered) ? offered : randomUUID();
  if (!response.headersSent) response.setHeader(HEADER, id);
  return id;
}

export const requestIds: RequestHandler = (request, response, next) => {
  requestIdOf(request, response);
  next();
};
