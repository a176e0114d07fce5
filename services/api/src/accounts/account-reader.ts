import { newAccount, StoreUnavailableError } from '@mailhook/core';
import type { Store, StoredAccount, StoredCampaignWebhook, StoredSubscription } from '@mailhook/core';
import type { RoutingTable } from './routing-table.ts';

/** Reads an account's settings from the store, or from memory while the store is down. */
export interface AccountReader {
  /** Oldest first. */
  subscriptions(account: string): Promise<readonly StoredSubscription[]>;
  campaign(account: string): Promise<StoredCampaignWebhook>;
}

interface AccountReaderDeps {
  readonly store: Pick<Store, 'load'>;
  readonly routing: Pick<RoutingTable, 'peek'>;
}

export function createAccountReader({ store, routing }: AccountReaderDeps): AccountReader {
  const read = async (id: string): Promise<Pick<StoredAccount, 'subscriptions' | 'campaign'>> => {
    try {
      return (await store.load(id)) ?? newAccount({ id, name: '', createdAt: '' });
    } catch (error) {
      const snapshot = error instanceof StoreUnavailableError ? routing.peek(id) : undefined;
      if (snapshot === undefined || snapshot === null) throw error;
      return snapshot;
    }
  };
  return {
    subscriptions: async (account) => (await read(account)).subscriptions,
    campaign: async (account) => (await read(account)).campaign,
  };
}
