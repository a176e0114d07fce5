import type { Store } from '@mailhook/core';
import type { OperationsServerOptions } from '@mailhook/platform/http-server';
import type { WatchedWorker } from '@mailhook/platform/queue';
import { isDiskRefusal } from '@mailhook/platform/redis';
import type { ConnectionWatch, Redis } from '@mailhook/platform/redis';
import type { Logger } from '@mailhook/platform/logger';
import { timeText } from './wording.ts';

interface HealthDeps {
  readonly redis: Redis;
  readonly logger: Logger;
  readonly watch: Pick<ConnectionWatch, 'faults' | 'hopeless'>;
  readonly store: Store;
  /** The workers of the jobs that this service takes. */
  readonly workers: readonly Pick<WatchedWorker, 'fault'>[];
}

/**
 * Answers the probes of this replica. It is not ready while Redis does not answer, or while a worker gets no jobs. It
 * stays ready while Redis cannot write to its disk, because reads still work and producers get a 503 with the reason.
 * The store must have answered once. If the store goes down later, the replica stays ready, because it still accepts
 * events of known accounts and all replicas share the store.
 */
export function createHealth(deps: HealthDeps): Pick<OperationsServerOptions, 'isReady' | 'hopeless'> {
  const { redis, watch, store, workers, logger } = deps;
  const redisCheck = createCheck('Redis has not answered', () => pingThroughFullDisk(redis), logger);
  const storeCheck = createCheck('the store has not answered', () => store.ping(), logger);
  let hasSeenStore = false;
  store.ping().then(
    () => (hasSeenStore = true),
    () => undefined,
  );
  return {
    hopeless: () => watch.hopeless(),
    isReady: async () => {
      const faults = workers.map((worker) => worker.fault()).filter((fault) => fault !== undefined);
      const reasons = [...(await redisCheck()), ...watch.faults(), ...faults];
      if (hasSeenStore) return reasons;
      const storeReasons = await storeCheck();
      hasSeenStore = storeReasons.length === 0;
      return [...reasons, ...storeReasons];
    },
  };
}

const pingThroughFullDisk = (redis: Redis): Promise<unknown> =>
  redis.ping().catch((error: unknown) => {
    if (!isDiskRefusal(error)) throw error;
  });

/** A check that says since when it has failed. The text of the error is in the log only. */
function createCheck(what: string, ping: () => Promise<unknown>, logger: Logger): () => Promise<string[]> {
  let failedSince: string | undefined;
  return async () => {
    try {
      await ping();
      failedSince = undefined;
      return [];
    } catch (error) {
      if (failedSince === undefined) logger.warn('this replica is not ready', { reason: what, error });
      failedSince ??= new Date().toISOString();
      return [`${what} since ${timeText(failedSince)}`];
    }
  };
}
