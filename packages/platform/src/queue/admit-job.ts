import type { Job } from 'bullmq';
import { DelayedError, UnrecoverableError } from 'bullmq';
import type { Redis } from '../redis/index.ts';
import { JOB_FIELDS } from './bull-keys.ts';
import type { JobGate } from './job-gate.ts';
import { parseJobData } from './malformed-job.ts';
import { withheldBytes } from './withheld-data.ts';

/**
 * A job runs alone after this many stalls. It stalls when its process ends or stops renewing the job's lock before the
 * job ends.
 */
export const STALLED_BESIDE_OTHERS_MAX = 3;
/** A job is moved to the failed jobs after its process ended this many times while the job ran alone. */
const ENDED_ALONE_MAX = 2;
/** Longer than any series of restarts. */
const COUNT_KEPT_S = 86_400;
/** About the time that a running job takes. */
const PUT_BACK_MS = 100;

/** The data of a job is larger than this process accepts, in bytes or in values. */
export class JobTooLargeError extends UnrecoverableError {
  override readonly name = 'JobTooLargeError';
}

/**
 * A job's process ended repeatedly during the job, even while the job ran alone. The failed job keeps its data and may
 * be retried.
 */
export class JobEndsProcessError extends UnrecoverableError {
  override readonly name = 'JobEndsProcessError';
}

export interface AdmissionOptions {
  /** Shared by all workers whose jobs must not be in memory together. */
  readonly gate: JobGate;
  /** A job with larger data fails at once. Absent means no limit. */
  readonly jobBytesMax?: number;
  /**
   * Reads the text of withheld data before it is parsed. Returns why it must not be parsed, or undefined. Such a job
   * fails at once.
   */
  readonly refusalOf?: (text: string) => string | undefined;
  /** The data of a job that failed permanently is cut to this size. Absent: it is kept whole. */
  readonly failedBytesMax?: number | undefined;
}

interface AdmissionDeps extends AdmissionOptions {
  /** A `worker` client of the jobs' Redis, so that commands wait while Redis is away. */
  readonly connection: Redis;
  readonly keyOf: (jobId: string) => string;
}

type Process<Result> = (job: Job<unknown>, token?: string) => Promise<Result>;

/**
 * Processes a job when the gate lets it in, and reads its data only then (docs/decisions/0022). A job that may have
 * ended its process runs alone. Redis counts such a run before its data is read, because a dying process cannot report
 * the cause. Other jobs of the same process then also run alone once.
 */
export const admitted =
  <Result>(deps: AdmissionDeps, process: Process<Result>): Process<Result> =>
  async (job, token) => {
    try {
      return await admit(deps, process)(job, token);
    } catch (error) {
      const isRefused = error instanceof UnrecoverableError && !(error instanceof JobEndsProcessError);
      if (isRefused && deps.failedBytesMax !== undefined)
        await deps.connection.eval(CUT_DATA, 1, deps.keyOf(job.id ?? ''), deps.failedBytesMax);
      throw error;
    }
  };

/** The text goes into a JSON value of another name, so that no retry takes the rest for a whole job. */
const CUT_DATA = `
local data = redis.call('HGET', KEYS[1], 'data')
local most = tonumber(ARGV[1])
if data and #data > most then
  redis.call('HSET', KEYS[1], 'data', cjson.encode({ refusedData = string.sub(data, 1, most) }))
end`;

const admit =
  <Result>(deps: AdmissionDeps, process: Process<Result>): Process<Result> =>
  async (job, token) => {
    const bytes = withheldBytes(job.data);
    const { gate, jobBytesMax = Number.POSITIVE_INFINITY } = deps;
    if (bytes !== undefined && bytes > jobBytesMax) throw new JobTooLargeError(tooLarge(bytes, jobBytesMax));
    const isAlone = job.stalledCounter >= STALLED_BESIDE_OTHERS_MAX;
    if (bytes !== undefined && !isAlone && gate.isCrowded) await putBack(job, token);
    return gate.run({ bytes: bytes ?? 0, isAlone }, async () => {
      const readAndProcess = async (): Promise<Result> => {
        if (bytes !== undefined) job.data = await readData(deps, job);
        return process(job, token);
      };
      return isAlone ? runCounted(deps, job, readAndProcess) : readAndProcess();
    });
  };

async function putBack(job: Job<unknown>, token?: string): Promise<never> {
  await job.moveToDelayed(Date.now() + PUT_BACK_MS, token);
  throw new DelayedError();
}

/**
 * Counts the run in Redis, and deletes the count when the run ends. So a remaining count is the number of runs that did
 * not end before their process.
 */
async function runCounted<Result>(deps: AdmissionDeps, job: Job<unknown>, run: () => Promise<Result>): Promise<Result> {
  const { connection } = deps;
  const count = `${deps.keyOf(job.id ?? '')}:alone`;
  try {
    const runs = await connection.incr(count);
    await connection.expire(count, COUNT_KEPT_S);
    if (runs > ENDED_ALONE_MAX) throw new JobEndsProcessError(endsProcess(job.stalledCounter));
    return await run();
  } finally {
    await connection.del(count);
  }
}

async function readData({ connection, keyOf, refusalOf }: AdmissionDeps, job: Job<unknown>): Promise<unknown> {
  const text = await connection.hget(keyOf(job.id ?? ''), JOB_FIELDS.data);
  if (text === null) throw new UnrecoverableError('the job is gone: another process completed it');
  const refusal = refusalOf?.(text);
  if (refusal !== undefined) throw new JobTooLargeError(refusal);
  return parseJobData(text);
}

const tooLarge = (bytes: number, max: number): string =>
  `the job holds ${bytes} bytes of data, and at most ${max} can be taken: send the events in smaller jobs`;

const endsProcess = (stalls: number): string =>
  `the job did not end before its process in ${stalls} runs, the last ${ENDED_ALONE_MAX} of them alone: retry it ` +
  'when the cause is fixed';
