import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { Mechanism } from '@mailhook/core';
import { parkJob, resendJob } from '@mailhook/core';
import type { Job } from 'bullmq';
import { UnrecoverableError } from 'bullmq';
import { duplicateRedis, subscribe } from '@mailhook/platform/redis';
import type { JobGate } from '@mailhook/platform/queue';
import type { Redis, Subscription } from '@mailhook/platform/redis';
import type { z } from 'zod';
import { reportAttempt } from '../record/report-attempt.ts';
import { deadLetterProcessor } from './dead-letter-job.ts';
import type { DrainPoolLimits } from './drain-pool-deps.ts';
import { DrainPool } from './drain-pool.ts';
import { NO_ROOM } from './load.ts';
import { Lease } from './lease.ts';
import { EngineJobs } from './jobs.ts';
import type { EngineMetrics, Repair } from '../record/metrics.ts';
import { openWorkers } from './queue-workers.ts';
import type { EngineOptions } from './options.ts';
import type { MailboxTarget } from './chunk-worker.ts';
import { chunkProcessor } from './chunk-worker.ts';
import type { EngineKeys } from '../mailbox/keys.ts';
import { engineKeys } from '../mailbox/keys.ts';
import type { LocalFaults } from './local-faults.ts';
import { createRetryWhileAway } from './retry-while-away.ts';
import { ORPHAN_CHECK_MS, ORPHAN_CHECKS_PER_RECONCILIATION, Reconciler } from './reconciler.ts';
import type { GivenUp, MailboxCommands } from '../mailbox/commands.ts';
import type { FollowUpRecord } from '../mailbox/settle-arguments.ts';
import { HEARTBEAT_MS, LEASE_MS } from '../mailbox/constants.ts';
import { createMailboxCommands } from '../mailbox/commands.ts';

/** The engine of one mechanism and shard: its lease, drain pool, jobs and their BullMQ workers. */
export class EngineShard {
  readonly #options: EngineOptions;
  readonly #metrics: EngineMetrics;
  readonly #faults: LocalFaults;
  readonly #chunkGate: JobGate;
  readonly #keys: EngineKeys;
  // Letters and digits only, because the fencing token is `<worker>.<claim>` and begins the ids of batches.
  readonly #worker = `w${randomBytes(6).toString('hex')}`;
  readonly #limits: DrainPoolLimits;
  readonly #commands: MailboxCommands;
  readonly #jobs: EngineJobs;
  readonly #lease: Lease;
  readonly #pool: DrainPool;
  readonly #reconciler: Reconciler;
  readonly #others = new Map<string, MailboxTarget>();
  #subscriber: Redis | undefined;
  #subscription: Subscription | undefined;
  #workers: ReturnType<typeof openWorkers> | undefined;
  #reconcileTimer: NodeJS.Timeout | undefined;
  #isStopping = false;
  readonly #retryWhileAway = createRetryWhileAway({
    isStopping: () => this.#isStopping,
    onError: (error) => this.#onError(error),
  });

  constructor(
    options: EngineOptions,
    shard: number,
    metrics: EngineMetrics,
    { faults, chunkGate }: { readonly faults: LocalFaults; readonly chunkGate: JobGate },
  ) {
    const { redis, connection, queuePrefix, kind } = options;
    this.#options = options;
    this.#metrics = metrics;
    this.#faults = faults;
    this.#chunkGate = chunkGate;
    this.#keys = engineKeys(queuePrefix, shard, kind);
    this.#limits = { ...options.limits, maxAgeMs: options.waitingMaxAgeMs };
    this.#commands = createMailboxCommands(redis, this.#keys, metrics.scriptTook);
    this.#jobs = new EngineJobs(connection, queuePrefix, this.#keys);
    this.#lease = new Lease({
      commands: this.#commands,
      worker: this.#worker,
      host: `${hostname()} ${process.pid}`,
      leaseMs: LEASE_MS,
      heartbeatMs: HEARTBEAT_MS,
      onWaiting: (waiting) => this.#pool.offer(waiting),
      onRecovered: (destinations) =>
        options.logger.info('claimed the destinations of a worker with an expired lease', {
          kind,
          shard,
          destinations,
        }),
      onLost: ({ resends, parkings }) => {
        this.#onRepaired('resend', resends);
        this.#onRepaired('park', parkings);
      },
      onError: (error) => this.#onError(error),
    });
    this.#pool = this.#newPool();
    this.#reconciler = new Reconciler({
      redis,
      connection,
      keys: this.#keys,
      worker: this.#worker,
      commands: this.#commands,
      pool: this.#pool,
      jobs: this.#jobs,
      waitingMaxAgeMs: options.waitingMaxAgeMs,
      onRepaired: (repair, count) => this.#onRepaired(repair, count),
      onExpired: (destination, givenUp) => this.#onGivenUp(destination, givenUp),
    });
  }

  async start(): Promise<void> {
    await this.#lease.start();
    this.#subscriber = duplicateRedis(this.#options.connection);
    this.#subscriber.on('error', (error: Error) => this.#onError(error));
    const onMessage = (): void => this.#pool.offer(SOME);
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
            const resend = `r${randomBytes(8).toString('hex')}`;
            return this.#commands.redrive(id, resend, resend);
          },
        }),
      },
      this.#chunkGate,
      (error) => this.#onError(error),
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
    clearTimeout(this.#reconcileTimer);
    this.#subscription?.close();
    this.#subscriber?.disconnect();
    this.#pool.startReleasing();
    const requestsEndByMs = performance.now() + this.#options.deliveryTimeoutMs + 1000;
    // Wait for the chunk jobs first, because an active one may still claim destinations.
    await this.#workers?.close();
    await this.#pool.stop(requestsEndByMs - performance.now());
    await this.#lease.stop().catch((error: unknown) => this.#onError(error as Error));
    await Promise.all([this.#reconciler.close(), this.#jobs.close()]);
  }

  #onRepaired(repair: Repair, count: number): void {
    if (count === 0) return;
    this.#metrics.repaired(repair, count);
    const { logger, kind } = this.#options;
    logger.warn('the reconciler or a heartbeat made a repair', { kind, shard: this.#keys.shard, repair, count });
  }

  #newPool(): DrainPool {
    const { sender, settlePolicy, breakerPolicy } = this.#options;
    const report = reportAttempt({ ...this.#options, metrics: this.#metrics });
    return new DrainPool({
      commands: this.#commands,
      worker: this.#worker,
      lease: this.#lease,
      sender,
      settlePolicy,
      breakerPolicy,
      limits: this.#limits,
      onAttempt: (attempt) => {
        this.#faults.attempted();
        report(attempt);
      },
      onLocalFault: (fault) => this.#faults.met(fault),
      onFollowUps: (destination, account, followUps) =>
        this.#later(this.#addFollowUps(destination, account, followUps)),
      onParked: (destination, untilMs) => this.#later(this.#jobs.addPark(destination, untilMs)),
      onGone: (destination, account, gone) => this.#later(this.#deactivate(destination, account, gone)),
      onGivenUp: (destination, givenUp) => this.#onGivenUp(destination, givenUp),
      onError: (error) => this.#onError(error),
    });
  }

  #chunkProcessor(): (job: Job<unknown>) => Promise<void> {
    const { shards } = this.#options;
    return chunkProcessor({
      shards,
      shard: this.#keys.shard,
      targetOf: (kind, shard) => this.#targetOf(kind, shard),
      jobKey: (jobId) => `${this.#keys.queuePrefix}:${this.#keys.kind}-chunks:${jobId}`,
      retryWhileAway: this.#retryWhileAway,
      unqueue: (jobKey, shares) => this.#commands.unqueued(jobKey, shares),
      onDropped: (_kind, events) => this.#metrics.droppedEvents(events),
    });
  }

  #targetOf(kind: Mechanism, shard: number): MailboxTarget {
    if (kind === this.#keys.kind && shard === this.#keys.shard)
      return {
        claimIds: (...ids) => this.#commands.claimIds(...ids),
        append: (slice) => this.#pool.append(slice),
      };
    const key = `${kind}${shard}`;
    let target = this.#others.get(key);
    if (target === undefined) {
      const { redis, queuePrefix } = this.#options;
      target = remoteTarget(createMailboxCommands(redis, engineKeys(queuePrefix, shard, kind)), this.#limits);
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
      if (await this.#retryWhileAway(() => wake(parsed.data))) this.#pool.offer(SOME);
    };
  }

  async #addFollowUps(destination: string, account: string, followUps: readonly FollowUpRecord[]): Promise<void> {
    this.#metrics.gaveUp(followUps.reduce((sum, { type, events }) => sum + (type === 'dead' ? events : 0), 0));
    await this.#jobs.addFollowUps(destination, account, followUps);
  }

  async #deactivate(destination: string, account: string, gone: { version: number; reason: string }): Promise<void> {
    const { kind } = this.#options;
    const { version } = gone;
    await this.#jobs.addDeactivation({ v: 1, destination, account, kind, version, reason: gone.reason });
    await this.#commands.forgetDeactivation(destination);
  }

  #onGivenUp(destination: string, { dead, dropped, deadLetters, account, reason }: GivenUp): void {
    this.#metrics.gaveUp(dead);
    this.#metrics.droppedEvents(dropped);
    if (deadLetters.length === 0) return;
    const common = { account, destination, error: reason };
    this.#later(
      this.#jobs.addDeadLetters(deadLetters.map(({ id, ...counts }) => ({ deadLetter: id, ...counts, ...common }))),
    );
  }

  #scheduleReconciler(round = 1): void {
    this.#reconcileTimer = setTimeout(() => {
      const isWhole = round % ORPHAN_CHECKS_PER_RECONCILIATION === 0;
      void (isWhole ? this.#reconciler.run() : this.#reconciler.returnLostClaims())
        .catch((error: unknown) => this.#onError(error as Error))
        .finally(() => {
          if (!this.#isStopping) this.#scheduleReconciler(round + 1);
        });
    }, ORPHAN_CHECK_MS);
  }

  #later(work: Promise<unknown>): void {
    work.catch((error: unknown) => this.#onError(error as Error));
  }

  #onError(error: Error): void {
    if (this.#isStopping) return;
    const { logger, kind } = this.#options;
    logger.warn('an engine step failed; the worker will retry', {
      kind,
      shard: this.#keys.shard,
      error: error.message,
    });
  }
}

/** Mailboxes of the other mechanism or another shard. Their destinations wait on a ready list. */
const remoteTarget = (commands: MailboxCommands, limits: DrainPoolLimits): MailboxTarget => ({
  claimIds: (...ids) => commands.claimIds(...ids),
  async append({ number, ...slice }) {
    const reply = await commands.append({ ...slice, slice: number, worker: '', firstClaim: 0, room: NO_ROOM, limits });
    return typeof reply === 'string' ? 0 : reply.dropped;
  },
});

/** At least one destination waits, of an unknown kind. */
const SOME = { proven: 1, others: 1 };
