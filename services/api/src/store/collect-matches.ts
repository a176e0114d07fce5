import { KINDS } from '@mailhook/core';
import type { Account, FoundDestination, StoreMatches, StoredAccount } from '@mailhook/core';

/** Beginnings of all ids of accounts and campaign webhooks. A search for one would find all. */
const COMMON_STARTS = ['acc_', 'campaign-'];

/** The words of a search, in lower case. */
export const wordsOf = (text: string): readonly string[] => text.toLowerCase().trim().split(/\s+/);

/** The beginning of an id, in lower case. Undefined if the text is none. */
export function idStartOf(text: string): string | undefined {
  const [word = '', ...more] = wordsOf(text);
  return more.length > 0 || COMMON_STARTS.some((start) => start.startsWith(word)) ? undefined : word;
}

/** Collects the matches of a search (`Store.search`) among the accounts that are added. Each counts once. */
export function collectMatches(text: string, limit: number) {
  const part = wordsOf(text).join(' ');
  const idStart = idStartOf(text);
  const accounts = new Map<string, Account>();
  const destinations = new Map<string, FoundDestination>();
  const note = <Item extends { readonly id: string }>(
    into: Map<string, Item>,
    item: Item,
    ...texts: string[]
  ): void => {
    const isMatch =
      item.id === text ||
      (idStart !== undefined && item.id.toLowerCase().startsWith(idStart)) ||
      texts.some((one) => wordsOf(one).join(' ').includes(part));
    // Only one match beyond the limit is of use.
    if (isMatch && into.size <= limit) into.set(item.id, item);
  };
  return {
    add(some: readonly StoredAccount[]): void {
      for (const { id: account, name, destinations: ofAccount } of some) {
        note(accounts, { id: account, name }, name);
        for (const { id, module, settings } of ofAccount) {
          const { address, name: ofDestination } = settings;
          if (address !== null)
            note(destinations, { account, id, kind: KINDS[module], address }, address, ofDestination ?? '');
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
