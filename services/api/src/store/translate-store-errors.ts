import { StoreConflictError } from '@mailhook/core';
import type { Store } from '@mailhook/core';

/**
 * Turns every error of a driver into the error of `unavailable`, with the driver's error as its cause.
 * StoreConflictError passes unchanged. To callers, a lost connection, a timeout, a full memory and a server that is
 * still loading are the same.
 */
export function translateStoreErrors(store: Store, unavailable: (cause: unknown) => Error): Store {
  const methods = Object.entries(store).map(([name, method]: [string, (...args: unknown[]) => Promise<unknown>]) => [
    name,
    async (...args: unknown[]) => {
      try {
        return await method(...args);
      } catch (error) {
        throw error instanceof StoreConflictError ? error : unavailable(error);
      }
    },
  ]);
  return Object.fromEntries(methods) as Store;
}
