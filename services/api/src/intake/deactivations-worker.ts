import { UnrecoverableError } from 'bullmq';
import type { Redis } from '@mailhook/platform/redis';
import { deactivationJob, DEACTIVATIONS_QUEUE, ENDING_STATUSES, OPERATIONS_ACCOUNT, switchOff } from '@mailhook/core';
import type { DeactivationJob } from '@mailhook/core';
import type { Logger } from '@mailhook/platform/logger';
import { openWatchedWorker } from '@mailhook/platform/queue';
import type { WatchedWorker } from '@mailhook/platform/queue';
import type { AccountWriter } from '../accounts/account-writer.ts';
import { REPEATED_JOBS, requeueAfterFailure } from './requeue.ts';

interface WorkerDeps {
  readonly writer: AccountWriter;
  /** A separate `worker` connection, for blocking reads. */
  readonly connection: Redis;
  readonly prefix: string;
  readonly logger: Logger;
  /** Informs the platform. Undefined without an operations webhook. */
  readonly announce: ((job: DeactivationJob) => Promise<void>) | undefined;
}

/**
 * Records in the store that a receiver's 410 switched off a destination (docs/protocol.md). Retries for as long as the
 * store is down.
 */
export function startDeactivationsWorker({ connection, prefix, logger, announce, writer }: WorkerDeps): WatchedWorker {
  const deactivate = deactivateDestination(writer);
  const watched = openWatchedWorker({
    queue: DEACTIVATIONS_QUEUE,
    connection,
    prefix,
    concurrency: 1,
    process: requeueAfterFailure(async (job) => {
      const parsed = deactivationJob.safeParse(job.data);
      if (!parsed.success) throw new UnrecoverableError(`not a deactivation: ${parsed.error.message}`);
      if (parsed.data.account === OPERATIONS_ACCOUNT) {
        logger.error(
          `the operations webhook answered ${ENDING_STATUSES}: it gets no message until an api starts`,
          parsed.data,
        );
        return;
      }
      const isApplied = await deactivate(parsed.data);
      // After a failure, the job runs again. Then nothing is applied, but the message is published.
      await announce?.(parsed.data);
      logger.info(`a receiver answered ${ENDING_STATUSES}`, { ...parsed.data, isApplied });
    }, logger),
    onError: (error) => logger.warn('the worker of deactivations had an error', { error }),
    removeOnComplete: { count: 100 },
    ...REPEATED_JOBS,
  });
  watched.worker.on('failed', (job, error) => logger.error('a deactivation failed', { job: job?.id, error }));
  return watched;
}

/**
 * Applies only to the version of the destination that answered 410, because the customer may have saved another address
 * since. Safe to repeat, because the workers always get the state in the store. Resolves with whether it was applied.
 */
const deactivateDestination =
  (writer: AccountWriter) =>
  async ({ destination: id, account, version, reason }: DeactivationJob): Promise<boolean> => {
    const change = { id, version, reason, at: new Date().toISOString() };
    const changed = await writer.change(account, (stored) => switchOff(stored, change), { evenWhenFull: true });
    if (changed === undefined) await writer.repair(account);
    return changed !== undefined;
  };
