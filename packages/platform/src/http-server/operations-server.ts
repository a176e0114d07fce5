import type { ServerResponse } from 'node:http';
import express from 'express';
import helmet from 'helmet';
import type { Closeable } from '../lifecycle/index.ts';
import type { Logger } from '../logger/index.ts';
import type { Metrics } from '../metrics/index.ts';
import { notFound, problemHandler } from './error-handler.ts';
import { ProblemError } from './problem.ts';
import { listen } from './listen.ts';
import { publicAddressesOf } from './public-addresses.ts';
import { addRoute } from './routes.ts';

export interface OperationsServerOptions {
  readonly host: string;
  readonly port: number;
  readonly metrics: Metrics;
  readonly logger?: Logger;
  /** The reasons why the service cannot work now, as sentences. Empty if it can. */
  readonly isReady: () => Promise<readonly string[]>;
  /**
   * The reasons why only a restart of the process helps, as sentences. Empty while the process may recover by itself.
   */
  readonly hopeless?: () => readonly string[];
  /** Adds the service's own routes (admin API, Bull Board). */
  readonly extend?: (app: express.Express) => void;
  /** What a browser gets at an address without a page. */
  readonly notFoundPage?: express.RequestHandler;
  readonly translate?: (error: unknown) => ProblemError | undefined;
  /** Gets every problem before it is sent. */
  readonly onProblem?: (problem: ProblemError, response: ServerResponse) => void;
}

/**
 * Serves the second port of every service: `/healthz` (needs no restart), `/readyz` (can work) and `/metrics`, all
 * without a token.
 */
export async function startOperationsServer(options: OperationsServerOptions): Promise<Closeable & { port: number }> {
  const { host, port, metrics, logger, extend, notFoundPage, translate, onProblem } = options;
  const isReady = (): Promise<readonly string[]> => options.isReady().catch((error: unknown) => [String(error)]);
  metrics.gauge({
    name: 'mailhook_ready',
    help: '1 while the service can do its work, else 0: see /readyz',
    collect: async (gauge) => gauge.set((await isReady()).length === 0 ? 1 : 0),
  });
  const app = express();
  app.disable('x-powered-by').disable('etag').enable('case sensitive routing');
  app.use(
    helmet({
      strictTransportSecurity: false,
      contentSecurityPolicy: { directives: { upgradeInsecureRequests: null } },
    }),
  );
  addRoute(app, '/healthz', {
    get: [
      (_request, response) => {
        const reasons = options.hopeless?.() ?? [];
        if (reasons.length === 0) response.json({ status: 'ok' });
        else response.status(503).json({ status: 'needs a restart', reasons });
      },
    ],
  });
  addRoute(app, '/readyz', {
    get: [
      async (_request, response) => {
        const reasons = await isReady();
        if (reasons.length === 0) response.json({ status: 'ready' });
        else response.status(503).json({ status: 'not ready', reasons });
      },
    ],
  });
  addRoute(app, '/metrics', {
    get: [
      async (_request, response) => {
        response.set('content-type', metrics.registry.contentType).end(await metrics.registry.metrics());
      },
    ],
  });
  extend?.(app);
  app.use('/v3', (request) => {
    const path = request.originalUrl.split('?', 1)[0]?.slice(0, 200);
    const detail =
      `There is nothing at ${path}. This is the operations port (OPS_PORT); ` +
      "events and requests of customers go to the api's PORT.";
    throw new ProblemError('not_found', { detail });
  });
  app.use(notFound);
  app.use(problemHandler({ logger, translate, onProblem, notFoundPage }));
  const server = await listen({ host, port, app });
  const addresses = publicAddressesOf(host);
  if (addresses.length > 0)
    logger?.warn('the operations port listens on a public address: unset OPS_HOST, or set it to one inside', {
      addresses,
    });
  return server;
}
