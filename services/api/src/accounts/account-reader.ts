import { StoreUnavailableError } from '@mailhook/core';
import type { Store, StoredCampaignWebhook, StoredSubscription } from '@mailhook/core';
import type { RoutingTable } from './routing-table.ts';
import type { AccountSnapshot } from './snapshot.ts';

/** Reads an account's settings from the store, or from memory while the store is down. */
export interface AccountReader {
  /** Oldest first. */
  subscriptions(account: string): Promise<readonly StoredSubscription[]>;
  campaign(account: string): Promise<StoredCampaignWebhook>;
}

interface AccountReaderDeps {
  readonly store: Store;
  readonly routing: Pick<RoutingTable, 'peek'>;
}

export function createAccountReader({ store, routing }: AccountReaderDeps): AccountReader {
  const orFromMemory = async <Value>(
    account: string,
    read: Promise<Value>,
    remembered: (snapshot: AccountSnapshot) => Value,
  ): Promise<Value> => {
    try {
      return await read;
    } catch (error) {
      const snapshot = error instanceof StoreUnavailableError ? routing.peek(account) : undefined;
      if (snapshot === undefined || snapshot === null) throw error;
      return remembered(snapshot);
    }
  };
  return {
    subscriptions: (account) =>
      orFromMemory<readonly StoredSubscription[]>(
        account,
        store.listSubscriptions(account),
        (snapshot) => snapshot.subscriptions,
      ),
    campaign: (account) => orFromMemory(account, store.getCampaignWebhook(account), (snapshot) => snapshot.campaign),
  };
}
