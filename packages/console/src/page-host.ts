import type { BodyBudget, ProblemError } from '@mailhook/platform/http-server';
import type { Logger } from '@mailhook/platform/logger';
import type { Request, RequestHandler, Response } from 'express';
import type { AuditLog, Origin } from './audit.ts';

/** What both pages need of the server that serves them. */
export interface PageHost {
  /** Maps any error to the problem to show. */
  readonly asProblem: (error: unknown) => ProblemError;
  /** Refuses requests that a page of another site makes a browser send. */
  readonly refuseForeignSites: RequestHandler;
  /** The client of a request, for the limits of anonymous ones. */
  readonly clientOf: (request: Request) => string;
  /** Where a request came from. */
  readonly originOf: (response: Response) => Origin;
  readonly bodies: BodyBudget;
  readonly audit: AuditLog;
  readonly logger: Logger;
}
