import { setTimeout as wait } from 'node:timers/promises';
import type { Job, WorkerOptions } from 'bullmq';
import { WaitingError, Worker } from 'bullmq';
import { duplicateRedis } from '../redis/index.ts';
import type { Redis } from '../redis/index.ts';
import { admitted, STALLED_BESIDE_OTHERS_MAX } from './admit-job.ts';
import type { AdmissionOptions } from './admit-job.ts';
import { shortenExpiries } from './shorten-expiries.ts';
import { withholdData } from './withheld-data.ts';

export interface WatchedWorkerOptions<Result> extends Omit<WorkerOptions, 'connection' | 'concurrency'> {
  readonly queue: string;
  /** Waits for Redis to come back; BullMQ makes its blocking connection from it. */
  readonly connection: Redis;
  /** Jobs under way at once. */
  readonly concurrency: number;
  readonly process: (job: Job<unknown>, token?: string) => Promise<Result>;
  readonly onError: (error: Error) => void;
  /** While it returns false, this worker takes no jobs, and lets other workers take its active jobs. */
  readonly mayWork?: () => boolean;
  /** When the same job has been next in line for so long, the worker is deaf; looked after five times in it. */
  readonly deafAfterMs?: number;
  /** Limits which jobs are in memory together, for a queue with large jobs. Such a worker opens a separate connection. */
  readonly admission?: AdmissionOptions;
}

/** A worker of BullMQ that knows whether it still takes what comes. */
export interface WatchedWorker {
  readonly worker: Worker;
  /** Why it does no work though there is some, as a sentence; undefined while all is well. */
  fault(): string | undefined;
  /** Takes nothing more and resolves when the jobs under way are done; while Redis is away they are run again later. */
  close(): Promise<void>;
}

const DEAF_AFTER_MS = 5000;
const LOOKS = 5;
/** Between two tries when Redis refuses to hand out a job, because it still loads its file, say. BullMQ's 15 s would be deafness. */
const TRY_AGAIN_MS = 1000;

/** How often `mayWork` decides whether the worker takes jobs. */
const PAUSE_CHECK_MS = 250;

type Processor<Result> = (job: Job<unknown>, token?: string) => Promise<Result>;

/**
 * Starts a job and the renewal of its lock as soon as the job is fetched. BullMQ fetches jobs one after the other, and starts none before its places are
 * full or the queue is empty. If Redis answers slowly, the locks of the first jobs would expire meanwhile, and all jobs would run again and again.
 *
 * Lets the locks of its jobs expire while `mayWork` returns false, so that other workers run those jobs.
 */
class YieldingWorker<Result> extends Worker<unknown, Result> {
  readonly #mayWork: () => boolean;
  readonly #process: Processor<Result>;
  readonly #runs: WeakMap<Job<unknown>, Promise<Result>>;

  constructor(queue: string, mayWork: () => boolean, process: Processor<Result>, options: WorkerOptions) {
    const runs = new WeakMap<Job<unknown>, Promise<Result>>();
    super(queue, (job, token) => runs.get(job) ?? process(job, token), options);
    this.#mayWork = mayWork;
    this.#process = process;
    this.#runs = runs;
  }

  protected override async nextJobFromJobData(
    ...[data, id, token]: Parameters<Worker<unknown, Result>['nextJobFromJobData']>
  ): Promise<Job<unknown, Result>> {
    const job = await super.nextJobFromJobData(data, id, token);
    // BullMQ fails a job with this mark without running it. Without a job, its type lies.
    if ((job as typeof job | undefined)?.id === undefined || job.deferredFailure) return job;
    this.lockManager.trackJob(job.id ?? '', token ?? '', job.processedOn ?? Date.now());
    const run = this.#process(job, token);
    run.catch(() => undefined);
    this.#runs.set(job, run);
    return job;
  }

  override extendJobLocks(...locks: Parameters<Worker['extendJobLocks']>): Promise<string[]> {
    return this.#mayWork() ? super.extendJobLocks(...locks) : Promise.resolve([]);
  }

  /** BullMQ's own `close` stops its timer of lock renewals last. While Redis is away, it never gets there, and the timer keeps the process alive. */
  stopRenewingLocks(): Promise<void> {
    return this.lockManager.close();
  }
}

/**
 * Opens a worker that notices its own deafness: BullMQ waits for jobs on a connection of its own, and when that one dies silently (after a
 * restart of Redis, say), the process looks well and takes nothing. A worker is deaf when the same job has been next in line for 5 s while
 * it had a free place.
 */
export function openWatchedWorker<Result>(options: WatchedWorkerOptions<Result>): WatchedWorker {
  const { queue, process, onError, mayWork = () => true, deafAfterMs = DEAF_AFTER_MS, admission, ...rest } = options;
  const connection = admission === undefined ? options.connection : openWithholding(options);
  const run =
    admission === undefined
      ? process
      : admitted({ ...admission, connection, keyOf: (id) => worker.toKey(id) }, process);
  let running = 0;
  const worker: YieldingWorker<Result> = new YieldingWorker(
    queue,
    mayWork,
    async (job, token) => {
      if (!mayWork()) return giveBack(worker, job, token);
      running += 1;
      try {
        return await run(job, token);
      } finally {
        running -= 1;
      }
    },
    { runRetryDelay: TRY_AGAIN_MS, ...rest, connection },
  );
  worker.on('error', onError);
  const pausing = setInterval(() => {
    if (mayWork() === worker.isPaused()) void (worker.isPaused() ? worker.resume() : worker.pause(true));
  }, PAUSE_CHECK_MS);
  const expiries = shortenExpiries(options.connection, worker);
  const readNext = () => readNextJob(options.connection, worker);
  const line = watchLine(readNext, () => running < options.concurrency, deafAfterMs / LOOKS);
  return {
    worker,
    fault: () => {
      if (worker.isPaused()) return `the worker of ${queue} takes no jobs`;
      if (!worker.isRunning()) return `the worker of ${queue} does not run`;
      return line.heldUpMs() > deafAfterMs ? `jobs wait in ${queue}, and its worker takes none` : undefined;
    },
    close: async () => {
      line.close();
      clearInterval(pausing);
      expiries.close();
      const closed = worker.close();
      closed.catch(onError);
      await Promise.race([closed, whenIdle(() => running === 0)]);
      await worker.stopRenewingLocks();
      // Nothing uses the connection any more, and a polite end would wait for a node that is away.
      if (connection !== options.connection) connection.disconnect();
    },
  };
}

/** The id of the job that is next in line; null if none waits or the queue is paused. */
async function readNextJob(redis: Redis, worker: Worker): Promise<string | null> {
  const [isPaused, next, [prioritized]] = await Promise.all([
    redis.hexists(worker.toKey('meta'), 'paused'),
    redis.lindex(worker.toKey('wait'), -1),
    redis.zrange(worker.toKey('prioritized'), '0', '0'),
  ]);
  return isPaused === 1 ? null : (next ?? prioritized ?? null);
}

/** BullMQ hands out one more job when a pause begins while it waits for jobs. */
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
  return own;
}

/**
 * Between two tries to connect, a connection of ioredis that is told to end never says that it has, and BullMQ waits for that word for
 * ever. With no job under way there is nothing to wait for but closing, and that takes no longer than this.
 */
const CLOSING_MS = 2000;
const IDLE_POLL_MS = 100;

async function whenIdle(isIdle: () => boolean): Promise<void> {
  await wait(CLOSING_MS);
  while (!isIdle()) await wait(IDLE_POLL_MS);
}

/** Looks who is next in line, again and again; tells for how long it has been the same job while there was room for it. */
function watchLine(readNext: () => Promise<string | null>, hasRoom: () => boolean, everyMs: number) {
  let next: string | null = null;
  let sinceMs = performance.now();
  let isLooking = false;
  const look = async (): Promise<void> => {
    if (isLooking) return;
    isLooking = true;
    const askedAtMs = performance.now();
    const read = await readNext().catch(() => null);
    isLooking = false;
    const nowMs = performance.now();
    // An answer that took so long tells of Redis, not of the worker.
    const isLate = nowMs - askedAtMs > everyMs;
    if (read === null || read !== next || isLate || !hasRoom()) sinceMs = nowMs;
    next = read;
  };
  const timer = setInterval(() => void look(), everyMs);
  return {
    heldUpMs: (): number => (next === null ? 0 : performance.now() - sinceMs),
    close: (): void => clearInterval(timer),
  };
}
