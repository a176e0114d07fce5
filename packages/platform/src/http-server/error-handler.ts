import type { ErrorRequestHandler, Request, Response } from 'express';
import type { Logger } from '../logger/index.ts';
import { ProblemError, PROBLEM_TYPE, problemBody } from './problem.ts';
import { requestIdOf } from './request-id.ts';

interface ErrorHandlerDeps {
  readonly logger?: Logger | undefined;
  /** The problem that an error of the service's own layers is answered as; undefined: an internal error. */
  readonly translate?: ((error: unknown) => ProblemError | undefined) | undefined;
}

/** The one place where errors become answers. What nobody foresaw is logged whole and answered as a 500 that tells nothing. */
export function problemHandler({ logger, translate = () => undefined }: ErrorHandlerDeps): ErrorRequestHandler {
  return (error: unknown, request, response, next) => {
    const problem = asProblem(error, translate);
    const requestId = requestIdOf(request, response);
    if (problem.status >= 500) {
      logger?.error('request failed', {
        requestId,
        method: request.method,
        path: request.path,
        code: problem.code,
        error,
      });
    }
    if (response.headersSent) {
      // The answer has begun: cutting it is the only way left to say that it is not whole. Nobody comes next.
      response.destroy();
      next();
      return;
    }
    sendProblem(response, problem, requestId);
  };
}

export function sendProblem(response: Response, problem: ProblemError, requestId: string): void {
  // A body that was not read to its end must not be taken for the connection's next request.
  if (problem.status === 413) response.setHeader('connection', 'close');
  response.status(problem.status).set({ ...problem.headers, 'cache-control': 'no-store' });
  response.set('content-type', PROBLEM_TYPE).end(JSON.stringify(problemBody(problem, requestId)));
}

/** Any error as the problem that it is answered as. */
export function asProblem(error: unknown, translate: (error: unknown) => ProblemError | undefined): ProblemError {
  if (error instanceof ProblemError) return error;
  return translate(error) ?? ofBodyParser(error) ?? new ProblemError('internal_error', { cause: error });
}

/** Errors of body-parser and of the router, by their `type` resp. status. */
function ofBodyParser(error: unknown): ProblemError | undefined {
  if (!(error instanceof Error)) return undefined;
  const type = 'type' in error ? error.type : undefined;
  const status = 'status' in error ? error.status : undefined;
  switch (type) {
    case 'entity.parse.failed':
      return new ProblemError('malformed_json', { detail: 'The request body is not valid JSON.', cause: error });
    case 'entity.too.large':
      return tooLarge('limit' in error ? Number(error.limit) : undefined);
    case 'charset.unsupported':
    case 'encoding.unsupported':
      return new ProblemError('unsupported_media_type', {
        detail: 'The request body must be JSON in UTF-8, encoded as identity, gzip, deflate or br.',
      });
    default:
  }
  // A path that cannot be decoded names nothing that exists.
  if (error instanceof URIError) return new ProblemError('not_found', { detail: 'There is nothing at this path.' });
  if (typeof status === 'number' && status >= 400 && status < 500) {
    return new ProblemError('malformed_json', { detail: 'The request body could not be read.', cause: error });
  }
  return undefined;
}

export const tooLarge = (limitBytes?: number): ProblemError =>
  new ProblemError('payload_too_large', {
    detail:
      limitBytes === undefined
        ? 'The request body is too large.'
        : `The request body is larger than ${limitBytes} bytes.`,
  });

/** Answers everything that no route took. */
export function notFound(request: Request): never {
  throw new ProblemError('not_found', { detail: `There is nothing at ${request.path.slice(0, 200)}.` });
}
