import { DelayedError, UnrecoverableError } from 'bullmq';
import type { Job } from 'bullmq';
import type { Logger } from '@mailhook/platform/logger';

/**
 * A job of a process that died is taken over within seconds, and none fails because processes died: their work is safe to repeat, so
 * that a false alarm costs nothing.
 */
export const PATIENCE = { lockDuration: 5000, stalledInterval: 2000, maxStalledCount: 1_000_000 } as const;

const TRY_AGAIN_MS = 1000;

/** The job has to wait, and its queue keeps it: nothing is wrong with it, nor with the infrastructure. */
export class HeldBackError extends Error {
  override readonly name = 'HeldBackError';
}

const HELD_MIN_MS = 5000;
const HELD_MAX_MS = 300_000;

/** Half as long again as it has waited: many that wait for days cost little, and one that waits for seconds goes on soon. */
export const heldWaitMs = (ageMs: number): number => Math.min(HELD_MAX_MS, Math.max(HELD_MIN_MS, ageMs / 2));

/**
 * Whatever fails but the job's own fault (UnrecoverableError) is the infrastructure's: the job is put back for a second, which costs it
 * none of its attempts.
 */
export function putBackWhileDown<Result>(processJob: (job: Job) => Promise<Result>, logger: Logger) {
  return async (job: Job, token?: string): Promise<Result> => {
    try {
      return await processJob(job);
    } catch (error) {
      if (error instanceof UnrecoverableError) throw error;
      const isHeld = error instanceof HeldBackError;
      const waitMs = isHeld ? heldWaitMs(Date.now() - job.timestamp) : TRY_AGAIN_MS;
      const about = { queue: job.queueName, job: job.id };
      if (isHeld) logger.debug('a job waits until its account can take it', { ...about, waitMs });
      else logger.warn('a job is put back for a second', { ...about, error });
      await job.moveToDelayed(Date.now() + waitMs, token);
      throw new DelayedError();
    }
  };
}
