import { KINDS } from '@mailhook/core';
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
      for (const { id: account, name, destinations: ofAccount } of some) {
        note(accounts, { id: account, name }, name);
        for (const { id, module, settings } of ofAccount) {
          const { address } = settings;
          if (address !== null) note(destinations, { account, id, kind: KINDS[module], address }, address);
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
