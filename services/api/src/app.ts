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
import type { AnswerError } from '@mailhook/platform/http-server';
import type { ProxyTrust } from '@mailhook/platform/config';
import type { Logger } from '@mailhook/platform/logger';
import type { AuditLog } from './audit/audit-log.ts';
import { auditChanges } from './audit/audit-requests.ts';
import { translateError } from './http/errors.ts';
import { EVENTS_PATH } from './intake/events-route.ts';
import type { Services } from './customer-api/services.ts';
import { customerEndpoints } from './endpoints/customer/index.ts';
import { addEndpoints } from './endpoints/router.ts';
import { accountOf, customerOf } from './auth/authenticate.ts';
import type { Protection } from './parts.ts';

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
  app.use(problemHandler({ logger: deps.logger, translate: translateError, onProblem: security.noteRefusal }));
  return app;
}
