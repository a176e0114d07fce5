import { StoreUnavailableError } from '@mailhook/core';
import type { LogStore } from '@mailhook/event-log';
import { MissingObjectError } from '@mailhook/event-log';
import type { StoreTimes } from './store-times.ts';

interface Guards {
  /** While it returns a sentence, every operation fails with it. */
  readonly faultOf?: () => string | undefined;
  readonly times?: StoreTimes;
}

/** A store whose errors are StoreUnavailableErrors, so that a call of a customer is answered with 503. */
export function createGuardedStore(store: LogStore, { faultOf, times }: Guards = {}): LogStore {
  const guarded = async <Result>(
    operation: Parameters<StoreTimes['time']>[0],
    work: () => Promise<Result>,
  ): Promise<Result> => {
    const fault = faultOf?.();
    if (fault !== undefined) throw new StoreUnavailableError(fault);
    try {
      return await (times === undefined ? work() : times.time(operation, work));
    } catch (error) {
      if (error instanceof MissingObjectError || error instanceof RangeError) throw error;
      throw new StoreUnavailableError((error as Error).message, { cause: error });
    }
  };
  return {
    put: (name, chunks) => guarded('put', () => store.put(name, chunks)),
    get: (name, range) => guarded('get', () => store.get(name, range)),
    list: (prefix) => guarded('list', () => store.list(prefix)),
    delete: (name) => guarded('delete', () => store.delete(name)),
    ...(store.keepsDeleted === undefined ? {} : { keepsDeleted: store.keepsDeleted }),
    close: () => store.close(),
  };
}
