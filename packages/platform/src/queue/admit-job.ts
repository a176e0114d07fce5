import type { Job } from 'bullmq';
import { DelayedError, UnrecoverableError } from 'bullmq';
import type { Redis } from '../redis/index.ts';
import type { JobGate } from './job-gate.ts';
import { withheldBytes } from './withheld-data.ts';

/** A job whose process ended, or stopped answering, this often before the job did, runs alone from then on. */
export const STALLED_BESIDE_OTHERS_MAX = 3;
/** A job that ran alone this often, and did not end before its process, is moved to the failed jobs. */
const ENDED_ALONE_MAX = 2;
/** Longer than any series of restarts takes. */
const NOTE_KEPT_S = 86_400;
/** A running job ends about as soon. */
const PUT_BACK_MS = 100;

/** The data of a job is larger than this process takes. */
export class JobTooLargeError extends UnrecoverableError {
  override readonly name = 'JobTooLargeError';
}

/** A job ended its process again and again, alone as well. It keeps its data, and may be retried. */
export class JobEndsProcessError extends UnrecoverableError {
  override readonly name = 'JobEndsProcessError';
}

export interface AdmissionOptions {
  /** Shared by all workers whose jobs must not be in memory together. */
  readonly gate: JobGate;
  /** A job with larger data fails at once. Without it, jobs of all sizes are taken. */
  readonly jobBytesMax?: number;
}

interface AdmissionDeps extends AdmissionOptions {
  /** Where the jobs are; it must wait for Redis to come back. */
  readonly connection: Redis;
  readonly keyOf: (jobId: string) => string;
}

type Process<Result> = (job: Job<unknown>, token?: string) => Promise<Result>;

/**
 * Processes a job when the gate lets it in, and reads its data only then. A job that may be what ends its process runs alone, and each of these runs is
 * noted before its data is read: a process that dies cannot say why. Innocent jobs that were active beside it are taken for suspects too: they
 * run alone, once, and are done.
 */
export const admitted =
  <Result>(deps: AdmissionDeps, process: Process<Result>): Process<Result> =>
  async (job, token) => {
    const bytes = withheldBytes(job.data);
    const { gate, jobBytesMax = Number.POSITIVE_INFINITY } = deps;
    if (bytes !== undefined && bytes > jobBytesMax) throw new JobTooLargeError(tooLarge(bytes, jobBytesMax));
    const isAlone = job.stalledCounter >= STALLED_BESIDE_OTHERS_MAX;
    if (bytes !== undefined && !isAlone && gate.isCrowded) await putBack(job, token);
    return gate.run({ bytes: bytes ?? 0, isAlone }, async () => {
      const runIt = async (): Promise<Result> => {
        if (bytes !== undefined) job.data = await readData(deps, job);
        return process(job, token);
      };
      return isAlone ? runNoted(deps, job, runIt) : runIt();
    });
  };

async function putBack(job: Job<unknown>, token?: string): Promise<never> {
  await job.moveToDelayed(Date.now() + PUT_BACK_MS, token);
  throw new DelayedError();
}

/** The note goes when the run ends, in whichever way: what is left of it counts the runs that ended with their process. */
async function runNoted<Result>(deps: AdmissionDeps, job: Job<unknown>, run: () => Promise<Result>): Promise<Result> {
  const { connection } = deps;
  const note = `${deps.keyOf(job.id ?? '')}:alone`;
  try {
    const runs = await connection.incr(note);
    await connection.expire(note, NOTE_KEPT_S);
    if (runs > ENDED_ALONE_MAX) throw new JobEndsProcessError(endsProcess(job.stalledCounter));
    return await run();
  } finally {
    await connection.del(note);
  }
}

async function readData({ connection, keyOf }: AdmissionDeps, job: Job<unknown>): Promise<unknown> {
  const text = await connection.hget(keyOf(job.id ?? ''), 'data');
  if (text === null) throw new UnrecoverableError('the job is gone: another process completed it');
  return JSON.parse(text);
}

const tooLarge = (bytes: number, max: number): string =>
  `the job holds ${bytes} bytes of data, and at most ${max} can be taken: send the events in smaller jobs`;

const endsProcess = (starts: number): string =>
  `the job did not end before its process in ${starts} runs, the last ${ENDED_ALONE_MAX} of them alone: retry it when the cause is fixed`;
