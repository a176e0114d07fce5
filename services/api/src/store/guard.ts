import { StoreConflictError } from '@mailhook/core';
import type { Store } from '@mailhook/core';

/**
 * Keeps the port's promise about errors: what a driver throws becomes StoreUnavailableError (with the driver's error as its cause);
 * conflicts pass. Drivers throw for a lost connection, a time limit, a full memory, a server that still loads: to callers all the same.
 */
export function guardStore(store: Store, unavailable: (cause: unknown) => Error): Store {
  const guarded = Object.entries(store).map(([name, method]: [string, (...args: unknown[]) => Promise<unknown>]) => [
    name,
    async (...args: unknown[]) => {
      try {
        return await method(...args);
      } catch (error) {
        throw error instanceof StoreConflictError ? error : unavailable(error);
      }
    },
  ]);
  return Object.fromEntries(guarded) as Store;
}
