import { DelayedError, UnrecoverableError } from 'bullmq';
import type { Job } from 'bullmq';
import type { Logger } from '@mailhook/platform/logger';

/**
 * A job of a process that died is taken over within seconds, and none fails because processes died: their work is safe to repeat, so
 * that a false alarm costs nothing.
 */
export const PATIENCE = { lockDuration: 5000, stalledInterval: 2000, maxStalledCount: 1_000_000 } as const;

const TRY_AGAIN_MS = 1000;

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
      logger.warn('a job is put back for a second', { queue: job.queueName, job: job.id, error });
      await job.moveToDelayed(Date.now() + TRY_AGAIN_MS, token);
      throw new DelayedError();
    }
  };
}
