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
    // A ProblemError is an intended answer. A flood of refusals must not become a flood of log lines.
    if (problem.status >= 500 && !(error instanceof ProblemError)) {
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
  response.status(problem.status).set({ ...problem.headers, 'cache-control': 'no-store' });
  response.set('content-type', PROBLEM_TYPE).end(JSON.stringify(problemBody(problem, requestId)));
}

/** Any error as the problem that it is answered as. */
export function asProblem(error: unknown, translate: (error: unknown) => ProblemError | undefined): ProblemError {
  if (error instanceof ProblemError) return error;
  return translate(error) ?? ofRouter(error) ?? new ProblemError('internal_error', { cause: error });
}

/** Errors of the router and of libraries behind it, by their class or status. */
function ofRouter(error: unknown): ProblemError | undefined {
  if (!(error instanceof Error)) return undefined;
  // A path that cannot be decoded names nothing that exists.
  if (error instanceof URIError) return new ProblemError('not_found', { detail: 'There is nothing at this path.' });
  const status = 'status' in error ? error.status : undefined;
  if (typeof status === 'number' && status >= 400 && status < 500) {
    return new ProblemError('malformed_json', { detail: 'The request body could not be read.', cause: error });
  }
  return undefined;
}

/** Answers everything that no route took. */
export function notFound(request: Request): never {
  throw new ProblemError('not_found', { detail: `There is nothing at ${request.path.slice(0, 200)}.` });
}
