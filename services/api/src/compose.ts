import { loadAssets, loadGuides, OPERATIONS_ASSETS } from '@mailhook/console';
import { MAILHOOK_VERSION, mechanism } from '@mailhook/core';
import type { Store } from '@mailhook/core';
import {
  addInstallationInfo,
  createDeadLetterBox,
  createDeliveryCounter,
  createDestinationControl,
  createDestinationRegistry,
  createMailboxChecks,
  createEraseEvents,
  createEraseRecords,
  createPublisher,
  createReplayProgress,
  createReplayPublisher,
  Installation,
  startTrendSamples,
  startTrendTotals,
} from '@mailhook/delivery';
import {
  createAccountUsages,
  createDeliveryHistory,
  createEngineGauges,
  createEventFinder,
  createReadDestinations,
  createReadHeldEvents,
  createTrends,
} from '@mailhook/insight';
import { listen } from '@mailhook/platform/http-server';
import type { Closeable, Owned } from '@mailhook/platform/lifecycle';
import { closeInOrder } from '@mailhook/platform/lifecycle';
import type { Logger } from '@mailhook/platform/logger';
import { countUnhandledRejections, createMetrics } from '@mailhook/platform/metrics';
import type { Metrics } from '@mailhook/platform/metrics';
import { addRedisGauges, createReconnectWait } from '@mailhook/platform/redis';
import type { Redis } from '@mailhook/platform/redis';
import { createSealing } from '@mailhook/platform/sealing';
import { openTracing } from '@mailhook/platform/tracing';
import { createAccounts } from './accounts/accounts.ts';
import { startErasures } from './accounts/erasures.ts';
import { OPERATORS } from './accounts/token-uses.ts';
import { startDeletions } from './accounts/deletions.ts';
import { openAlerts } from './alerts/alerts.ts';
import { createAuditLog } from './audit/audit-log.ts';
import { createAdminTokens } from './auth/admin-tokens.ts';
import { watchTokenFiles } from './auth/watch-token-files.ts';
import type { Config } from './config.ts';
import { connectAll, openStore } from './composition/connections.ts';
import { accountJobId, createAccountJobs } from './intake/account-jobs.ts';
import { startDeactivationsWorker } from './intake/deactivations-worker.ts';
import { chunkIdOf, startEmailEventsWorker } from './intake/email-events-worker.ts';
import { createEraseFromJobs } from './intake/erase-from-jobs.ts';
import { createTakeEvents } from './intake/events-route.ts';
import { createRefusals } from './accounts/refusals.ts';
import { createIntakeMetrics } from './intake/intake-metrics.ts';
import { openRejectedEvents } from './intake/rejected-events.ts';
import { openOperationsMessages } from './operations-webhook/operations-webhook.ts';
import { watchIntake } from './operations/intake-watch.ts';
import { addQueueGauges } from './operations/queue-gauges.ts';
import { createDiscard } from './operations/discard.ts';
import { startFeeder } from './event-log/feeder.ts';
import { startLogPlaces } from './event-log/log-places.ts';
import type { LogPlaces } from './event-log/log-places.ts';
import { openEventLog } from './event-log/open.ts';
import type { OpenLog, WatchedLog } from './event-log/open.ts';
import { createReplays } from './event-log/replays.ts';
import type { Replays } from './event-log/replays.ts';
import { createServices } from './customer-api/services.ts';
import type { Services } from './customer-api/services.ts';
import { createPublicListener } from './composition/listener.ts';
import { createRequestObserver } from './http/request-observer.ts';
import { createRequestTracing } from './http/request-tracing.ts';
import type { RequestTracing } from './http/request-tracing.ts';
import type { RequestLimits } from './auth/request-limits.ts';
import { createProtection } from './auth/protection.ts';
import { startOperations } from './composition/operations.ts';
import type { ApiData, OpenedAccounts, Records } from './composition/parts.ts';
import { createHealth } from './operations/readiness.ts';
import { createReceiverTools, createWebhookRules } from './customer-api/receiver-tools.ts';
import { createAccess, createOperationsPages, createPages } from './composition/pages.ts';

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
  const { redis, jobs, subscriber, watch, functions } = await connectAll(config, logger, owned);
  if (config.MONGO_URL !== undefined && config.SECRETS_KEY === undefined)
    logger.warn('signing secrets and logins of receivers are stored unencrypted; set SECRETS_KEY');
  const store = owned(await openStore(config, redis, logger));
  const guides = loadGuides(folders.docs, config.DELIVERY_TIMEOUT_MS);
  const installation = owned(new Installation(redis, prefix, shards));
  const deadLetters = createDeadLetterBox(installation);
  const metrics = createApiMetrics(config, installation);
  owned(countUnhandledRejections(metrics));
  functions.observe(metrics);
  const discard = createDiscard({ deadLetters, metrics, logger });
  const data: ApiData = { installation, store, deadLetters, discard, usages: createAccountUsages(installation) };
  const { openLog, logs } = await startLog(config, { installation, accounts: store, metrics, logger }, owned);
  const opened = await openAccounts(config, { data, subscriber, logger, logs }, owned);
  const { accounts, adminTokens } = opened;
  const { tokens, producerTokens } = accounts;
  const records: Records = { metrics, audit: createAuditLog({ redis, prefix, logger }), logger };
  const protection = createProtection(config, { tokens, producerTokens, adminTokens, redis, metrics, logger });
  owned(protection.security);
  const { workers, ...intake } = await startIntake(config, { data, opened, records, jobs, requests, openLog }, owned);
  const refusals = owned(createRefusals({ redis, prefix, logger }));
  const readiness = createHealth({ redis, watch, store, workers, logger });
  const health = { ...readiness, intake: owned(watchIntake(installation, logger)), refusals };
  startTrends(records, installation, owned);
  let publicPort = config.PORT;
  const operationsPages = createOperationsPages(loadAssets(folders.assets, OPERATIONS_ASSETS), guides);
  const operationsParts = { data, opened, protection, records, health, openLog, ...operationsPages };
  const operations = await startOperations(config, { ...operationsParts, publicPort: () => publicPort }, owned);
  const replays = createReplays(installation);
  const limits = protection.limits;
  const services = createCustomerServices(config, { data, opened, limits, openLog, replays, records }, owned);
  if (openLog !== undefined) {
    const destinations = (account: string) => accounts.reader.destinations(account);
    const replayPublisher = createReplayPublisher(installation);
    const { publisher } = intake;
    const progress = createReplayProgress(installation);
    const parts = { installation, open: openLog, replays, publisher, replayPublisher, progress, destinations, logger };
    owned(startFeeder(parts));
  }
  const app = createPublicListener({
    services,
    audit: records.audit,
    logger,
    protection,
    trustProxy: config.TRUST_PROXY,
    observe: createRequestObserver({ metrics, logger, requests }),
    joinTrace: requests?.join,
    takeEvents: createTakeEvents({
      ...intake,
      bodies: protection.bodies,
      refusals,
      reconnected: createReconnectWait(redis),
      requests,
    }),
    ...createPages(config, folders.assets, { api: services, data, opened, protection, records, guides }),
  });
  const server = owned(await listen({ host, port: config.PORT, app, connections: protection.connections }));
  publicPort = server.port;
  return { port: server.port, opsPort: operations.port };
}

/** The log of accepted events, undefined while it is off, and all places with entries of it. */
async function startLog(
  config: Config,
  deps: Pick<Records, 'metrics' | 'logger'> & Pick<ApiData, 'installation'> & { readonly accounts: Store },
  owned: Owned,
): Promise<{ readonly openLog: WatchedLog | undefined; readonly logs: LogPlaces }> {
  const sealing = createSealing(config.SECRETS_KEY ?? []);
  const open = await openEventLog(config, { ...deps, sealing });
  const { EVENT_LOG: place, EVENT_LOG_RETENTION: retentionMs, AWS_ENDPOINT_URL_S3: endpoint } = config;
  if (open !== undefined) owned(open);
  const logs = owned(await startLogPlaces({ ...deps, sealing, place, log: open?.log, retentionMs, endpoint }));
  return { openLog: open, logs };
}

/** Writes what operators see as trends. */
function startTrends({ metrics, logger }: Records, installation: Installation, owned: Owned): void {
  const onError = (error: Error): void => void logger.warn('the trends could not be written', { error });
  owned(startTrendSamples({ installation, readOldest: createTrends(installation).readOldest, onError }));
  owned(startTrendTotals('accepted', { installation, metrics, onError }));
}

interface OpenAccountsDeps {
  readonly data: ApiData;
  readonly subscriber: Redis;
  readonly logger: Logger;
  readonly logs: LogPlaces;
}

/** The accounts, the sessions of their customers, what deletes them, and the operators' tokens. */
async function openAccounts(
  config: Config,
  { data, subscriber, logger, logs }: OpenAccountsDeps,
  owned: Owned,
): Promise<OpenedAccounts> {
  const { installation, store, deadLetters, usages } = data;
  const { redis } = installation;
  const { QUEUE_PREFIX: prefix, PRODUCER_TOKEN: producerToken } = config;
  const registry = createDestinationRegistry(installation);
  const mailboxes = createMailboxChecks(installation);
  const sealing = createSealing(config.SECRETS_KEY ?? []);
  const accounts = owned(
    await createAccounts({ store, registry, mailboxes, redis, subscriber, prefix, sealing, producerToken, logger }),
  );
  const { sessions, links } = createAccess(config, { redis, store, tokens: accounts.tokens, logger });
  const { routing, tokens, tokenUses, bus } = accounts;
  const deletions = owned(
    startDeletions({
      store,
      access: { routing, tokens, bus, sessions },
      data: { registry, deadLetters, tokenUses, eraseRecords: createEraseRecords(installation), usages },
      logs,
      redis,
      prefix,
      logger,
    }),
  );
  const eraseEvents = createEraseEvents(installation, deadLetters);
  const eraseFromJobs = createEraseFromJobs(installation);
  const movedJobId = (job: { readonly id: string; readonly timestamp: number }, account: string) =>
    accountJobId(chunkIdOf(job), account);
  const erasures = owned(startErasures({ installation, store, eraseEvents, eraseFromJobs, movedJobId, logs, logger }));
  const adminTokens = createAdminTokens(config.ADMIN_TOKEN, (label) => tokenUses.note(OPERATORS, label));
  for (const watch of watchTokenFiles(config, { ...accounts, adminTokens }, logger)) owned(watch);
  const { writer } = accounts;
  const rules = createWebhookRules(config, installation);
  const alerts = owned(openAlerts(config, { installation, store, writer, rules, logger }));
  return { accounts, sessions, links, deletions, erasures, adminTokens, alerts };
}

interface CustomerServicesDeps {
  readonly data: ApiData;
  readonly opened: OpenedAccounts;
  readonly limits: RequestLimits;
  readonly openLog: OpenLog | undefined;
  readonly replays: Replays;
  readonly records: Pick<Records, 'audit' | 'logger'>;
}

/** What a customer can do, for the REST API and the settings page. */
function createCustomerServices(
  config: Config,
  { data, opened: { accounts, alerts }, limits, openLog, replays, records }: CustomerServicesDeps,
  owned: Owned,
): Services {
  const { installation, store, deadLetters, discard } = data;
  const sealing = createSealing(config.SECRETS_KEY ?? []);
  const { reader, writer, tokens, tokenUses, bus } = accounts;
  const registry = createDestinationRegistry(installation);
  const tools = createReceiverTools(config, { installation, store, sealing, limits, logger: records.logger }, owned);
  return createServices({
    data: { store, reader, writer, registry, sealing, tokens, tokenUses, bus },
    events: {
      deadLetters,
      discard,
      finder: createEventFinder(installation, tools.attempts),
      readDestinations: createReadDestinations(installation),
      readHeldEvents: createReadHeldEvents(installation),
      control: createDestinationControl(installation),
      history: createDeliveryHistory(installation),
      openLog,
      replays,
      progress: createReplayProgress(installation),
    },
    tools,
    limits,
    audit: records.audit,
    alerts: alerts.addresses,
  });
}

/**
 * Opened first and therefore closed last, because closing may wait for a trace collector and must not delay the other
 * parts.
 */
async function openRequestTracing(config: Config, logger: Logger, owned: Owned): Promise<RequestTracing | undefined> {
  const tracing = await openTracing({
    endpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT,
    disabled: config.OTEL_SDK_DISABLED,
    service: 'mailhook-api',
    version: MAILHOOK_VERSION,
    sampled: 'environment',
    logger,
  });
  return tracing === undefined ? undefined : createRequestTracing(owned(tracing));
}

interface IntakeDeps {
  readonly data: ApiData;
  readonly opened: Pick<OpenedAccounts, 'accounts' | 'alerts'>;
  readonly records: Records;
  /** The connection of the workers. */
  readonly jobs: Redis;
  readonly requests: RequestTracing | undefined;
  readonly openLog: OpenLog | undefined;
}

/**
 * The intake over HTTP, the workers that take events, deactivations and e-mails from Redis, and the messages to the
 * platform.
 */
async function startIntake(config: Config, deps: IntakeDeps, owned: Owned) {
  const { jobs: connection, data, records } = deps;
  const { accounts, alerts } = deps.opened;
  const { installation } = data;
  const { prefix } = installation;
  const { metrics, logger } = records;
  const limits = { waitingMaxEvents: config.WAITING_MAX_EVENTS, waitingMaxBytes: config.WAITING_MAX_BYTES };
  const publisher = owned(
    await createPublisher(installation, limits, {
      isLogOn: () => deps.openLog !== undefined,
      durability: config.INTAKE_DURABILITY,
    }),
  );
  const history = owned(
    createDeliveryCounter(installation, {
      onError: (error) => logger.warn('counts of events without a destination could not be written', { error }),
    }),
  );
  const intake = { routing: accounts.routing, publisher, metrics: createIntakeMetrics(metrics, history) };
  const rejected = owned(openRejectedEvents({ installation, logger, onDropped: intake.metrics.forgotten }));
  const jobs = { rejected, apart: createAccountJobs(installation), tracing: deps.requests?.tracing };
  const messages = await openOperationsMessages(config, { installation, logger, alerts: alerts.queue });
  owned(messages).start({ publisher, usages: data.usages });
  const announce = messages.announceDeactivation;
  const workers = [
    startEmailEventsWorker({ ...intake, ...jobs, connection, prefix, logger }),
    startDeactivationsWorker({ writer: accounts.writer, connection, prefix, logger, announce }),
    alerts.startWorker(connection),
  ];
  // At the same time, because each takes 2 s while Redis is away.
  const close = async (): Promise<void> => {
    await Promise.all(workers.map((worker) => worker.close()));
  };
  owned({ close });
  return { ...intake, workers };
}

/** Includes the metrics of the whole installation, so that they exist even when no worker runs. */
function createApiMetrics(config: Config, installation: Installation): Metrics {
  const metrics = createMetrics();
  addRedisGauges(metrics, installation.redis);
  createEngineGauges({ metrics, installation, kinds: mechanism.options });
  addQueueGauges(metrics, installation);
  addInstallationInfo(metrics, { ...config, store: config.MONGO_URL === undefined ? 'redis' : 'mongodb' });
  return metrics;
}
