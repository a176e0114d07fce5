import { UnrecoverableError } from 'bullmq';
import type { Redis } from '@mailhook/platform/redis';
import { campaignDestinationId, deactivationJob, DEACTIVATIONS_QUEUE } from '@mailhook/core';
import type { DeactivationJob, Store } from '@mailhook/core';
import type { Logger } from '@mailhook/platform/logger';
import { openWatchedWorker } from '@mailhook/platform/queue';
import type { WatchedWorker } from '@mailhook/platform/queue';
import type { AccountWriter } from '../accounts/account-writer.ts';
import { PATIENCE, putBackWhileDown } from './patient-worker.ts';

export interface DeactivationDeps {
  readonly store: Store;
  readonly writer: AccountWriter;
}

interface WorkerDeps extends DeactivationDeps {
  /** For blocking reads: a `worker` connection of its own. */
  readonly connection: Redis;
  readonly prefix: string;
  readonly logger: Logger;
}

/** Writes down in the store what a receiver's 410 switched off (design, section 3, "410"). Tried again for as long as the store is away. */
export function startDeactivationsWorker({ connection, prefix, logger, ...deps }: WorkerDeps): WatchedWorker {
  const deactivate = deactivateDestination(deps);
  const watched = openWatchedWorker({
    queue: DEACTIVATIONS_QUEUE,
    connection,
    prefix,
    concurrency: 1,
    process: putBackWhileDown(async (job) => {
      const parsed = deactivationJob.safeParse(job.data);
      if (!parsed.success) throw new UnrecoverableError(`not a deactivation: ${parsed.error.message}`);
      const isApplied = await deactivate(parsed.data);
      logger.info('a receiver answered 410', { ...parsed.data, isApplied });
    }, logger),
    onError: (error) => logger.warn('the worker of deactivations had an error', { error }),
    removeOnComplete: { count: 100 },
    ...PATIENCE,
  });
  watched.worker.on('failed', (job, error) => logger.error('a deactivation failed', { job: job?.id, error }));
  return watched;
}

/**
 * Applies only to the version that the 410 was sent to: an address saved since then is another one. Safe to repeat; whatever the store
 * says in the end is what the workers are told. Resolves with whether it was applied.
 */
export const deactivateDestination =
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
