import { setTimeout as wait } from 'node:timers/promises';
import type { Job, WorkerOptions } from 'bullmq';
import { WaitingError, Worker } from 'bullmq';
import { every } from '../timers/index.ts';
import { duplicateRedis } from '../redis/index.ts';
import type { Redis } from '../redis/index.ts';
import { admitted, STALLED_BESIDE_OTHERS_MAX } from './admit-job.ts';
import type { AdmissionOptions } from './admit-job.ts';
import { checkQueue } from './check-queue.ts';
import { failMalformed, malformedData } from './malformed-job.ts';
import { avoidNeedlessFetches } from './needless-fetches.ts';
import { withholdData } from './withheld-data.ts';

export interface WatchedWorkerOptions<Result> extends Omit<WorkerOptions, 'connection' | 'concurrency'> {
  readonly queue: string;
  /** A `worker` client, so that commands wait while Redis is away. BullMQ duplicates it for its blocking connection. */
  readonly connection: Redis;
  /** Most jobs in progress at once. */
  readonly concurrency: number;
  readonly process: (job: Job<unknown>, token?: string) => Promise<Result>;
  readonly onError: (error: Error) => void;
  /** While it returns false, this worker takes no jobs, and lets other workers take its active jobs. */
  readonly mayWork?: () => boolean;
  /** The worker is deaf if the same job is next in line for longer than this, in at least three checks. */
  readonly deafAfterMs?: number;
  /**
   * Limits the jobs that are in memory together, for a queue with large jobs or with many. Such a worker opens a
   * separate connection, and fetches no second job before it knows that there is one.
   */
  readonly admission?: AdmissionOptions;
  /** Another worker of this process watches the queue and checks for stalled jobs. */
  readonly isSecond?: boolean;
}

/** A BullMQ worker that notices when it no longer takes jobs. */
export interface WatchedWorker {
  readonly worker: Worker;
  /** The reason why the worker takes no jobs, as a sentence. Undefined if it works. */
  fault(): string | undefined;
  /**
   * Takes no more jobs, and resolves when the jobs in progress are done. Jobs that end while Redis is away run again
   * later.
   */
  close(): Promise<void>;
}

const DEAF_AFTER_MS = 5000;
/** Time between two checks of a queue, as a share of that. At least three checks must agree. */
const CHECK_SHARE = 0.3;
/** BullMQ's defaults. */
const STALLED_INTERVAL_MS = 30_000;
const LOCK_MS = 30_000;
/**
 * The wait after Redis refused to hand out a job, for example because it is still loading its file. BullMQ's default of
 * 15 s would count as deafness.
 */
const TRY_AGAIN_MS = 1000;

type Processor<Result> = (job: Job<unknown>, token?: string) => Promise<Result>;

/**
 * The processor has removed the job from Redis, so that its worker must not complete it. A new error per job would cost
 * a stack trace.
 */
export const JOB_ENDED = new WaitingError();

interface YieldingDeps<Result> {
  readonly process: Processor<Result>;
  /** Whether the locks of jobs in progress are renewed. */
  readonly mayWork: () => boolean;
  readonly lockMs: number;
  /** Whether a job that is fetched now is probably the only one. */
  readonly isAlone: () => boolean;
}

/**
 * Starts a job and the renewal of its lock as soon as the job is fetched. BullMQ fetches jobs one after the other, and
 * starts none before its places are full or the queue is empty. If Redis answers slowly, the locks of the first jobs
 * would expire meanwhile, and all jobs would run again and again.
 *
 * Lets the locks of its jobs expire while `mayWork` returns false, so that other workers run those jobs. No timer runs
 * while there are no jobs, unlike BullMQ's.
 */
class YieldingWorker<Result> extends Worker<unknown, Result> {
  readonly #deps: YieldingDeps<Result>;
  readonly #runs: WeakMap<Job<unknown>, Promise<Result>>;
  /** Tokens of the locks, by the ids of their jobs. */
  readonly #locks = new Map<string, string>();
  #renewal: NodeJS.Timeout | undefined;
  /** Whether BullMQ fetches the next job only after a marker, because the newest fetch left none behind. */
  #waitsForMarker = false;

  constructor(queue: string, deps: YieldingDeps<Result>, options: WorkerOptions) {
    const runs = new WeakMap<Job<unknown>, Promise<Result>>();
    super(queue, (job, token) => runs.get(job) ?? deps.process(job, token), { ...options, skipLockRenewal: true });
    this.#deps = deps;
    this.#runs = runs;
  }

  protected override async nextJobFromJobData(
    ...[data, id, token]: Parameters<Worker<unknown, Result>['nextJobFromJobData']>
  ): Promise<Job<unknown, Result>> {
    const job = await super.nextJobFromJobData(data, id, token);
    // Despite its type, `job` is undefined if there is none.
    const isNone = (job as typeof job | undefined)?.id === undefined;
    this.#waitsForMarker = isNone || this.#deps.isAlone();
    // BullMQ fails a job with `deferredFailure` without running it.
    if (isNone || job.deferredFailure) return job;
    // Makes BullMQ wait for a marker instead of fetching immediately. A fetch adds one if more jobs wait.
    if (this.#waitsForMarker) await super.nextJobFromJobData();
    this.#locks.set(job.id ?? '', token ?? '');
    this.#renewal ??= setInterval(() => this.#renewLocks(), this.#deps.lockMs / 4);
    const run = this.#deps.process(job, token);
    run.catch(() => undefined);
    this.#runs.set(job, run);
    return job;
  }

  /** BullMQ would throw for data that is not JSON. The job would stall again and again. */
  protected override createJob(...[raw, id]: Parameters<Worker<unknown, Result>['createJob']>): Job<unknown, Result> {
    try {
      return super.createJob(raw, id);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      return super.createJob({ ...raw, data: JSON.stringify(malformedData(raw.data)) }, id);
    }
  }

  protected override handleCompleted(
    ...args: Parameters<Worker<unknown, Result>['handleCompleted']>
  ): Promise<Job<unknown, Result>> {
    this.#forgetLock(args[1].id);
    return super.handleCompleted(...args);
  }

  protected override handleFailed(
    ...args: Parameters<Worker<unknown, Result>['handleFailed']>
  ): Promise<Job<unknown, Result>> {
    const [error, job] = args;
    this.#forgetLock(job.id);
    // BullMQ would fetch the next job, but there is none before the next marker.
    if (error === JOB_ENDED && this.#waitsForMarker) return super.nextJobFromJobData();
    return super.handleFailed(...args);
  }

  /** While Redis is away, BullMQ's `close` waits for jobs in progress, and the timer would keep the process alive. */
  stopRenewingLocks(): void {
    clearInterval(this.#renewal);
  }

  #forgetLock(id = ''): void {
    this.#locks.delete(id);
    if (this.#locks.size > 0) return;
    clearInterval(this.#renewal);
    this.#renewal = undefined;
  }

  #renewLocks(): void {
    if (!this.#deps.mayWork()) return;
    const renewed = this.extendJobLocks([...this.#locks.keys()], [...this.#locks.values()], this.#deps.lockMs);
    renewed.catch((error: unknown) => this.emit('error', error as Error));
  }
}

/**
 * Opens a worker that notices its own deafness. BullMQ waits for jobs on a separate connection. If this connection dies
 * silently, for example after a restart of Redis, the process looks healthy but takes no jobs. A worker is deaf if the
 * same job is next in line for 5 s while the worker has a free place.
 */
export function openWatchedWorker<Result>(options: WatchedWorkerOptions<Result>): WatchedWorker {
  const { queue, process, onError, mayWork = () => true, deafAfterMs = DEAF_AFTER_MS, admission, ...more } = options;
  const { isSecond = false, ...rest } = more;
  const connection = admission === undefined ? options.connection : openWithholding(options);
  const run = failMalformed(
    admission === undefined
      ? process
      : admitted({ ...admission, connection, keyOf: (id) => worker.toKey(id) }, process),
    admission?.failedBytesMax,
  );
  let running = 0;
  const runCounted: Processor<Result> = async (job, token) => {
    if (!mayWork()) return giveBack(worker, job, token);
    running += 1;
    try {
      return await run(job, token);
    } finally {
      running -= 1;
    }
  };
  const isAlone = (): boolean => admission !== undefined && running === 0;
  const { stalledInterval = STALLED_INTERVAL_MS, lockDuration = LOCK_MS } = rest;
  const worker: YieldingWorker<Result> = new YieldingWorker(
    queue,
    { process: runCounted, mayWork, isAlone, lockMs: lockDuration },
    {
      runRetryDelay: TRY_AGAIN_MS,
      skipStalledCheck: true,
      ...rest,
      // BullMQ refuses a check within this time after another one: the next one of this worker must come later.
      stalledInterval: Math.floor(0.9 * stalledInterval),
      connection,
    },
  );
  worker.on('error', onError);
  const lateMs = deafAfterMs * CHECK_SHARE;
  const isFree = (): boolean => running < options.concurrency && !worker.isPaused();
  const line = isSecond ? undefined : checkQueue({ redis: options.connection, worker, isFree, lateMs });
  const checking = every(Math.min(stalledInterval, lateMs), () => {
    if (mayWork() === worker.isPaused()) void (worker.isPaused() ? worker.resume() : worker.pause(true));
    void line?.check();
  });
  return {
    worker,
    fault: () => {
      if (worker.isPaused()) return `the worker of ${queue} takes no jobs`;
      if (!worker.isRunning()) return `the worker of ${queue} does not run`;
      return (line?.heldUpMs() ?? 0) > deafAfterMs ? `jobs wait in ${queue}, and its worker takes none` : undefined;
    },
    close: async () => {
      await checking.close();
      const closed = worker.close();
      closed.catch(onError);
      // While Redis is away, a job in progress may wait for it without end, and runs again later in any case.
      const isIdle = (): boolean => running === 0 || connection.status !== 'ready';
      const over = new AbortController();
      try {
        await Promise.race([closed, whenIdle(isIdle, over.signal)]);
      } finally {
        // Its timer would keep the process alive.
        over.abort();
      }
      worker.stopRenewingLocks();
      // No command is in progress on this connection, and `quit` would wait for a node that is away.
      if (connection !== options.connection) connection.disconnect();
    },
  };
}

/** Returns a job to its queue. BullMQ still hands out one job if a pause begins while it waits for jobs. */
async function giveBack(worker: Worker, job: Job<unknown>, token?: string): Promise<never> {
  await worker.pause(true);
  // If Redis does not answer, the job's lock expires, which has the same effect.
  await job.moveToWait(token).catch(() => undefined);
  throw new WaitingError();
}

function openWithholding<Result>({ connection, onError }: WatchedWorkerOptions<Result>): Redis {
  const own = duplicateRedis(connection);
  own.on('error', onError);
  withholdData(own, { stalledTimes: STALLED_BESIDE_OTHERS_MAX });
  avoidNeedlessFetches(own);
  return own;
}

/**
 * ioredis emits no `end` event when a connection is closed between two attempts to connect, and BullMQ waits for this
 * event forever. So without a job in progress, closing takes no longer than this.
 */
const CLOSING_MS = 2000;
const IDLE_POLL_MS = 100;

async function whenIdle(isIdle: () => boolean, signal: AbortSignal): Promise<void> {
  await wait(CLOSING_MS, undefined, { signal });
  while (!isIdle()) await wait(IDLE_POLL_MS, undefined, { signal });
}
