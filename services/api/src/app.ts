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
import { auditRequests } from './audit/audit-requests.ts';
import { translateError } from './http/errors.ts';
import { EVENTS_PATH } from './intake/events-route.ts';
import type { AccountApi } from './customer-api/account-api.ts';
import { accountOf, customerOf } from './auth/authenticate.ts';
import type { Protection } from './auth/protection.ts';
import { addCampaignRoutes } from './customer-api/campaign.ts';
import { addDeadLetterRoutes } from './customer-api/dead-letters.ts';
import { addDeliveriesRoutes } from './customer-api/deliveries.ts';
import { addDestinationActionRoutes } from './customer-api/destination-actions.ts';
import { addDestinationSecretRoutes } from './customer-api/destination-secrets.ts';
import { addDestinationSettingsRoutes } from './customer-api/destination-settings.ts';
import { addDestinationStatusesRoute } from './customer-api/destination-statuses.ts';
import { addEventLookupRoute } from './customer-api/event-lookup.ts';
import { addNotificationTestRoute } from './customer-api/notification-test.ts';
import { addReceiverCheckRoute } from './customer-api/doctor-route.ts';
import { addSecretRoutes } from './customer-api/secrets.ts';
import { addSubscriptionRoutes } from './customer-api/subscriptions.ts';

export interface PublicAppDeps {
  readonly api: AccountApi;
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
  const before = [authenticate.customer, auditRequests({ audit: deps.audit, security }, customerOf), body, noStore];
  addSubscriptionRoutes(app, before, deps.api);
  addNotificationTestRoute(app, before, deps.api);
  addCampaignRoutes(app, before, deps.api);
  addDestinationStatusesRoute(app, before, deps.api);
  addDestinationActionRoutes(app, before, deps.api);
  addDestinationSettingsRoutes(app, before, deps.api);
  addDestinationSecretRoutes(app, before, deps.api);
  addDeliveriesRoutes(app, before, deps.api);
  addEventLookupRoute(app, before, deps.api);
  addDeadLetterRoutes(app, before, deps.api);
  addReceiverCheckRoute(app, before, deps.api);
  addSecretRoutes(app, before, deps.api);
  deps.extend?.(app);
  app.use(notFound);
  app.use(problemHandler({ logger: deps.logger, translate: translateError, onProblem: security.noteRefusal }));
  return app;
}
