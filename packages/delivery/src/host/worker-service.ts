import { getHeapStatistics } from 'node:v8';
import type { Mechanism } from '@mailhook/core';
import { MAILHOOK_VERSION, SHAPE_LIMITS } from '@mailhook/core';
import type { commonEnvironment, deliveryEnvironment, egressEnvironment } from '@mailhook/platform/config';
import { followRedisUrl } from '@mailhook/platform/config';
import { egressPolicy } from '@mailhook/platform/egress';
import { startOperationsServer } from '@mailhook/platform/http-server';
import type { Closeable } from '@mailhook/platform/lifecycle';
import { closeInOrder } from '@mailhook/platform/lifecycle';
import type { Logger } from '@mailhook/platform/logger';
import { createMetrics } from '@mailhook/platform/metrics';
import type { Metrics } from '@mailhook/platform/metrics';
import {
  checkRedisRights,
  addRedisGauges,
  closeRedis,
  connectRedis,
  logRedisSettings,
  rewriteAfterEachStart,
  watchConnections,
  whenReady,
} from '@mailhook/platform/redis';
import { createSealing } from '@mailhook/platform/sealing';
import { openTracing } from '@mailhook/platform/tracing';
import type { z } from 'zod';
import { createAttemptRecorder } from '../record/attempt-recorder.ts';
import { partsCloseTimeoutMs } from './close-times.ts';
import { createDeliveryCounter } from '../record/delivery-counter.ts';
import { startTrendTotals } from '../record/trend-totals.ts';
import { createSender } from '../deliver/send.ts';
import { startEngine } from '../deliver/engine.ts';
import { openFunctions } from '../mailbox/functions.ts';
import { Installation } from '../mailbox/installation.ts';
import { claimFormat } from './format.ts';
import { addInstallationInfo } from './installation-info.ts';
import { BLOCKED_NAME, createReceiverClient, REPLY_CAP_BYTES } from '../receiver-client/receiver-client.ts';
import { claimShardCount } from './shard-count.ts';

type WorkerConfig = z.output<
  z.ZodObject<typeof commonEnvironment & typeof egressEnvironment & typeof deliveryEnvironment>
> & {
  readonly OPS_PORT: number;
  readonly readAgain: { readonly redisUrl: (() => string) | undefined };
};

export interface WorkerServiceOptions {
  /** Name of the service in its spans, without `mailhook-`. */
  readonly name: string;
  readonly kind: Mechanism;
  readonly config: WorkerConfig;
  readonly logger: Logger;
  readonly scheduleMs: readonly number[];
  /** Adds the gauges of what the installation holds. */
  readonly addGauges: (metrics: Metrics, installation: Installation) => void;
}

/** Share of the heap for events in flight. Each is in memory up to three times, as event, body and socket data. */
const IN_FLIGHT_SHARE = 0.125;

const defaultInFlightBytes = (): number => Math.floor(getHeapStatistics().heap_size_limit * IN_FLIGHT_SHARE);

/** The same for both mechanisms, because each sends all shapes. A destination's record has lower limits of its own. */
const LIMITS = { slots: 256, ownedMax: 4096, windowMax: SHAPE_LIMITS.single.concurrency, sliceMs: 250 } as const;

const REDIS_PATIENCE_MS = 30_000;

/** Starts a worker service: Redis, receiver client, engine and operations port. Resolves when it takes work. */
export async function startWorkerService(options: WorkerServiceOptions): Promise<Closeable> {
  const { config, logger } = options;
  const { url, redis, connection, functions } = await connect(options);
  const watch = watchConnections({ url: url.now, clients: { scripts: redis, jobs: connection } });
  const tracing = await openAttemptTracing(options);
  const metrics = createMetrics();
  addRedisGauges(metrics, redis);
  functions.observe(metrics);
  addInstallationInfo(metrics, config);
  const installation = new Installation(redis, config.QUEUE_PREFIX, config.QUEUE_SHARDS);
  options.addGauges(metrics, installation);
  const { attemptLog, history } = createLogs(options, installation, metrics);
  const client = createReceiverClient({
    timeoutMs: config.DELIVERY_TIMEOUT_MS,
    replyCapBytes: REPLY_CAP_BYTES,
    replyExcerptBytes: config.REPLY_EXCERPT_BYTES,
    egress: egressPolicy(config),
    proxyUrl: config.EGRESS_PROXY_URL,
    idleMaxMs: config.IDLE_CONNECTION_MAX,
    onBlockedName: (name, ip, verdict) => logger.warn(BLOCKED_NAME, { name, ip, verdict }),
  });
  const sealing = createSealing(config.SECRETS_KEY ?? []);
  const sender = createSender({ client, sealing });
  const parts = { installation, connection, sender, attemptLog, history, metrics, tracing };
  const engine = await startEngine({ ...engineSettings(options), ...parts });
  const operations = await startOperationsServer({
    host: config.OPS_HOST,
    port: config.OPS_PORT,
    metrics,
    logger,
    isReady: async () => [...(await engine.readiness()), ...watch.faults()],
    hopeless: () => watch.hopeless(),
  });
  const clients = [redis, connection].map((client) => ({ close: () => closeRedis(client) }));
  const connections = closingTogether(watch, functions, url, ...clients);
  const totals = startTrendTotals('delivered', {
    installation,
    metrics,
    onError: (error) => logger.warn('deliveries could not be added to the trends', { error: error.message }),
  });
  const logs = closingTogether(attemptLog, history, totals);
  // Tracing closes last, because it may wait for its collector.
  const opened = [...(tracing === undefined ? [] : [tracing]), connections, client, logs];
  return {
    close: () => closeInOrder([...opened, engine, operations], partsCloseTimeoutMs(config)),
  };
}

/** Closes independent parts at the same time. */
const closingTogether = (...parts: readonly Closeable[]): Closeable => ({
  close: async () => {
    await Promise.all(parts.map((part) => part.close()));
  },
});

/** The engine's settings from the configuration. */
const engineSettings = ({ kind, config, logger, scheduleMs }: WorkerServiceOptions) => ({
  kind,
  settlePolicy: {
    retry: { scheduleMs, jitter: config.RETRY_JITTER },
    partialAck: config.PARTIAL_ACK,
    poisonSplit: config.POISON_SPLIT,
  },
  breakerPolicy: { failures: config.BREAKER_FAILURES, parkMaxMs: config.BREAKER_PARK_MAX },
  limits: {
    ...LIMITS,
    batchMax: config.CAMPAIGN_BATCH_MAX,
    inFlightCharsMax: config.IN_FLIGHT_BYTES_MAX ?? defaultInFlightBytes(),
  },
  waitingMaxAgeMs: config.WAITING_MAX_AGE,
  eventIdWindowMs: config.EVENT_ID_WINDOW,
  deliveryTimeoutMs: config.DELIVERY_TIMEOUT_MS,
  logger,
});

/** Samples all attempts, because events carry a context only if their trace was sampled at publishing. */
const openAttemptTracing = ({ name, config, logger }: WorkerServiceOptions) =>
  openTracing({
    endpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT,
    disabled: config.OTEL_SDK_DISABLED,
    service: `mailhook-${name}`,
    version: MAILHOOK_VERSION,
    sampled: 'all',
    logger,
  });

/** Opens the records of attempts that customers see. */
function createLogs({ logger, kind, config }: WorkerServiceOptions, installation: Installation, metrics: Metrics) {
  const notLogged = metrics.counter({
    name: 'mailhook_attempts_not_logged_total',
    help: 'Delivered attempts left out of the attempt log under overload',
    labels: ['kind'],
  });
  notLogged.inc({ kind }, 0);
  const attemptLog = createAttemptRecorder(installation, {
    bodiesKeptMs: config.DELIVERED_BODY_RETENTION,
    logBytesMax: config.ATTEMPT_LOG_BYTES_MAX,
    onDropped: (attempts) => notLogged.inc({ kind }, attempts),
    onError: (error) => logger.warn('attempts could not be logged', { error: error.message }),
  });
  const history = createDeliveryCounter(installation, {
    onError: (error) => logger.warn('deliveries could not be counted', { error: error.message }),
  });
  return { attemptLog, history };
}

async function connect({ config, logger, kind }: WorkerServiceOptions) {
  const url = followRedisUrl(config, logger);
  const common = { url: url.now, onError: url.onError };
  const redis = connectRedis({ ...common, role: 'fail-fast', name: `mailhook-${kind}` });
  const connection = connectRedis({ ...common, role: 'worker', name: `mailhook-${kind}-jobs` });
  await Promise.all([whenReady(redis, REDIS_PATIENCE_MS), whenReady(connection, REDIS_PATIENCE_MS)]);
  // Use the connection that waits for Redis, because a short outage must not end the start.
  await rewriteAfterEachStart(connection, logger);
  await logRedisSettings(connection, logger);
  await checkRedisRights(connection, config.QUEUE_PREFIX);
  await claimShardCount(connection, config.QUEUE_PREFIX, config.QUEUE_SHARDS);
  await claimFormat(connection, config.QUEUE_PREFIX);
  const functions = await openFunctions(connection, config.QUEUE_PREFIX, logger);
  return { url, redis, connection, functions };
}
