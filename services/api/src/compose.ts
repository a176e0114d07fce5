import type { Store } from '@mailhook/core';
import { MAILHOOK_VERSION, mechanism } from '@mailhook/core';
import {
  addInstallationInfo,
  createDeadLetterBox,
  createDeliveryHistory,
  createDestinationControl,
  createDestinationLists,
  createDestinationRegistry,
  createEngineGauges,
  createEventFinder,
  createOverview,
  createPublisher,
  createReadDestinations,
} from '@mailhook/delivery';
import { listen, startOperationsServer } from '@mailhook/platform/http-server';
import type { Closeable } from '@mailhook/platform/lifecycle';
import { closeInOrder } from '@mailhook/platform/lifecycle';
import type { Logger } from '@mailhook/platform/logger';
import { createMetrics } from '@mailhook/platform/metrics';
import type { Metrics } from '@mailhook/platform/metrics';
import { addRedisGauges } from '@mailhook/platform/redis';
import type { Redis } from '@mailhook/platform/redis';
import { openTracing } from '@mailhook/platform/tracing';
import type { Express } from 'express';
import { createAccounts } from './accounts/accounts.ts';
import type { Accounts } from './accounts/accounts.ts';
import { addApiDocsRoutes } from './api-docs/docs-routes.ts';
import { createApiDocument } from './api-docs/document.ts';
import type { Config } from './config.ts';
import { connectAll, openStore } from './connections.ts';
import type { Owned } from './connections.ts';
import { translateError } from './http/errors.ts';
import { openAccountJobs } from './intake/account-jobs.ts';
import { startDeactivationsWorker } from './intake/deactivations-worker.ts';
import { startEmailEventsWorker } from './intake/email-events-worker.ts';
import { createTakeEvents } from './intake/events-route.ts';
import { createIntakeMetrics } from './intake/intake-metrics.ts';
import { openRejectedEvents } from './intake/rejected-events.ts';
import { createBoard } from './operations/board.ts';
import { createDestinationActions } from './operations/destination-actions.ts';
import { createDiscard } from './operations/discard.ts';
import { extendOperations } from './operations/operations-routes.ts';
import { addOverviewPage, OVERVIEW_ASSETS } from './pages/operations/overview-page.ts';
import { addQueueGauges } from './operations/queue-gauges.ts';
import { createHealth } from './operations/readiness.ts';
import { createAccountApi } from './customer-api/account-api.ts';
import type { Authenticate } from './auth/authenticate.ts';
import { createPublicListener } from './listener.ts';
import { createRequestObserver } from './http/request-observer.ts';
import { createRequestTracing } from './http/request-tracing.ts';
import type { RequestTracing } from './http/request-tracing.ts';
import { createProtection } from './protection.ts';
import { loadAssets } from './pages/html/assets.ts';
import { createReceiverTools } from './customer-api/receiver-tools.ts';
import { createSessions } from './pages/settings/sessions.ts';
import { addSettingsPage } from './pages/settings/settings-page.ts';
import type { SettingsPageDeps } from './pages/settings/settings-page.ts';

const CLOSE_TIMEOUT_MS = 12_000;

export interface Api extends Closeable {
  readonly port: number;
  readonly opsPort: number;
}

/**
 * The service's composition root. Resolves when the service takes requests and jobs. `close` stops its parts in the opposite order.
 *
 * @param assetsFolder the folder with the pages' style sheets and scripts.
 */
export async function compose(config: Config, logger: Logger, assetsFolder: string): Promise<Api> {
  const parts: Closeable[] = [];
  const owned = <Part extends Closeable>(part: Part): Part => {
    parts.push(part);
    return part;
  };
  const close = () => closeInOrder(parts, CLOSE_TIMEOUT_MS);
  try {
    return { ...(await start(config, logger, assetsFolder, owned)), close };
  } catch (error) {
    await close().catch((failure: unknown) =>
      logger.warn('the parts that had started did not stop cleanly', { error: failure }),
    );
    throw error;
  }
}

async function start(
  config: Config,
  logger: Logger,
  assetsFolder: string,
  owned: Owned,
): Promise<Pick<Api, 'port' | 'opsPort'>> {
  const { HOST: host, QUEUE_PREFIX: prefix, QUEUE_SHARDS: shards, ADMIN_TOKEN: adminToken } = config;
  const requests = await openRequestTracing(config, logger, owned);
  const { redis, jobs, subscriber, watch } = await connectAll(config, logger, owned);
  const store = owned(await openStore(config, redis, logger));
  const engine = { redis, queuePrefix: prefix, shards };
  const registry = createDestinationRegistry(engine);
  const deadLetters = owned(createDeadLetterBox(engine));
  const accounts = owned(await createAccounts({ store, registry, redis, subscriber, prefix, logger }));
  const metrics = createApiMetrics(config, engine);
  const protection = createProtection(config, { redis, metrics, tokens: accounts.tokens });
  const intake = await startIntake(config, { redis, jobs, store, accounts, metrics, logger, requests }, owned);
  const board = owned(createBoard({ redis, prefix, shards, isReadOnly: config.BULL_BOARD_READ_ONLY }));
  const discard = createDiscard({ deadLetters, metrics, logger });
  const overview = { ...createOverviewDeps(engine, logger), deadLetters, discard, ...protection, logger };
  const operations = owned(
    await startOperationsServer({
      host,
      port: config.OPS_PORT,
      metrics,
      logger,
      ...createHealth({ redis, watch, store, workers: intake.workers }),
      extend: extendOperations({
        ...{ ...accounts, ...overview, store, adminToken, board },
        addOverviewPage: (app, basicAuth) =>
          addOverviewPage(app, basicAuth, { ...overview, assets: loadAssets(assetsFolder, OVERVIEW_ASSETS) }),
      }),
      translate: translateError,
    }),
  );
  const testing = createReceiverTools(config, redis, store, logger, owned);
  const finder = createEventFinder({ ...engine, attempts: testing.attempts });
  const api = createAccountApi({
    ...{ ...accounts, ...testing, finder, store, deadLetters },
    readDestinations: createReadDestinations(engine),
  });
  const app = createPublicListener({
    api,
    logger,
    ...protection,
    trustProxy: config.TRUST_PROXY,
    observe: createRequestObserver({ metrics, logger, requests }),
    takeEvents: createTakeEvents({ ...intake, ...protection, requests }),
    extend: createPages(config, assetsFolder, { ...accounts, ...protection, api, store, logger, redis }),
  });
  const server = owned(await listen({ host, port: config.PORT, app, ...protection.connections }));
  return { port: server.port, opsPort: operations.port };
}

/** Opened first and therefore closed last, because closing may wait for a trace collector and must not delay the other parts. */
async function openRequestTracing(config: Config, logger: Logger, owned: Owned): Promise<RequestTracing | undefined> {
  const tracing = await openTracing({
    endpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT,
    service: 'mailhook-api',
    version: MAILHOOK_VERSION,
    sampled: 'environment',
    logger,
  });
  return tracing === undefined ? undefined : createRequestTracing(owned(tracing));
}

type PagesDeps = Pick<SettingsPageDeps, 'api' | 'store' | 'bodies' | 'logger'> &
  Pick<Accounts, 'tokens'> & { readonly redis: Redis; readonly authenticate: Authenticate };

/** The settings page and the API documents. */
function createPages(config: Config, assetsFolder: string, deps: PagesDeps): (app: Express) => void {
  const { QUEUE_PREFIX: queuePrefix, QUEUE_SHARDS: shards, PUBLIC_URL: publicUrl } = config;
  const { redis, tokens, authenticate, ...page } = deps;
  return (app) => {
    addSettingsPage(app, {
      ...page,
      signIn: authenticate.signIn,
      history: createDeliveryHistory({ redis, queuePrefix, shards }),
      sessions: createSessions({ redis, prefix: queuePrefix, tokens }),
      assets: loadAssets(assetsFolder),
      publicUrl,
      now: () => Date.now(),
    });
    addApiDocsRoutes(app, createApiDocument(publicUrl));
  };
}

/** The engine's data for operators, and their actions on destinations. */
function createOverviewDeps(engine: EngineAt, logger: Logger) {
  const control = createDestinationControl(engine);
  return {
    overview: createOverview(engine),
    lists: createDestinationLists(engine),
    actions: createDestinationActions({ control, logger, now: () => Date.now() }),
  };
}

interface EngineAt {
  readonly redis: Redis;
  readonly queuePrefix: string;
  readonly shards: number;
}

interface IntakeDeps {
  readonly redis: Redis;
  readonly jobs: Redis;
  readonly store: Store;
  readonly accounts: Accounts;
  readonly metrics: Metrics;
  readonly logger: Logger;
  readonly requests: RequestTracing | undefined;
}

/** The intake over HTTP, and the workers that take events and deactivations from Redis. */
async function startIntake(config: Config, deps: IntakeDeps, owned: Owned) {
  const { redis, jobs: connection, store, accounts, logger } = deps;
  const { QUEUE_PREFIX: prefix, QUEUE_SHARDS: shards } = config;
  const limits = { waitingMaxEvents: config.WAITING_MAX_EVENTS, waitingMaxBytes: config.WAITING_MAX_BYTES };
  const publisher = owned(await createPublisher({ redis, queuePrefix: prefix, shards, ...limits }));
  const intake = { routing: accounts.routing, publisher, metrics: createIntakeMetrics(deps.metrics) };
  const rejected = owned(openRejectedEvents({ redis, prefix, logger, onDropped: intake.metrics.forgotten }));
  const jobs = { rejected, apart: owned(openAccountJobs({ redis, prefix })), tracing: deps.requests?.tracing };
  const workers = [
    startEmailEventsWorker({ ...intake, ...jobs, connection, prefix, logger }),
    startDeactivationsWorker({ store, writer: accounts.writer, connection, prefix, logger }),
  ];
  // At the same time, because each takes 2 s while Redis is away.
  const close = async (): Promise<void> => {
    await Promise.all(workers.map((worker) => worker.close()));
  };
  owned({ close });
  return { ...intake, workers };
}

/** Includes the metrics of the whole installation, so that they exist even when no worker runs. */
function createApiMetrics(config: Config, engine: EngineAt): Metrics {
  const metrics = createMetrics();
  addRedisGauges(metrics, engine.redis);
  createEngineGauges({ metrics, ...engine, kinds: mechanism.options });
  addQueueGauges({ metrics, ...engine });
  addInstallationInfo(metrics, { ...config, store: config.MONGO_URL === undefined ? 'redis' : 'mongodb' });
  return metrics;
}
