import { randomUUID } from 'node:crypto';
import type { Request, RequestHandler, Response } from 'express';

const HEADER = 'x-request-id';
const ACCEPTED = /^[\w.-]{8,100}$/;

/** The id that ties a request's answer to its log lines: the caller's own when it is harmless, else a new one. Sent back in the answer. */
export function requestIdOf(request: Request, response: Response): string {
  const known = response.getHeader(HEADER);
  if (typeof known === 'string') return known;
  const offered = request.get(HEADER);
  const id = offered !== undefined && ACCEPTED.test(offered) ? offered : randomUUID();
  if (!response.headersSent) response.setHeader(HEADER, id);
  return id;
}

export const requestIds: RequestHandler = (request, response, next) => {
  requestIdOf(request, response);
  next();
};
