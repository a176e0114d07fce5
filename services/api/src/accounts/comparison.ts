import type { Store } from '@mailhook/core';
import type { DestinationRegistry, MailboxChecks } from '@mailhook/delivery';
import type { Logger } from '@mailhook/platform/logger';
import type { AccountWriter } from './account-writer.ts';

export interface ComparisonDeps {
  readonly store: Pick<Store, 'list' | 'loadAll' | 'findDeletion'>;
  readonly writer: Pick<AccountWriter, 'check' | 'removeUnknown'>;
  readonly registry: Pick<DestinationRegistry, 'list'>;
  readonly mailboxes: MailboxChecks;
  readonly logger: Pick<Logger, 'warn'>;
  /** Accounts per page, and records. */
  readonly page: number;
  readonly isClosed: () => boolean;
}

/**
 * How far the comparison is: the last account, the cursor of the records ('' for the beginning of both), and the number
 * of records so far whose account the store has never had.
 */
export interface Position {
  readonly account: string;
  readonly records: string;
  readonly left: number;
}

export const START: Position = { account: '', records: '', left: 0 };

const AT_ONCE = 8;

/** Runs a task for every item, a few at a time, until `isClosed`. */
export async function forEach<Item>(
  items: readonly Item[],
  isClosed: () => boolean,
  task: (item: Item) => Promise<void>,
): Promise<void> {
  for (let from = 0; from < items.length && !isClosed(); from += AT_ONCE)
    await Promise.all(items.slice(from, from + AT_ONCE).map(task));
}

/**
 * Compares the store with the workers' registry, page by page: the accounts of the store, and the records of
 * destinations, of which some may be in no account. Also checks the mailboxes of these destinations.
 */
export function createComparison({ store, writer, registry, mailboxes, logger, page, isClosed }: ComparisonDeps) {
  let warnedOf = 0;

  const compareAccounts = async (at: Position): Promise<Position> => {
    const accounts = await store.list(at.account === '' ? undefined : at.account, page);
    await forEach(accounts, isClosed, writer.check);
    return { ...at, account: accounts.length < page ? '' : (accounts.at(-1) ?? '') };
  };
  const hadAccount = async (account: string): Promise<boolean> => (await store.findDeletion(account)) !== undefined;
  /** Leaves those of accounts that the store has never had: it may be the wrong store, or an empty one. */
  const compareRecords = async (at: Position): Promise<Position> => {
    const { records, next } = await registry.list(at.records, page);
    let { left } = at;
    const loaded = await store.loadAll([...new Set(records.map(({ account }) => account))]);
    const accounts = new Map(loaded.map(({ id, destinations }) => [id, new Set(destinations.map((one) => one.id))]));
    const owners = [...accounts].map(([id, destinations]) => ({ id, destinations: [...destinations] }));
    await mailboxes.check(records, owners);
    const unknown = records.filter(({ id, account }) => accounts.get(account)?.has(id) !== true);
    await forEach(unknown, isClosed, async (record) => {
      if (accounts.has(record.account) || (await hadAccount(record.account))) await writer.removeUnknown(record);
      else left += 1;
    });
    if (next !== '') return { ...at, records: next, left };
    if (left > 0 && left !== warnedOf)
      logger.warn('Redis has destinations of accounts that the store does not have; they stay as they are', {
        destinations: left,
      });
    warnedOf = left;
    return { ...at, records: START.records, left: START.left };
  };

  return {
    comparePage: async (at: Position): Promise<Position> => compareRecords(await compareAccounts(at)),
    /** Calls `onPage` after each page. */
    compareAll: async (onPage: () => Promise<unknown>): Promise<void> => {
      let at = START;
      do {
        at = await compareAccounts(at);
        await onPage();
      } while (at.account !== '' && !isClosed());
      do {
        at = await compareRecords(at);
        await onPage();
      } while (at.records !== '' && !isClosed());
    },
  };
}
