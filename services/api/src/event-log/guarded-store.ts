import { StoreUnavailableError } from '@mailhook/core';
import type { LogStore } from '@mailhook/event-log';
import { MissingObjectError } from '@mailhook/event-log';

/**
 * A store whose errors are StoreUnavailableErrors, so that a call of a customer is answered with 503. While `faultOf`
 * returns a sentence, every operation fails with it.
 */
export function createGuardedStore(store: LogStore, faultOf: () => string | undefined = () => undefined): LogStore {
  const guarded = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    const fault = faultOf();
    if (fault !== undefined) throw new StoreUnavailableError(fault);
    try {
      return await work();
    } catch (error) {
      if (error instanceof MissingObjectError || error instanceof RangeError) throw error;
      throw new StoreUnavailableError((error as Error).message, { cause: error });
    }
  };
  return {
    put: (name, chunks) => guarded(() => store.put(name, chunks)),
    get: (name, range) => guarded(() => store.get(name, range)),
    list: (prefix) => guarded(() => store.list(prefix)),
    delete: (name) => guarded(() => store.delete(name)),
    ...(store.keepsDeleted === undefined ? {} : { keepsDeleted: store.keepsDeleted }),
    close: () => store.close(),
  };
}
