import type { Express } from 'express';
import { jsonBody, requestIds } from '@mailhook/platform/http-server';
import type { Authenticate, FailureLimit } from '../public/authenticate.ts';
import { addAdminRoutes } from './admin.ts';
import type { AdminDeps } from './admin.ts';
import { createBasicAuth } from './basic-auth.ts';
import type { createBoard } from './board.ts';
import { BOARD_PATH } from './board.ts';
import { addDestinationRoutes } from './destination-routes.ts';
import type { DestinationRoutesDeps } from './destination-routes.ts';
import { addOverviewPage } from './overview-page.ts';
import type { OverviewPageDeps } from './overview-page.ts';

interface OperationsDeps extends AdminDeps, DestinationRoutesDeps, OverviewPageDeps {
  readonly authenticate: Authenticate;
  readonly adminToken: string;
  readonly failureLimit: FailureLimit;
  readonly board: Pick<ReturnType<typeof createBoard>, 'router'>;
}

const BODY_LIMIT_BYTES = 1024 * 1024;

/** What the api serves at its operations port beside health and metrics: the overview page, the admin API and Bull Board. */
export const extendOperations =
  (deps: OperationsDeps) =>
  (app: Express): void => {
    app.use(requestIds);
    const basicAuth = createBasicAuth(deps);
    const bearer = [deps.authenticate.admin, jsonBody(BODY_LIMIT_BYTES)];
    app.use(BOARD_PATH, basicAuth, deps.board.router);
    addOverviewPage(app, basicAuth, deps);
    addAdminRoutes(app, bearer, deps);
    addDestinationRoutes(app, bearer, deps);
  };
