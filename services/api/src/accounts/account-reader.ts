import { shownDestinations, StoreUnavailableError } from '@mailhook/core';
import type { ShownDestination, Store } from '@mailhook/core';
import type { RoutingTable } from './routing-table.ts';

/** Reads an account's destinations from the store, or from memory while the store is down. */
export interface AccountReader {
  destinations(account: string): Promise<readonly ShownDestination[]>;
}

interface AccountReaderDeps {
  readonly store: Pick<Store, 'load'>;
  readonly routing: Pick<RoutingTable, 'peek'>;
}

export const createAccountReader = ({ store, routing }: AccountReaderDeps): AccountReader => ({
  async destinations(id) {
    try {
      const account = await store.load(id);
      return account === undefined ? [] : shownDestinations(account);
    } catch (error) {
      const snapshot = error instanceof StoreUnavailableError ? routing.peek(id) : undefined;
      if (snapshot === undefined || snapshot === null) throw error;
      return snapshot.destinations;
    }
  },
});
