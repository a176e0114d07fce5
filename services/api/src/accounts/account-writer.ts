import { StoreConflictError } from '@mailhook/core';
import type { Destination, SaveOptions, Store, StoredAccount } from '@mailhook/core';
import { QueueUnavailableError } from '@mailhook/delivery';
import type { DestinationRegistry } from '@mailhook/delivery';
import { changeAccount } from './change-account.ts';
import type { AccountChange, AccountRule } from './change-account.ts';
import type { ChangeBus } from './change-bus.ts';
import type { RoutingTable } from './routing-table.ts';
import { destinationsOf, snapshotOf } from './snapshot.ts';
import { createTurns } from './turns.ts';

type RemovedDestination = Pick<Destination, 'id' | 'kind' | 'account'>;

export interface AccountWriter {
  /**
   * Changes an account in the store (`changeAccount`). Before it resolves, it updates the workers' registry and this
   * replica's routing, and notifies the other replicas. Changes of one account run one after the other. Rejects with
   * the store's error, or with QueueUnavailableError when the store has the change but the workers may not. `repair`
   * then updates them.
   */
  change(account: string, rule: AccountRule, options?: SaveOptions): Promise<AccountChange | undefined>;
  /** Updates the registry to the account's state in the store, and notifies the other replicas. */
  repair(account: string): Promise<void>;
  /** The same, but notifies nobody if the registry was equal to the store. */
  check(account: string): Promise<void>;
  /** Returns and clears the accounts with registry records that may be outdated after a failed write. */
  takeBehind(): string[];
}

interface AccountWriterDeps {
  readonly store: Pick<Store, 'load' | 'save'>;
  readonly registry: Pick<DestinationRegistry, 'save' | 'remove'>;
  readonly routing: RoutingTable;
  readonly bus: ChangeBus;
  /** Encrypts secrets with the current key. Returns the same account if they already are. */
  readonly reseal: (account: StoredAccount) => StoredAccount;
}

export function createAccountWriter(deps: AccountWriterDeps): AccountWriter {
  const { store, routing, reseal } = deps;
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
        noteIfBehind(account, async () => {
          const changed = await changeAccount(store, account, rule, options);
          if (changed === undefined) return undefined;
          for (const { id } of changed.before.subscriptions) {
            const isLeft = changed.after.subscriptions.some((one) => one.id === id);
            if (!isLeft) removals.set(id, { id, account, kind: 'transactional' });
          }
          await spread(account, changed.after, false);
          return changed;
        }),
      ),
    repair: (account) => update(account, false),
    check: (account) => update(account, true),
    takeBehind: () => {
      const accounts = [...behind];
      behind.clear();
      return accounts;
    },
  };
}

function spreadChange({ store, registry, routing, bus }: AccountWriterDeps, removals: Map<string, RemovedDestination>) {
  return async (id: string, loaded: StoredAccount | undefined, isCheck: boolean): Promise<void> => {
    let account = loaded;
    let isChanged = false;
    while (account !== undefined && (await saveAll(registry, destinationsOf(account)))) {
      isChanged = true;
      // Two replicas may change the account at the same time. Repeat until a read finds no change, so that the last
      // save has both.
      const again = await store.load(id);
      const isSettled = again?.version === account.version;
      account = again;
      if (isSettled) break;
    }
    routing.install(id, account === undefined ? null : snapshotOf(account));
    for (const removed of [...removals.values()].filter((one) => one.account === id)) {
      await told(() => registry.remove(removed));
      removals.delete(removed.id);
    }
    if (isChanged || !isCheck) await told(() => bus.publish({ account: id }));
  };
}

/** Resolves with whether a record had to be written. */
async function saveAll(registry: AccountWriterDeps['registry'], records: readonly Destination[]): Promise<boolean> {
  const written = await told(() => Promise.all(records.map((record) => registry.save(record))));
  return written.includes(true);
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
