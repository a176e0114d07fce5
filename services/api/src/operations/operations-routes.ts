import type { Express, RequestHandler } from 'express';
import { jsonBody, requestIds } from '@mailhook/platform/http-server';
import type { BodyBudget } from '@mailhook/platform/http-server';
import type { AuditLog } from '../audit/audit-log.ts';
import { auditBoard, auditRequests } from '../audit/audit-requests.ts';
import { createSameSiteCheck } from '../auth/same-site.ts';
import type { Authenticate } from '../auth/authenticate.ts';
import type { SecurityEvents } from '../auth/security-events.ts';
import type { SignInAttempts } from '../auth/sign-in-attempts.ts';
import { addAccountRoutes } from './account-routes.ts';
import type { AccountRoutesDeps } from './account-routes.ts';
import { addAuditRoute } from './audit-route.ts';
import { operatorOf } from '../auth/admin-tokens.ts';
import type { AdminTokens } from '../auth/admin-tokens.ts';
import { createBasicAuth } from '../auth/basic-auth.ts';
import type { createBoard } from './board.ts';
import { BOARD_PATH } from '@mailhook/console';
import { addDeadLetterRoutes } from './dead-letter-routes.ts';
import type { DeadLetterRoutesDeps } from './dead-letter-routes.ts';
import { addDestinationRoutes } from './destination-routes.ts';
import type { DestinationRoutesDeps } from './destination-routes.ts';
import { addPortalRoutes } from './portal-routes.ts';
import type { PortalRoutesDeps } from './portal-routes.ts';
import { addProducerTokenRoutes } from './producer-token-routes.ts';
import type { ProducerTokenRoutesDeps } from './producer-token-routes.ts';
import { addTokenRoutes } from './token-routes.ts';
import type { TokenRoutesDeps } from './token-routes.ts';

/** Who may use the admin API and Bull Board. */
interface OperatorAccess {
  readonly authenticate: Pick<Authenticate, 'admin'>;
  readonly adminTokens: AdminTokens;
  readonly attempts: SignInAttempts;
  readonly security: SecurityEvents;
}

/** What each part of the admin API needs. */
export interface AdminApiDeps {
  readonly accounts: AccountRoutesDeps;
  readonly tokens: TokenRoutesDeps;
  readonly producerTokens: ProducerTokenRoutesDeps;
  readonly deadLetters: DeadLetterRoutesDeps;
  readonly destinations: DestinationRoutesDeps;
  readonly portal: PortalRoutesDeps;
}

interface OperationsDeps {
  readonly access: OperatorAccess;
  readonly adminApi: AdminApiDeps;
  readonly audit: AuditLog;
  readonly board: Pick<Awaited<ReturnType<typeof createBoard>>, 'handlers'>;
  readonly bodies: BodyBudget;
  /** Adds the overview and the runbook. */
  readonly addPages: (app: Express, basicAuth: RequestHandler) => void;
}

const BODY_LIMIT_BYTES = 1024 * 1024;

/** Adds the overview page, the admin API and Bull Board to the operations port, beside health and metrics. */
export const extendOperations =
  ({ access, adminApi, audit, board, bodies, addPages }: OperationsDeps) =>
  (app: Express): void => {
    app.use(requestIds);
    const basicAuth = createBasicAuth(access);
    const body = jsonBody({ limitBytes: BODY_LIMIT_BYTES, reserve: () => bodies.open('operator') });
    const audited = auditRequests({ audit, security: access.security }, (response) => ({
      ...operatorOf(response),
      via: 'admin API',
    }));
    const bearer = [access.authenticate.admin, audited, body];
    app.use(BOARD_PATH, basicAuth, refuseForeignChanges, auditBoard(audit, operatorOf), body, ...board.handlers);
    addPages(app, basicAuth);
    addAuditRoute(app, bearer, { audit });
    addAccountRoutes(app, bearer, adminApi.accounts);
    addTokenRoutes(app, bearer, adminApi.tokens);
    addProducerTokenRoutes(app, bearer, adminApi.producerTokens);
    addDeadLetterRoutes(app, bearer, adminApi.deadLetters);
    addDestinationRoutes(app, bearer, adminApi.destinations);
    addPortalRoutes(app, bearer, adminApi.portal);
  };

const checkSameSite = createSameSiteCheck(undefined);

/** Browsers send a known password with every request, so only the board's own page may change something. */
const refuseForeignChanges: RequestHandler = (request, response, next) => {
  if (request.method === 'GET' || request.method === 'HEAD') next();
  else checkSameSite(request, response, next);
};
