import { DelayedError, UnrecoverableError } from 'bullmq';
import type { Job } from 'bullmq';
import type { Logger } from '@mailhook/platform/logger';
import { JobTooLargeError } from '@mailhook/platform/queue';

/**
 * Another process takes over a dead process's jobs within seconds, and no job fails because processes died. The jobs
 * are safe to repeat, so a job that is falsely found stalled does no harm.
 */
export const REPEATED_JOBS = { lockDuration: 5000, stalledInterval: 2000, maxStalledCount: 1_000_000 } as const;

const TRY_AGAIN_MS = 1000;

/**
 * The job's account is over its limit, so the job must wait in its queue. Neither the job nor the infrastructure has a
 * fault.
 */
export class AccountFullError extends Error {
  override readonly name = 'AccountFullError';
}

const WAIT_MIN_MS = 5000;
const WAIT_MAX_MS = 300_000;

/** Half the job's age, so that many jobs that wait for days cost little, and a new job soon gets another try. */
export const accountFullWaitMs = (ageMs: number): number => Math.min(WAIT_MAX_MS, Math.max(WAIT_MIN_MS, ageMs / 2));

/**
 * Puts a job back when it fails, except with UnrecoverableError, which means a fault in the job. The job waits for a
 * second, or for `accountFullWaitMs` after an AccountFullError, and uses up none of its attempts.
 */
export function requeueAfterFailure<Result>(processJob: (job: Job) => Promise<Result>, logger: Logger) {
  return async (job: Job, token?: string): Promise<Result> => {
    try {
      return await processJob(job);
    } catch (error) {
      if (error instanceof UnrecoverableError) throw error;
      // Too deeply nested or too long to be written again as JSON, so every later run would fail too.
      if (error instanceof RangeError) throw new JobTooLargeError(`the job cannot be processed: ${error.message}`);
      const isAccountFull = error instanceof AccountFullError;
      const waitMs = isAccountFull ? accountFullWaitMs(Date.now() - job.timestamp) : TRY_AGAIN_MS;
      const about = { queue: job.queueName, job: job.id };
      if (isAccountFull) logger.debug('the account is over its limit, so the job is delayed', { ...about, waitMs });
      else logger.warn('the job failed and runs again in one second', { ...about, error });
      await job.moveToDelayed(Date.now() + waitMs, token);
      throw new DelayedError();
    }
  };
}
