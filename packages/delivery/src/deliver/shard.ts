import { hostname } from 'node:os';
import type { BreakerPolicy, Mechanism, SettlePolicy } from '@mailhook/core';
import { engineQueues, longestWaitMs, parkJob, resendJob } from '@mailhook/core';
import { untilNextMs } from '@mailhook/platform/timers';
import type { Logger } from '@mailhook/platform/logger';
import type { Metrics } from '@mailhook/platform/metrics';
import type { JobGate } from '@mailhook/platform/queue';
import { duplicateRedis, subscribe } from '@mailhook/platform/redis';
import type { Redis, Subscription } from '@mailhook/platform/redis';
import type { Tracing } from '@mailhook/platform/tracing';
import type { Job } from 'bullmq';
import { UnrecoverableError } from 'bullmq';
import type { z } from 'zod';
import type { MailboxCommands } from '../mailbox/commands/engine.ts';
import { createMailboxCommands } from '../mailbox/commands/engine.ts';
import { HEARTBEAT_MS, LEASE_MS } from '../mailbox/constants.ts';
import type { Installation } from '../mailbox/installation.ts';
import type { EngineKeys } from '../mailbox/keys.ts';
import { engineKeys } from '../mailbox/keys.ts';
import type { AttemptRecorder } from '../record/attempt-recorder.ts';
import type { DeliveryCounter } from '../record/delivery-counter.ts';
import type { EngineMetrics } from '../record/metrics.ts';
import { reportAttempt } from '../record/report-attempt.ts';
import { NO_ROOM } from './admission.ts';
import type { MailboxTarget } from './chunk-worker.ts';
import { chunkProcessor } from './chunk-worker.ts';
import { deadLetterProcessor, EngineJobs } from './jobs.ts';
import { Lease } from './lease.ts';
import { CHECKS_PER_RECONCILIATION, LOST_CLAIMS_CHECK_MS } from './limits.ts';
import type { LocalFaults } from './local-faults.ts';
import { EngineReports } from './observer.ts';
import type { PoolLimits } from './pool.ts';
import { DrainPool } from './pool.ts';
import type { RetryWhileAway } from './queue-workers.ts';
import { createRetryWhileAway, openWorkers } from './queue-workers.ts';
import type { Sender } from './send.ts';
import { Reconciler } from './reconciler.ts';
import type { Runtime, Timer } from './runtime.ts';

type EngineLimits = Omit<PoolLimits, 'maxAgeMs'>;

/** Settings and dependencies of an engine. */
export interface EngineOptions {
  readonly kind: Mechanism;
  /** For functions. Its connection rejects immediately while Redis is away, and the engine repeats the call. */
  readonly installation: Installation;
  /** For BullMQ's queues and workers and, duplicated, for subscriptions. Waits for Redis to come back. */
  readonly connection: Redis;
  readonly sender: Sender;
  readonly settlePolicy: SettlePolicy;
  readonly breakerPolicy: BreakerPolicy;
  readonly limits: EngineLimits;
  readonly waitingMaxAgeMs: number;
  /** How long an id of a producer makes another event a duplicate. */
  readonly eventIdWindowMs: number;
  readonly deliveryTimeoutMs: number;
  readonly attemptLog: Pick<AttemptRecorder, 'record' | 'takesDelivered'>;
  readonly history: Pick<DeliveryCounter, 'count'>;
  readonly metrics: Metrics;
  readonly logger: Logger;
  /** Gets a span per attempt if its events have a trace context. Without it, no spans are written. */
  readonly tracing?: Tracing | undefined;
}

/** What all shards of an engine share. */
interface Shared {
  readonly faults: LocalFaults;
  readonly chunkGate: JobGate;
  /** Opens BullMQ's queues, over the connection that waits for Redis. */
  readonly queueInstallation: Installation;
  readonly runtime: Runtime;
}

/** The engine of one mechanism and shard: its lease, drain pool, jobs and their BullMQ workers. */
export class EngineShard {
  readonly #options: EngineOptions;
  readonly #chunkGate: JobGate;
  readonly #keys: EngineKeys;
  // Letters and digits only, because the fencing token is `<worker>.<claim>` and begins the ids of batches.
  readonly #worker: string;
  readonly #runtime: Runtime;
  readonly #limits: PoolLimits;
  readonly #commands: MailboxCommands;
  readonly #reports: EngineReports;
  readonly #jobs: EngineJobs;
  readonly #lease: Lease;
  readonly #pool: DrainPool;
  readonly #reconciler: Reconciler;
  readonly #others = new Map<string, MailboxTarget>();
  #subscriber: Redis | undefined;
  #subscription: Subscription | undefined;
  #workers: ReturnType<typeof openWorkers> | undefined;
  #reconcileTimer: Timer | undefined;
  #isStopping = false;
  readonly #retryWhileAway: RetryWhileAway;

  constructor(
    options: EngineOptions,
    keys: EngineKeys,
    metrics: EngineMetrics,
    { faults, chunkGate, queueInstallation, runtime }: Shared,
  ) {
    const { kind, shard } = keys;
    const { redis } = options.installation;
    this.#options = options;
    this.#runtime = runtime;
    this.#worker = `w${runtime.id(6)}`;
    this.#retryWhileAway = createRetryWhileAway({
      runtime,
      isStopping: () => this.#isStopping,
      onError: (error) => this.#reports.error(error),
    });
    this.#chunkGate = chunkGate;
    this.#keys = keys;
    this.#limits = { ...options.limits, maxAgeMs: options.waitingMaxAgeMs };
    this.#commands = createMailboxCommands(redis, keys, metrics.scriptTook);
    this.#jobs = new EngineJobs(queueInstallation, keys);
    const report = reportAttempt({ ...options, metrics });
    const { logger } = options;
    this.#reports = new EngineReports({
      kind,
      shard,
      logger,
      metrics,
      faults,
      jobs: this.#jobs,
      report,
      commands: this.#commands,
    });
    const common = { commands: this.#commands, runtime, worker: this.#worker, observer: this.#reports };
    this.#lease = new Lease({
      ...common,
      host: `${hostname()} ${process.pid}`,
      leaseMs: LEASE_MS,
      heartbeatMs: HEARTBEAT_MS,
      longestWaitMs: longestWaitMs(options.settlePolicy.retry),
      onWaiting: (waiting) => this.#pool.noteWaiting(waiting),
      onReloaded: () => this.#pool.suspectClaims(),
    });
    const { sender, settlePolicy, breakerPolicy, waitingMaxAgeMs } = options;
    const policies = { sender, settlePolicy, breakerPolicy };
    this.#pool = new DrainPool({ ...common, ...policies, lease: this.#lease, limits: this.#limits });
    const chunks = queueInstallation.queue(engineQueues(kind).chunks, shard);
    const parts = { redis, chunks, keys, pool: this.#pool, jobs: this.#jobs };
    this.#reconciler = new Reconciler({ ...common, ...parts, waitingMaxAgeMs });
  }

  async start(): Promise<void> {
    await this.#lease.start();
    this.#subscriber = duplicateRedis(this.#options.connection);
    this.#subscriber.on('error', (error: Error) => this.#reports.error(error));
    const onMessage = (): void => this.#pool.noteWaiting(SOME);
    this.#subscription = await subscribe({ client: this.#subscriber, channel: this.#keys.readyChannel, onMessage });
    this.#workers = openWorkers(
      this.#options.connection,
      this.#keys,
      {
        chunks: this.#chunkProcessor(),
        resends: this.#wakeProcessor(resendJob, (data) => this.#commands.wake(data.destination, data.resend)),
        parks: this.#wakeProcessor(parkJob, (data) => this.#commands.wake(data.destination)),
        deadLetters: deadLetterProcessor({
          redrive: (id) => {
            const resend = `r${this.#runtime.id(8)}`;
            return this.#commands.redrive(id, resend, resend);
          },
        }),
      },
      this.#chunkGate,
      (error) => this.#reports.error(error),
      () => this.#lease.isFresh,
    );
    this.#scheduleReconciler();
  }

  /** Reasons why this shard cannot work, as sentences. Empty when it can. */
  readiness(): readonly string[] {
    const { kind } = this.#options;
    return [
      ...(this.#lease.isFresh ? [] : [`the ${kind} worker cannot renew its lease: ${this.#lease.lastError}`]),
      ...(this.#workers?.faults() ?? []),
    ];
  }

  /** Stops taking work, waits for requests in flight until their deadline, and releases every destination. */
  async close(): Promise<void> {
    this.#isStopping = true;
    this.#reports.stop();
    this.#runtime.cancel(this.#reconcileTimer);
    this.#subscription?.close();
    this.#subscriber?.disconnect();
    this.#pool.startReleasing();
    const requestsEndByMs = this.#runtime.now() + this.#options.deliveryTimeoutMs + 1000;
    // Wait for the chunk jobs first, because an active one may still claim destinations.
    await this.#workers?.close();
    await this.#pool.stop(requestsEndByMs - this.#runtime.now());
    await this.#lease.stop().catch((error: unknown) => this.#reports.error(error as Error));
    await this.#jobs.finish();
  }

  #chunkProcessor(): (job: Job<unknown>) => Promise<void> {
    return chunkProcessor({
      shards: this.#options.installation.shards,
      shard: this.#keys.shard,
      targetOf: (kind, shard) => this.#targetOf(kind, shard),
      jobKey: (jobId) => `${this.#keys.queuePrefix}:${this.#keys.kind}-chunks:${jobId}`,
      retryWhileAway: this.#retryWhileAway,
      end: (jobKey, end) => this.#commands.endChunk(jobKey, end),
      onDropped: (events) => this.#reports.dropped(events),
    });
  }

  #targetOf(kind: Mechanism, shard: number): MailboxTarget {
    const { eventIdWindowMs } = this.#options;
    if (kind === this.#keys.kind && shard === this.#keys.shard)
      return {
        claimIds: (claim) => this.#commands.claimIds(claim, eventIdWindowMs),
        forgetClaims: (chunk) => this.#commands.forgetClaims(chunk),
        append: (slice) => this.#pool.append(slice),
      };
    const key = `${kind}${shard}`;
    let target = this.#others.get(key);
    if (target === undefined) {
      const { redis, prefix } = this.#options.installation;
      const commands = createMailboxCommands(redis, engineKeys(prefix, shard, kind));
      target = remoteTarget(commands, this.#limits, eventIdWindowMs);
      this.#others.set(key, target);
    }
    return target;
  }

  #wakeProcessor<Data>(
    schema: z.ZodType<Data>,
    wake: (data: Data) => Promise<boolean>,
  ): (job: Job<unknown>) => Promise<void> {
    return async (job) => {
      const parsed = schema.safeParse(job.data);
      if (!parsed.success) throw new UnrecoverableError(`malformed job: ${parsed.error.message}`);
      if (await this.#retryWhileAway(() => wake(parsed.data))) this.#pool.noteWaiting(SOME);
    };
  }

  #scheduleReconciler(round = 1): void {
    this.#reconcileTimer = this.#runtime.later(
      () => {
        const isWhole = round % CHECKS_PER_RECONCILIATION === 0;
        void (isWhole ? this.#reconciler.run() : this.#reconciler.returnLostClaims())
          .catch((error: unknown) => this.#reports.error(error as Error))
          .finally(() => {
            if (!this.#isStopping) this.#scheduleReconciler(round + 1);
          });
      },
      untilNextMs(LOST_CLAIMS_CHECK_MS, this.#runtime.now()),
    );
  }
}

/** Mailboxes of the other mechanism or another shard. Their destinations wait on a ready list. */
const remoteTarget = (commands: MailboxCommands, limits: PoolLimits, eventIdWindowMs: number): MailboxTarget => ({
  claimIds: (claim) => commands.claimIds(claim, eventIdWindowMs),
  forgetClaims: (chunk) => commands.forgetClaims(chunk),
  async append({ number, ...slice }) {
    const reply = await commands.append({ ...slice, slice: number, worker: '', firstClaim: 0, room: NO_ROOM, limits });
    return typeof reply === 'string' ? 0 : reply.dropped;
  },
});

/** At least one destination waits, of an unknown kind. */
const SOME = { proven: 1, others: 1 };
