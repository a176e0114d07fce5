import type { Store } from '@mailhook/core';
import type { WatchedWorker } from '@mailhook/platform/queue';
import type { Redis } from '@mailhook/platform/redis';

interface ReadinessDeps {
  readonly redis: Redis;
  readonly store: Store;
  /** Of the jobs that this service takes itself. */
  readonly workers: readonly Pick<WatchedWorker, 'fault'>[];
}

/**
 * Why this replica should get no requests, in sentences. Without Redis it can do nothing. The store must have answered once; that it goes
 * away later is no reason: events of known accounts are taken on, and all replicas have the same store. A worker that has gone deaf is one.
 */
export function createReadiness({ redis, store, workers }: ReadinessDeps): () => Promise<readonly string[]> {
  let hasSeenStore = false;
  store.ping().then(
    () => (hasSeenStore = true),
    () => undefined,
  );
  const check = async (what: string, ping: () => Promise<unknown>): Promise<string[]> => {
    try {
      await ping();
      return [];
    } catch (error) {
      return [`${what}: ${error instanceof Error ? error.message : String(error)}`];
    }
  };
  return async () => {
    const faults = workers.map((worker) => worker.fault()).filter((fault) => fault !== undefined);
    const reasons = [...(await check('Redis does not answer', () => redis.ping())), ...faults];
    if (hasSeenStore) return reasons;
    const storeReasons = await check('the store has not answered yet', () => store.ping());
    hasSeenStore = storeReasons.length === 0;
    return [...reasons, ...storeReasons];
  };
}
