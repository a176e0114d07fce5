import type { AuditLog } from '@mailhook/core';
import { BOARD_PATH } from '@mailhook/console';
import express from 'express';
import type { Express, RequestHandler } from 'express';
import helmet from 'helmet';
import {
  addRoute,
  createAnswerError,
  jsonBody,
  noStore,
  notFound,
  problemHandler,
  requestIds,
} from '@mailhook/platform/http-server';
import type { AnswerError, BodyBudget } from '@mailhook/platform/http-server';
import type { ProxyTrust } from '@mailhook/platform/config';
import type { Logger } from '@mailhook/platform/logger';
import { followRequests } from './accounts/noted-changes.ts';
import { auditBoard, auditChanges } from './audit/audit-requests.ts';
import { translateError } from './http/errors.ts';
import { EVENTS_PATH } from './intake/events-route.ts';
import type { Services } from './customer-api/services.ts';
import type { AdminServices } from './endpoints/admin/endpoint.ts';
import { adminEndpoints } from './endpoints/admin/index.ts';
import { customerEndpoints } from './endpoints/customer/index.ts';
import { addEndpoints } from './endpoints/router.ts';
import { operatorOf } from './auth/admin-tokens.ts';
import type { AdminTokens } from './auth/admin-tokens.ts';
import { accountOf, customerOf } from './auth/authenticate.ts';
import type { Authenticate } from './auth/authenticate.ts';
import { createBasicAuth } from './auth/basic-auth.ts';
import { createSameSiteCheck } from './auth/same-site.ts';
import type { SecurityEvents } from './auth/security-events.ts';
import type { SignInAttempts } from './auth/sign-in-attempts.ts';
import type { createBoard } from './operations/board.ts';
import type { Protection } from './auth/protection.ts';

export interface PublicAppDeps {
  readonly services: Services;
  readonly protection: Pick<Protection, 'authenticate' | 'bodies' | 'security'>;
  readonly audit: AuditLog;
  /** `POST /v3/events`. */
  readonly events: RequestHandler;
  readonly logger: Logger;
  /** The proxies that may name a client's address. Failed sign-ins are limited by that address. */
  readonly trustProxy: ProxyTrust;
  /** Adds routes that are not part of the API, before the 404. */
  readonly extend?: ((app: Express) => void) | undefined;
  /** What a browser gets at an address without a page. */
  readonly notFoundPage?: RequestHandler | undefined;
}

/** Largest body on every route except the intake. */
const BODY_LIMIT_BYTES = 1024 * 1024;

const secureHeaders = helmet({ contentSecurityPolicy: { directives: { upgradeInsecureRequests: null } } });

/** Answers a request that failed before Express, in the way of the app below. */
export function createRefusal({ logger, protection }: Pick<PublicAppDeps, 'logger' | 'protection'>): AnswerError {
  const answerError = createAnswerError({
    logger,
    translate: translateError,
    onProblem: protection.security.noteRefusal,
  });
  return (error, request, response) => secureHeaders(request, response, () => answerError(error, request, response));
}

/** Everything that Express serves at `PORT`. See `listener.ts` for the requests that it never sees. */
export function createPublicApp(deps: PublicAppDeps): Express {
  const { authenticate, bodies, security } = deps.protection;
  const app = express();
  app.disable('x-powered-by').disable('etag').enable('case sensitive routing').set('query parser', 'simple');
  app.set('trust proxy', deps.trustProxy);
  app.use(secureHeaders, requestIds);
  addRoute(app, EVENTS_PATH, { post: [deps.events] });
  app.use(followRequests);
  const body = jsonBody({
    limitBytes: BODY_LIMIT_BYTES,
    reserve: (_request, response) => bodies.open('account', accountOf(response)),
  });
  const audited = auditChanges({ audit: deps.audit, security }, customerOf);
  addEndpoints(app, customerEndpoints, deps.services, (endpoint) => [
    authenticate.customer(endpoint.scope),
    ...audited(endpoint),
    body,
    noStore,
  ]);
  deps.extend?.(app);
  app.use(notFound);
  const { logger, notFoundPage } = deps;
  app.use(problemHandler({ logger, translate: translateError, onProblem: security.noteRefusal, notFoundPage }));
  return app;
}

/** Who may use the admin API and Bull Board. */
interface OperatorAccess {
  readonly authenticate: Pick<Authenticate, 'admin'>;
  readonly adminTokens: AdminTokens;
  readonly attempts: SignInAttempts;
  readonly security: SecurityEvents;
}

interface OperationsDeps {
  readonly access: OperatorAccess;
  readonly services: AdminServices;
  readonly audit: AuditLog;
  readonly board: Pick<Awaited<ReturnType<typeof createBoard>>, 'handlers'>;
  readonly bodies: BodyBudget;
  /** Notes whom a sign-in proxy names, and the proxies that it may come from. Undefined without `OPERATOR_HEADER`. */
  readonly signInProxy: { readonly trusted: ProxyTrust; readonly notePerson: RequestHandler } | undefined;
  /** Adds the overview and the runbook. */
  readonly addPages: (app: Express, basicAuth: RequestHandler) => void;
}

/** Adds the overview page, the admin API and Bull Board to the operations port, beside health and metrics. */
export const extendOperations =
  ({ access, services, audit, board, bodies, signInProxy, addPages }: OperationsDeps) =>
  (app: Express): void => {
    app.use(requestIds, followRequests);
    if (signInProxy !== undefined) app.set('trust proxy', signInProxy.trusted).use(signInProxy.notePerson);
    const basicAuth = createBasicAuth(access);
    const body = jsonBody({ limitBytes: BODY_LIMIT_BYTES, reserve: () => bodies.open('operator') });
    const audited = auditChanges({ audit, security: access.security }, (response) => ({
      ...operatorOf(response),
      via: 'admin API',
    }));
    app.use(BOARD_PATH, basicAuth, refuseForeignChanges, auditBoard(audit, operatorOf), body, ...board.handlers);
    addPages(app, basicAuth);
    addEndpoints(app, adminEndpoints, services, (endpoint) => [
      access.authenticate.admin(endpoint.scope),
      ...audited(endpoint),
      body,
    ]);
  };

const checkSameSite = createSameSiteCheck(undefined);

/** Browsers send a known password with every request, so only the board's own page may change something. */
const refuseForeignChanges: RequestHandler = (request, response, next) => {
  if (request.method === 'GET' || request.method === 'HEAD') next();
  else checkSameSite(request, response, next);
};
