import type { Store } from '@mailhook/core';
import { MAILHOOK_VERSION, mechanism } from '@mailhook/core';
import {
  addInstallationInfo,
  createAccountUsages,
  createDeadLetterBox,
  createDeliveryCounter,
  createDeliveryHistory,
  createDestinationControl,
  createDestinationLists,
  createDestinationRegistry,
  createEngineGauges,
  createEraseEvents,
  createEraseRecords,
  createEventFinder,
  createOverview,
  createPublisher,
  createReadDestinations,
  createReadHeldEvents,
} from '@mailhook/delivery';
import type { AccountUsages, DeadLetterBox } from '@mailhook/delivery';
import { listen, startOperationsServer } from '@mailhook/platform/http-server';
import type { Closeable } from '@mailhook/platform/lifecycle';
import { closeInOrder } from '@mailhook/platform/lifecycle';
import type { Logger } from '@mailhook/platform/logger';
import { createMetrics } from '@mailhook/platform/metrics';
import type { Metrics } from '@mailhook/platform/metrics';
import { addRedisGauges } from '@mailhook/platform/redis';
import type { Redis } from '@mailhook/platform/redis';
import { createSealing } from '@mailhook/platform/sealing';
import { openTracing } from '@mailhook/platform/tracing';
import { createAccounts } from './accounts/accounts.ts';
import type { Accounts } from './accounts/accounts.ts';
import { startErasures } from './accounts/erasures.ts';
import { startDeletions } from './accounts/deletions.ts';
import type { DeletionsDeps } from './accounts/deletions.ts';
import { createAuditLog } from './audit/audit-log.ts';
import { createAdminTokens } from './auth/admin-tokens.ts';
import { watchTokenFiles } from './watch-token-files.ts';
import type { Config } from './config.ts';
import { connectAll, openStore } from './connections.ts';
import type { Owned } from './connections.ts';
import { translateError } from './http/errors.ts';
import { accountJobId, openAccountJobs } from './intake/account-jobs.ts';
import { startDeactivationsWorker } from './intake/deactivations-worker.ts';
import { chunkIdOf, startEmailEventsWorker } from './intake/email-events-worker.ts';
import { openEraseFromJobs } from './intake/erase-from-jobs.ts';
import { createTakeEvents } from './intake/events-route.ts';
import { createIntakeMetrics } from './intake/intake-metrics.ts';
import { openRejectedEvents } from './intake/rejected-events.ts';
import { openOperationsWebhook } from './operations-webhook/operations-webhook.ts';
import { createAccountsOverview } from './operations/accounts-overview.ts';
import { createBoard } from './operations/board.ts';
import { createDestinationActions } from './operations/destination-actions.ts';
import { createDiscard } from './operations/discard.ts';
import { watchIntake } from './operations/intake-watch.ts';
import type { InstallationDeps } from './operations/installation.ts';
import { createReadOperations } from './operations/operations-overview.ts';
import { extendOperations } from './operations/operations-routes.ts';
import { createNotices } from './pages/operations/notices.ts';
import { OVERVIEW_ASSETS } from './pages/operations/overview-page.ts';
import { addQueueGauges } from './operations/queue-gauges.ts';
import { createHealth } from './operations/readiness.ts';
import { createAccountApi } from './customer-api/account-api.ts';
import type { AccountApi } from './customer-api/account-api.ts';
import { createPublicListener } from './listener.ts';
import { createRequestObserver } from './http/request-observer.ts';
import { createRequestTracing } from './http/request-tracing.ts';
import type { RequestTracing } from './http/request-tracing.ts';
import type { RequestLimits } from './auth/request-limits.ts';
import { createProtection } from './protection.ts';
import { loadGuides } from './pages/guides/guides.ts';
import { loadAssets } from './pages/html/assets.ts';
import { createReceiverTools } from './customer-api/receiver-tools.ts';
import { createAccess, createOperationsPages, createPages } from './compose-pages.ts';

const CLOSE_TIMEOUT_MS = 12_000;

export interface Api extends Closeable {
  readonly port: number;
  readonly opsPort: number;
}

/** The folders whose files the api serves. */
export interface Folders {
  /** The pages' style sheets and scripts. */
  readonly assets: string;
  /** The documents of this repository, of which the guides and the runbook are served. */
  readonly docs: string;
}

/**
 * The service's composition root. Resolves when the service takes requests and jobs. `close` stops its parts in the
 * opposite order.
 */
export async function compose(config: Config, logger: Logger, folders: Folders): Promise<Api> {
  const parts: Closeable[] = [];
  const owned = <Part extends Closeable>(part: Part): Part => {
    parts.push(part);
    return part;
  };
  const close = () => closeInOrder(parts, CLOSE_TIMEOUT_MS);
  try {
    return { ...(await start(config, logger, folders, owned)), close };
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
  folders: Folders,
  owned: Owned,
): Promise<Pick<Api, 'port' | 'opsPort'>> {
  const { HOST: host, QUEUE_PREFIX: prefix, QUEUE_SHARDS: shards } = config;
  const requests = await openRequestTracing(config, logger, owned);
  const { redis, jobs, subscriber, watch } = await connectAll(config, logger, owned);
  if (config.MONGO_URL !== undefined && config.SECRETS_KEY === undefined)
    logger.warn('signing secrets and logins of receivers are stored unencrypted; set SECRETS_KEY');
  const store = owned(await openStore(config, redis, logger));
  const guides = loadGuides(folders.docs);
  const engine = { redis, queuePrefix: prefix, shards };
  const deadLetters = owned(createDeadLetterBox(engine));
  const usages = createAccountUsages(engine);
  const accounts = await openAccounts(config, { ...engine, store, subscriber, deadLetters, usages, logger }, owned);
  const metrics = createApiMetrics(config, engine);
  const protection = createProtection(config, { ...accounts, redis, metrics, logger });
  owned(protection.security);
  const intakeDeps = { redis, jobs, store, accounts, metrics, logger, requests, usages };
  const intake = await startIntake(config, intakeDeps, owned);
  const health = {
    ...createHealth({ redis, watch, store, workers: intake.workers }),
    intake: owned(watchIntake(redis)),
  };
  const board = owned(createBoard({ redis, prefix, shards, isReadOnly: config.BULL_BOARD_READ_ONLY }));
  const discard = createDiscard({ deadLetters, metrics, logger });
  const shown = createOverviewDeps(config, { ...engine, store, deadLetters, usages, health, logger });
  const audit = createAuditLog({ redis, prefix, logger });
  const notices = createNotices({ redis, prefix });
  const overview = { ...shown, health, deadLetters, discard, ...protection, audit, notices, logger };
  let publicPort = config.PORT;
  const operations = owned(
    await startOperationsServer({
      host: config.OPS_HOST ?? host,
      port: config.OPS_PORT,
      metrics,
      logger,
      ...health,
      extend: extendOperations({
        ...accounts,
        ...overview,
        store,
        board,
        publicUrl: config.PUBLIC_URL,
        publicPort: () => publicPort,
        addPages: createOperationsPages(loadAssets(folders.assets, OVERVIEW_ASSETS), guides, overview),
      }),
      translate: translateError,
      onProblem: protection.security.noteRefusal,
    }),
  );
  const api = createCustomerApi(config, { ...accounts, ...protection, redis, store, deadLetters, logger }, owned);
  const pages = { api, audit, guides, store, logger, redis };
  const app = createPublicListener({
    api,
    audit,
    logger,
    ...protection,
    trustProxy: config.TRUST_PROXY,
    observe: createRequestObserver({ metrics, logger, requests }),
    joinTrace: requests?.join,
    takeEvents: createTakeEvents({ ...intake, ...protection, requests }),
    extend: createPages(config, folders.assets, { ...pages, ...accounts, ...protection }),
  });
  const server = owned(await listen({ host, port: config.PORT, app, connections: protection.connections }));
  publicPort = server.port;
  return { port: server.port, opsPort: operations.port };
}

type OpenAccountsDeps = EngineAt &
  Pick<DeletionsDeps, 'store' | 'deadLetters' | 'usages' | 'logger'> & { readonly subscriber: Redis };

/** The accounts, the sessions of their customers, what deletes them, and the operators' tokens. */
async function openAccounts(config: Config, { subscriber, ...deps }: OpenAccountsDeps, owned: Owned) {
  const { QUEUE_PREFIX: prefix, PRODUCER_TOKEN: producerToken } = config;
  const registry = createDestinationRegistry(deps);
  const sealing = createSealing(config.SECRETS_KEY ?? []);
  const accounts = owned(await createAccounts({ ...deps, registry, subscriber, prefix, producerToken, sealing }));
  const access = createAccess(config, { ...accounts, ...deps });
  const erasing = { eraseRecords: createEraseRecords(deps), sessions: access.sessions };
  const deletions = owned(startDeletions({ ...accounts, ...deps, ...erasing, registry, prefix }));
  const eraseEvents = createEraseEvents(deps);
  const { search: eraseFromJobs } = owned(openEraseFromJobs({ redis: deps.redis, prefix }));
  const movedJobId = (job: { readonly id: string; readonly timestamp: number }, account: string) =>
    accountJobId(chunkIdOf(job), account);
  const erasures = owned(startErasures({ ...deps, eraseEvents, eraseFromJobs, movedJobId, prefix }));
  const adminTokens = createAdminTokens(config.ADMIN_TOKEN);
  for (const watch of watchTokenFiles(config, { ...accounts, adminTokens }, deps.logger)) owned(watch);
  return { ...accounts, ...access, deletions, erasures, adminTokens };
}

type CustomerApiDeps = Accounts & {
  readonly redis: Redis;
  readonly store: Store;
  readonly deadLetters: DeadLetterBox;
  readonly limits: RequestLimits;
  readonly logger: Logger;
};

/** What a customer can do, for the REST API and the settings page. */
function createCustomerApi(config: Config, { redis, logger, ...deps }: CustomerApiDeps, owned: Owned): AccountApi {
  const engine = { redis, queuePrefix: config.QUEUE_PREFIX, shards: config.QUEUE_SHARDS };
  const sealing = createSealing(config.SECRETS_KEY ?? []);
  const testing = createReceiverTools(config, { ...deps, redis, sealing, logger }, owned);
  return createAccountApi({
    ...deps,
    ...testing,
    sealing,
    finder: createEventFinder({ ...engine, attempts: testing.attempts }),
    readDestinations: createReadDestinations(engine),
    readHeldEvents: createReadHeldEvents(engine),
    control: createDestinationControl(engine),
    registry: createDestinationRegistry(engine),
    history: createDeliveryHistory(engine),
  });
}

/**
 * Opened first and therefore closed last, because closing may wait for a trace collector and must not delay the other
 * parts.
 */
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

interface OverviewDepsFrom extends EngineAt {
  readonly store: Store;
  readonly deadLetters: DeadLetterBox;
  readonly usages: AccountUsages;
  readonly health: Pick<InstallationDeps, 'isReady' | 'intake'>;
  readonly logger: Logger;
}

/** The engine's data for operators, and their actions on destinations. */
function createOverviewDeps(config: Config, deps: OverviewDepsFrom) {
  const { store, deadLetters, usages, health, logger, ...engine } = deps;
  const control = createDestinationControl(engine);
  const accounts = createAccountsOverview({
    store,
    findDestination: (id) => control.find(id),
    usages,
    readDestinations: createReadDestinations(engine),
    limits: { events: config.WAITING_MAX_EVENTS, bytes: config.WAITING_MAX_BYTES },
  });
  const overview = createOverview(engine);
  return {
    accounts,
    overview,
    isHttpsOnly: config.HTTPS_ONLY_DESTINATIONS,
    readOperations: createReadOperations({ ...engine, ...health, accounts, deadLetters, overview }),
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
  readonly usages: AccountUsages;
}

/**
 * The intake over HTTP, the workers that take events and deactivations from Redis, and the messages to the platform.
 */
async function startIntake(config: Config, deps: IntakeDeps, owned: Owned) {
  const { redis, jobs: connection, store, accounts, logger } = deps;
  const { QUEUE_PREFIX: prefix, QUEUE_SHARDS: shards } = config;
  const limits = { waitingMaxEvents: config.WAITING_MAX_EVENTS, waitingMaxBytes: config.WAITING_MAX_BYTES };
  const publisher = owned(await createPublisher({ redis, queuePrefix: prefix, shards, ...limits }));
  const history = owned(
    createDeliveryCounter({
      redis,
      queuePrefix: prefix,
      shards,
      onError: (error) => logger.warn('counts of events without a destination could not be written', { error }),
    }),
  );
  const intake = { routing: accounts.routing, publisher, metrics: createIntakeMetrics(deps.metrics, history) };
  const rejected = owned(openRejectedEvents({ redis, prefix, logger, onDropped: intake.metrics.forgotten }));
  const jobs = { rejected, apart: owned(openAccountJobs({ redis, prefix })), tracing: deps.requests?.tracing };
  const webhook = await openOperationsWebhook(config, { redis, queuePrefix: prefix, shards, logger });
  if (webhook !== undefined) owned(webhook).start({ publisher, usages: deps.usages });
  const announce = webhook?.announceDeactivation;
  const workers = [
    startEmailEventsWorker({ ...intake, ...jobs, connection, prefix, logger }),
    startDeactivationsWorker({ store, writer: accounts.writer, connection, prefix, logger, announce }),
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
