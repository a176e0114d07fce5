import { longestWaitMs } from '@mailhook/core';
import { JOB_ENDED } from '@mailhook/platform/queue';
import type { Job, Queue } from 'bullmq';
import { UnrecoverableError } from 'bullmq';
import { chunkProcessor } from '../../../packages/delivery/src/deliver/chunk-worker.ts';
import { Lease } from '../../../packages/delivery/src/deliver/lease.ts';
import { CHECKS_PER_RECONCILIATION, LOST_CLAIMS_CHECK_MS } from '../../../packages/delivery/src/deliver/limits.ts';
import type { EngineObserver } from '../../../packages/delivery/src/deliver/observer.ts';
import { DrainPool } from '../../../packages/delivery/src/deliver/pool.ts';
import { createRetryWhileAway, isInternalError } from '../../../packages/delivery/src/deliver/queue-workers.ts';
import type { RetryWhileAway } from '../../../packages/delivery/src/deliver/queue-workers.ts';
import { Reconciler } from '../../../packages/delivery/src/deliver/reconciler.ts';
import type { Runtime } from '../../../packages/delivery/src/deliver/runtime.ts';
import { createMailboxCommands } from '../../../packages/delivery/src/mailbox/commands/engine.ts';
import type { MailboxCommands } from '../../../packages/delivery/src/mailbox/commands/engine.ts';
import { HEARTBEAT_MS, LEASE_MS } from '../../../packages/delivery/src/mailbox/constants.ts';
import type { ChunkJobs } from './chunk-jobs.ts';
import { SimulatedConnection } from './connection.ts';
import { SIMULATED_BUG } from './faults.ts';
import type { Receivers } from './receivers.ts';
import { Process } from './scheduler.ts';
import type { Scheduler } from './scheduler.ts';
import { LONGEST_MS } from './settings.ts';
import type { Settings } from './settings.ts';
import type { SimulatedRedis } from './simulated-redis.ts';

export interface WorkerDeps {
  readonly scheduler: Scheduler;
  readonly server: SimulatedRedis;
  readonly settings: Settings;
  readonly receivers: Receivers;
  readonly jobs: ChunkJobs;
  readonly delayMs: () => number;
  readonly refusal: (args: readonly unknown[]) => Error | undefined;
  /** BullMQ would wake a destination, for a resend or ('') for itself, after a time. */
  readonly onWakeJob: (destination: string, resend: string, waitMs: number) => void;
  /** A request to a receiver begins. */
  readonly onStart: (worker: SimulatedWorker, destination: string) => void;
  /** The worker reports that Redis has lost writes. */
  readonly onLostWrites: () => void;
  /** Something that must not be. */
  readonly onViolation: (what: string) => void;
  readonly onJobFailed: (id: string) => void;
}

const JOBS_AT_ONCE = 3;
const FETCH_AGAIN_MS = 100;

/**
 * A worker as a shard of the engine puts it together, without BullMQ: its lease, pool, reconciler and processing of
 * chunk jobs.
 */
export class SimulatedWorker {
  readonly process: Process;
  readonly connection: SimulatedConnection;
  readonly name: string;
  readonly #deps: WorkerDeps;
  readonly #runtime: Runtime;
  readonly #commands: MailboxCommands;
  readonly #lease: Lease;
  readonly #pool: DrainPool;
  readonly #reconciler: Reconciler;
  readonly #retryWhileAway: RetryWhileAway;
  readonly #running = new Set<string>();
  readonly #process: (job: Job<unknown>) => Promise<void>;

  constructor(deps: WorkerDeps) {
    const { scheduler, server, settings, receivers, jobs } = deps;
    this.#deps = deps;
    this.process = new Process(scheduler.random.int(-2000, 2000));
    this.#runtime = scheduler.runtimeOf(this.process);
    this.name = `w${this.#runtime.id(6)}`;
    this.connection = new SimulatedConnection({ ...deps, process: this.process, name: this.name });
    const { redis } = this.connection;
    this.#commands = createMailboxCommands(redis, server.keys);
    const observer = this.#observer();
    const common = { commands: this.#commands, runtime: this.#runtime, worker: this.name, observer };
    const retry = { scheduleMs: settings.scheduleMs, jitter: 0.1 };
    this.#lease = new Lease({
      ...common,
      host: this.name,
      leaseMs: LEASE_MS,
      heartbeatMs: HEARTBEAT_MS,
      longestWaitMs: longestWaitMs(retry),
      onWaiting: (waiting) => this.#pool.noteWaiting(waiting),
      onReloaded: () => this.#pool.suspectClaims(),
    });
    this.#pool = new DrainPool({
      ...common,
      sender: receivers.senderOf(this.process, (destination) => deps.onStart(this, destination)),
      settlePolicy: { retry, partialAck: 'unconfirmed', poisonSplit: false },
      breakerPolicy: { failures: 2, parkMaxMs: LONGEST_MS.park },
      lease: this.#lease,
      limits: settings.limits,
    });
    this.#reconciler = new Reconciler({
      ...common,
      redis,
      chunks: { toKey: (name: string) => `${jobs.prefix}${name}` } as unknown as Queue,
      keys: server.keys,
      pool: this.#pool,
      jobs: { addDeactivation: () => Promise.resolve(), addDeadLetters: () => Promise.resolve() },
      waitingMaxAgeMs: settings.limits.maxAgeMs,
    });
    const onError = (error: Error): void => observer.error(error);
    this.#retryWhileAway = createRetryWhileAway({ runtime: this.#runtime, isStopping: () => false, onError });
    this.#process = chunkProcessor({
      shards: 1,
      shard: 0,
      targetOf: () => ({
        claimIds: (claim) => this.#commands.claimIds(claim, 3_600_000),
        forgetClaims: (chunk) => this.#commands.forgetClaims(chunk),
        append: (slice) => this.#pool.append(slice),
      }),
      jobKey: (id) => `${jobs.prefix}${id}`,
      retryWhileAway: this.#retryWhileAway,
      end: (jobKey, end) => this.#commands.endChunk(jobKey, end),
      onDropped: () => deps.onViolation('events of a deleted destination are dropped, and none is deleted'),
    });
  }

  start(): void {
    void this.#lease.start().then(() => {
      this.#scheduleReconciler(1);
      this.fetch();
    });
  }

  isRunning(job: string): boolean {
    return !this.process.isDead && this.#running.has(job);
  }

  /** There may be a chunk job. */
  fetch(): void {
    if (this.process.isDead || this.#running.size >= JOBS_AT_ONCE) return;
    if (!this.#lease.isFresh) {
      this.#runtime.later(() => this.fetch(), FETCH_AGAIN_MS);
      return;
    }
    void this.#fetch();
  }

  async #fetch(): Promise<void> {
    const { jobs } = this.#deps;
    // One place is taken while the job is on its way.
    const place = `fetch ${this.#runtime.id(4)}`;
    this.#running.add(place);
    const job = await jobs.fetch(this.connection.redis).catch(() => undefined);
    this.#running.delete(place);
    if (job === undefined) return;
    this.#running.add(job.id);
    await this.#run(job.id, job.data);
    this.#running.delete(job.id);
    this.fetch();
  }

  async #run(id: string, data: unknown): Promise<void> {
    const { jobs, onJobFailed } = this.#deps;
    const attemptsMade = jobs.triesOf(id);
    try {
      await this.#process({ id, data, attemptsMade } as unknown as Job);
    } catch (error) {
      if (error === JOB_ENDED) return;
      jobs.noteTry(id);
      if (isInternalError(error)) this.#onError(error as Error);
      if (!(error instanceof UnrecoverableError)) return;
      onJobFailed(id);
    }
    // If that fails, the job runs once more.
    await jobs.finish(this.connection.redis, id).catch(() => undefined);
  }

  /** A wake-up job of BullMQ. */
  wake(destination: string, resend: string): void {
    void this.#retryWhileAway(() => this.#commands.wake(destination, resend)).then((isWoken) => {
      if (isWoken) this.#pool.noteWaiting({ proven: 1, others: 1 });
    });
  }

  #scheduleReconciler(round: number): void {
    this.#runtime.later(() => {
      const isWhole = round % CHECKS_PER_RECONCILIATION === 0;
      void (isWhole ? this.#reconciler.run() : this.#reconciler.returnLostClaims())
        .catch(() => undefined)
        .finally(() => this.#scheduleReconciler(round + 1));
    }, LOST_CLAIMS_CHECK_MS);
  }

  #observer(): EngineObserver {
    const { onWakeJob, onViolation, scheduler } = this.#deps;
    const { reached } = scheduler;
    return {
      attempt: () => undefined,
      localFault: () => void reached.add('a local fault'),
      followUps: (destination, _account, followUps) => {
        for (const { type, id, waitMs } of followUps) if (type === 'resend') onWakeJob(destination, id, waitMs);
      },
      parked: (destination, waitMs) => onWakeJob(destination, '', waitMs),
      gone: () => onViolation('a destination is gone without a 410'),
      givenUp: () => undefined,
      dropped: () => undefined,
      repaired: (repair) => {
        if (repair === 'ownership') reached.add('a claim that no pool knows is put back');
      },
      recovered: () => undefined,
      lostWrites: () => this.#deps.onLostWrites(),
      violation: ({ what, name }) => onViolation(`${what} of ${name}`),
      error: (error) => this.#onError(error),
    };
  }

  #onError(error: Error): void {
    const { scheduler, onViolation } = this.#deps;
    scheduler.log?.(`${this.name} reports ${error.message}`);
    if (isInternalError(error) && !error.message.includes(SIMULATED_BUG)) onViolation(String(error.stack));
  }
}
