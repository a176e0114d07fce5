import { UnrecoverableError } from 'bullmq';
import type { Redis } from '@mailhook/platform/redis';
import { campaignDestinationId, deactivationJob, DEACTIVATIONS_QUEUE, OPERATIONS_ACCOUNT } from '@mailhook/core';
import type { DeactivationJob, Store } from '@mailhook/core';
import type { Logger } from '@mailhook/platform/logger';
import { openWatchedWorker } from '@mailhook/platform/queue';
import type { WatchedWorker } from '@mailhook/platform/queue';
import type { AccountWriter } from '../accounts/account-writer.ts';
import { REPEATED_JOBS, requeueAfterFailure } from './requeue.ts';

interface DeactivationDeps {
  readonly store: Store;
  readonly writer: AccountWriter;
}

interface WorkerDeps extends DeactivationDeps {
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
export function startDeactivationsWorker({ connection, prefix, logger, announce, ...deps }: WorkerDeps): WatchedWorker {
  const deactivate = deactivateDestination(deps);
  const watched = openWatchedWorker({
    queue: DEACTIVATIONS_QUEUE,
    connection,
    prefix,
    concurrency: 1,
    process: requeueAfterFailure(async (job) => {
      const parsed = deactivationJob.safeParse(job.data);
      if (!parsed.success) throw new UnrecoverableError(`not a deactivation: ${parsed.error.message}`);
      if (parsed.data.account === OPERATIONS_ACCOUNT) {
        logger.error('the operations webhook answered 410: it gets no message until an api starts', parsed.data);
        return;
      }
      const isApplied = await deactivate(parsed.data);
      // After a failure, the job runs again. Then nothing is applied, but the message is published.
      await announce?.(parsed.data);
      logger.info('a receiver answered 410', { ...parsed.data, isApplied });
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
  ({ store, writer }: DeactivationDeps) =>
  async ({ destination, account, kind, version, reason }: DeactivationJob): Promise<boolean> => {
    const change = async (): Promise<unknown> => {
      if (kind === 'transactional') {
        return store.updateSubscription(account, destination, { active: false }, { ifVersion: version });
      }
      const { address } = await store.getCampaignWebhook(account);
      return store.putCampaignWebhook(account, { address, active: false, inactiveReason: reason }, version);
    };
    const wanted = kind === 'campaign' ? campaignDestinationId(account) : destination;
    const changed = await writer.write(account, change, () => ({ saves: ({ id }) => id === wanted }));
    return changed !== undefined;
  };
