import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ErrorRequestHandler, Request, RequestHandler } from 'express';
import type { Logger } from '../logger/index.ts';
import { endAfterBody } from './end-after-body.ts';
import type { DropLimits } from './end-after-body.ts';
import { ProblemError, PROBLEM_TYPE, problemBody } from './problem.ts';
import { requestIdOf } from './request-id.ts';

interface ErrorHandlerDeps {
  readonly logger?: Logger | undefined;
  /** Maps an error of the service's own layers to a problem. Undefined means an internal error. */
  readonly translate?: ((error: unknown) => ProblemError | undefined) | undefined;
  /** Gets every problem before it is sent. */
  readonly onProblem?: ((problem: ProblemError, response: ServerResponse) => void) | undefined;
  /** Of the rest of a body that is still arriving. */
  readonly dropLimits?: DropLimits;
}

/** Answers a request that failed, with or without Express. */
export type AnswerError = (error: unknown, request: IncomingMessage, response: ServerResponse) => void;

/**
 * The only place where errors become replies. An unexpected error is logged with its details, and the 500 contains none
 * of them.
 */
export const createAnswerError =
  ({ logger, translate = () => undefined, onProblem, dropLimits }: ErrorHandlerDeps): AnswerError =>
  (error, request, response) => {
    const problem = asProblem(error, translate);
    const requestId = requestIdOf(request, response);
    onProblem?.(problem, response);
    // A `ProblemError` is an intended reply. A flood of refusals must not become a flood of log lines.
    if (problem.status >= 500 && !(error instanceof ProblemError)) {
      const path = request.url?.split('?', 1)[0];
      logger?.error('request failed', { requestId, method: request.method, path, code: problem.code, error });
    }
    // Once the reply has begun, only a broken connection can show that it is incomplete.
    if (response.headersSent) response.destroy();
    else {
      setHeaders(response, problem);
      endAfterBody(request, response, JSON.stringify(problemBody(problem, requestId)), dropLimits);
    }
  };

interface ProblemHandlerDeps extends ErrorHandlerDeps {
  /** Answers a browser that has opened an address without a page. Default: the problem, as for all other clients. */
  readonly notFoundPage?: RequestHandler | undefined;
}

/** `AnswerError` as the last handler of an Express app. */
export function problemHandler({ notFoundPage, ...deps }: ProblemHandlerDeps): ErrorRequestHandler {
  const answerError = createAnswerError(deps);
  const isNotFound = (error: unknown): boolean => asProblem(error, deps.translate ?? (() => undefined)).status === 404;
  // Express recognizes an error handler by its four parameters.
  return (error: unknown, request, response, next) => {
    const isBrowser = request.method === 'GET' && request.accepts(['json', 'html']) === 'html';
    if (notFoundPage === undefined || !isBrowser || response.headersSent || !isNotFound(error))
      answerError(error, request, response);
    else void notFoundPage(request, response, next);
  };
}

function setHeaders(response: ServerResponse, { status, headers }: ProblemError): void {
  response.setHeaders(new Map(Object.entries({ ...headers, 'cache-control': 'no-store' })));
  response.setHeader('content-type', PROBLEM_TYPE);
  response.statusCode = status;
}

/** Maps any error to the problem to reply with. */
export function asProblem(error: unknown, translate: (error: unknown) => ProblemError | undefined): ProblemError {
  if (error instanceof ProblemError) return error;
  return translate(error) ?? ofRouter(error) ?? new ProblemError('internal_error', { cause: error });
}

/** Maps errors of the router and its libraries, by their class or status. */
function ofRouter(error: unknown): ProblemError | undefined {
  if (!(error instanceof Error)) return undefined;
  // A path that cannot be decoded cannot exist.
  if (error instanceof URIError) return new ProblemError('not_found', { detail: 'There is nothing at this path.' });
  const status = 'status' in error ? error.status : undefined;
  if (typeof status === 'number' && status >= 400 && status < 500) {
    return new ProblemError('malformed_json', { detail: 'The request body could not be read.', cause: error });
  }
  return undefined;
}

/** The handler of requests that no route matches. */
export function notFound(request: Request): never {
  throw new ProblemError('not_found', { detail: `There is nothing at ${request.path.slice(0, 200)}.` });
}
