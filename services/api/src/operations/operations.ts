import type { Express } from 'express';
import { jsonBody, requestIds } from '@mailhook/platform/http-server';
import type { Authenticate, FailureLimit } from '../public/authenticate.ts';
import { addAdminRoutes } from './admin.ts';
import type { AdminDeps } from './admin.ts';
import { createBasicAuth } from './basic-auth.ts';
import type { createBoard } from './board.ts';
import { BOARD_PATH } from './board.ts';

interface OperationsDeps extends AdminDeps {
  readonly authenticate: Authenticate;
  readonly adminToken: string;
  readonly failureLimit: FailureLimit;
  readonly board: Pick<ReturnType<typeof createBoard>, 'router'>;
}

const BODY_LIMIT_BYTES = 1024 * 1024;

/** What the api serves at its operations port beside health and metrics: the admin API and Bull Board. */
export const extendOperations =
  (deps: OperationsDeps) =>
  (app: Express): void => {
    app.use(requestIds);
    app.use(BOARD_PATH, createBasicAuth(deps), deps.board.router);
    addAdminRoutes(app, [deps.authenticate.admin, jsonBody(BODY_LIMIT_BYTES)], deps);
  };
