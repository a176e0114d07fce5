import { campaignDestinationId } from '@mailhook/core';
import type { Account, FoundDestination, StoreMatches, StoredAccount } from '@mailhook/core';

/** Collects the matches of a search (`Store.search`) among the accounts that are added. Each counts once. */
export function collectMatches(text: string, limit: number) {
  const part = text.toLowerCase();
  const accounts = new Map<string, Account>();
  const destinations = new Map<string, FoundDestination>();
  const note = <Item extends { readonly id: string }>(into: Map<string, Item>, item: Item, searched: string): void => {
    const isMatch = item.id === text || searched.toLowerCase().includes(part);
    // Only one match beyond the limit is of use.
    if (isMatch && into.size <= limit) into.set(item.id, item);
  };
  return {
    add(some: readonly StoredAccount[]): void {
      for (const { id, name, campaign, subscriptions } of some) {
        note(accounts, { id, name }, name);
        const { address } = campaign;
        const own = { account: id, id: campaignDestinationId(id), kind: 'campaign' as const };
        if (address !== null) note(destinations, { ...own, address }, address);
        for (const one of subscriptions) {
          const found = { account: id, id: one.id, kind: 'transactional' as const, address: one.address };
          note(destinations, found, one.address);
        }
      }
    },
    isFull: (): boolean => accounts.size > limit && destinations.size > limit,
    /** @param haveAllBeenAdded whether no other account may match. */
    result: (haveAllBeenAdded: boolean): StoreMatches => ({
      accounts: [...accounts.values()].slice(0, limit),
      destinations: [...destinations.values()].slice(0, limit),
      isComplete: haveAllBeenAdded && accounts.size <= limit && destinations.size <= limit,
    }),
  };
}
