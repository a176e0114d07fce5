import { KINDS, overtakeRecords, StoreConflictError } from '@mailhook/core';
import type { Destination, SaveOptions, Store, StoredAccount } from '@mailhook/core';
import { QueueUnavailableError } from '@mailhook/delivery';
import type { DestinationRegistry, FoundRecord } from '@mailhook/delivery';
import { changeAccount } from './change-account.ts';
import type { AccountChange, AccountRule } from './change-account.ts';
import type { ChangeBus } from './change-bus.ts';
import type { RoutingTable } from './routing-table.ts';
import { destinationsOf, snapshotOf } from './snapshot.ts';
import { createTurns } from './turns.ts';
import type { UnfinishedChanges } from './unfinished-changes.ts';

type RemovedDestination = Pick<Destination, 'id' | 'kind' | 'account'>;

export interface AccountWriter {
  /**
   * Changes an account in the store (`changeAccount`). Before it resolves, it updates the workers' registry and this
   * replica's routing, and notifies the other replicas. Changes of one account run one after the other. Rejects with
   * the store's error, or with QueueUnavailableError: nothing was changed because Redis is away, or the store has the
   * change but the workers may not. `repair` then updates them.
   */
  change(account: string, rule: AccountRule, options?: SaveOptions): Promise<AccountChange | undefined>;
  /** Updates the registry to the account's state in the store, and notifies the other replicas. */
  repair(account: string): Promise<void>;
  /** The same, but notifies nobody if the registry was equal to the store. */
  check(account: string): Promise<void>;
  /** Removes the record of a destination that the store does not have. */
  removeUnknown(record: FoundRecord): Promise<void>;
  /** Returns and clears the accounts with registry records that may be outdated after a failed write. */
  takeBehind(): string[];
}

interface AccountWriterDeps {
  readonly store: Pick<Store, 'load' | 'save'>;
  readonly registry: Pick<DestinationRegistry, 'save' | 'remove'>;
  readonly routing: RoutingTable;
  readonly bus: ChangeBus;
  readonly unfinished: Pick<UnfinishedChanges, 'note'>;
  /** Encrypts secrets with the current key. Returns the same account if they already are. */
  readonly reseal: (account: StoredAccount) => StoredAccount;
  readonly logger: { warn(message: string, details: object): unknown };
}

export function createAccountWriter(deps: AccountWriterDeps): AccountWriter {
  const { store, registry, routing, unfinished, reseal, logger } = deps;
  const inTurn = createTurns();
  const behind = new Set<string>();
  const removals = new Map<string, RemovedDestination>();
  const spread = spreadChange(deps, removals);
  /** After a lost reply, the store or the registry may or may not have the change. */
  const noteIfBehind = async <Result>(account: string, task: () => Promise<Result>): Promise<Result> => {
    try {
      return await task();
    } catch (error) {
      if (!(error instanceof StoreConflictError)) {
        behind.add(account);
        routing.invalidate(account);
      }
      throw error;
    }
  };
  /** The note stays if the store may have the change and the workers may not. */
  const noted = async <Result>(task: () => Promise<Result>): Promise<Result> => {
    const removeNote = await unfinished.note();
    try {
      const result = await task();
      await removeNote();
      return result;
    } catch (error) {
      if (error instanceof StoreConflictError) await removeNote();
      throw error;
    }
  };
  const update = (account: string, isCheck: boolean): Promise<void> =>
    inTurn(account, async () => {
      try {
        const loaded = await changeAccount(store, account, reseal);
        await spread(account, loaded?.after, isCheck);
      } catch (error) {
        behind.add(account);
        throw error;
      }
    });

  return {
    change: (account, rule, options) =>
      inTurn(account, () =>
        noted(() =>
          noteIfBehind(account, async () => {
            const changed = await changeAccount(store, account, rule, options);
            if (changed === undefined) return undefined;
            for (const { id, module } of changed.before.destinations) {
              const isLeft = changed.after.destinations.some((one) => one.id === id);
              if (!isLeft) removals.set(id, { id, account, kind: KINDS[module] });
            }
            await spread(account, changed.after, false);
            return changed;
          }),
        ),
      ),
    repair: (account) => update(account, false),
    check: (account) => update(account, true),
    removeUnknown: ({ version, ...record }) =>
      inTurn(record.account, async () => {
        const { id, account } = record;
        const isIn = (stored: StoredAccount): boolean => stored.destinations.some((one) => one.id === id);
        // Each step of a new destination goes to the store first, so the store must have it by now. Saving the account
        // proves that no other server of the store has a newer one.
        const rule: AccountRule = (stored) =>
          isIn(stored) ? overtakeRecords(stored, new Map([[id, version]])) : { ...stored };
        const found = (await changeAccount(store, account, rule, { evenWhenFull: true }))?.after;
        if (found !== undefined && isIn(found)) {
          await spread(account, found, true);
          return;
        }
        await told(() => registry.remove(record));
        logger.warn('removed the record of a destination that the store does not have', record);
      }),
    takeBehind: () => {
      const accounts = [...behind];
      behind.clear();
      return accounts;
    },
  };
}

function spreadChange(deps: AccountWriterDeps, removals: Map<string, RemovedDestination>) {
  const { store, registry, routing, bus } = deps;
  return async (id: string, loaded: StoredAccount | undefined, isCheck: boolean): Promise<void> => {
    let account = loaded;
    let isChanged = false;
    let wanted: ReadonlyMap<string, number> = new Map();
    while (account !== undefined) {
      const saved = await saveAll(registry, destinationsOf(account), wanted);
      isChanged ||= saved.isChanged;
      if (saved.wanted.size > 0) {
        wanted = saved.wanted;
        account = await overtake(deps, id, wanted);
        continue;
      }
      if (!saved.isChanged) break;
      // Two replicas may change the account at the same time. Repeat until a read finds no change, so that the last
      // save has both.
      const again = await store.load(id);
      const isSettled = again?.version === account.version;
      account = again;
      if (isSettled) break;
    }
    const stored = account;
    if (isChanged || !isCheck) routing.install(id, stored === undefined ? null : snapshotOf(stored));
    else if (stored !== undefined) routing.add(id, () => snapshotOf(stored));
    for (const removed of [...removals.values()].filter((one) => one.account === id)) {
      await told(() => registry.remove(removed));
      removals.delete(removed.id);
    }
    if (isChanged || !isCheck) await told(() => bus.publish({ account: id }));
  };
}

/**
 * Each change goes to the store first. So when a record in Redis is newer than the account that was read, either
 * another replica has changed the account since, or the store went back in time: a backup was restored. The account is
 * read again. If it is still older, the store gets a newer version, and its state holds. Saving proves that it was the
 * last state, whichever server of the store answered.
 */
async function overtake(
  { store, logger }: Pick<AccountWriterDeps, 'store' | 'logger'>,
  account: string,
  wanted: ReadonlyMap<string, number>,
): Promise<StoredAccount | undefined> {
  const rule: AccountRule = (stored) => overtakeRecords(stored, wanted);
  const found = await changeAccount(store, account, rule, { evenWhenFull: true });
  if (found !== undefined && found.after !== found.before)
    logger.warn('the store has an older state than Redis, as after a restored backup, and its state holds now', {
      account,
      destinations: [...wanted.keys()],
    });
  return found?.after;
}

/**
 * Resolves with whether a record was written, and with the versions that the store must have, by destination, where a
 * newer record stays. Destinations in `back` come back after their deletion.
 */
async function saveAll(
  registry: Pick<DestinationRegistry, 'save'>,
  records: readonly Destination[],
  back: ReadonlyMap<string, number>,
) {
  const saved = await told(() => Promise.all(records.map((record) => registry.save(record, back.has(record.id)))));
  const wanted = new Map<string, number>();
  for (const [i, { id }] of records.entries()) {
    const version = saved[i];
    if (typeof version === 'number') wanted.set(id, version);
  }
  return { isChanged: saved.includes('written'), wanted };
}

/** Runs an update that goes through Redis to the workers or the other replicas. */
async function told<Result>(tell: () => Promise<Result>): Promise<Result> {
  try {
    return await tell();
  } catch (error) {
    throw new QueueUnavailableError(
      'the change is stored, but Mailhook could not notify the workers; send the request again',
      { cause: error },
    );
  }
}
