import type { Store } from '@mailhook/core';
import type { OperationsServerOptions } from '@mailhook/platform/http-server';
import type { WatchedWorker } from '@mailhook/platform/queue';
import { isDiskRefusal } from '@mailhook/platform/redis';
import type { ConnectionWatch, Redis } from '@mailhook/platform/redis';

interface HealthDeps {
  readonly redis: Redis;
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
  const { redis, watch, store, workers } = deps;
  let hasSeenStore = false;
  store.ping().then(
    () => (hasSeenStore = true),
    () => undefined,
  );
  return {
    hopeless: () => watch.hopeless(),
    isReady: async () => {
      const faults = workers.map((worker) => worker.fault()).filter((fault) => fault !== undefined);
      const reasons = [
        ...(await check('Redis does not answer', () => pingThroughFullDisk(redis))),
        ...watch.faults(),
        ...faults,
      ];
      if (hasSeenStore) return reasons;
      const storeReasons = await check('the store has not answered yet', () => store.ping());
      hasSeenStore = storeReasons.length === 0;
      return [...reasons, ...storeReasons];
    },
  };
}

const pingThroughFullDisk = (redis: Redis): Promise<unknown> =>
  redis.ping().catch((error: unknown) => {
    if (!isDiskRefusal(error)) throw error;
  });

async function check(what: string, ping: () => Promise<unknown>): Promise<string[]> {
  try {
    await ping();
    return [];
  } catch (error) {
    return [`${what}: ${error instanceof Error ? error.message : String(error)}`];
  }
}
