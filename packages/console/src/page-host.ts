import type { AuditLog, Origin, Access, Sessions, PortalLinks, SecurityEvent } from '@mailhook/core';
import type { BodyBudget, ProblemError } from '@mailhook/platform/http-server';
import type { Logger } from '@mailhook/platform/logger';
import type { ServerResponse } from 'node:http';
import type { Request, RequestHandler, Response } from 'express';

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

/** How a customer gets a session, and what limits the attempts. */
export interface PageAccess {
  readonly sessions: Sessions;
  readonly links: PortalLinks;
  /** Rejects with a 401 for a wrong token, or with a 429 after too many failures. */
  readonly signIn: (
    token: string | undefined,
    request: Request,
  ) => Promise<{ readonly account: string; readonly access: Access }>;
  readonly limits: {
    /** Throws a 429 if the account or the caller has made too many requests. */
    admit(response: Response, account: string, caller: string): void;
    /**
     * Runs what builds a page, one after the other for each account. Rejects with a 429 if too many builds of the
     * account wait.
     */
    inLine<Result>(account: string, work: () => Promise<Result>): Promise<Result>;
  };
  readonly security: {
    note(event: SecurityEvent, response: ServerResponse, subject?: { readonly account?: string | undefined }): void;
    noteRefusal(problem: ProblemError, response: ServerResponse): void;
  };
}
