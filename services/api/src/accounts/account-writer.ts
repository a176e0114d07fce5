import { StoreConflictError } from '@mailhook/core';
import type { Destination, Store } from '@mailhook/core';
import { QueueUnavailableError } from '@mailhook/delivery';
import type { DestinationRegistry } from '@mailhook/delivery';
import type { ChangeBus } from './change-bus.ts';
import type { RoutingTable } from './routing-table.ts';
import { createSnapshotLoader, destinationsOf } from './snapshot.ts';

type RemovedDestination = Pick<Destination, 'id' | 'kind' | 'account'>;

/** The destinations of the account that a write affects. The store no longer has the `removed` one. */
interface Effect {
  readonly saves: (destination: Destination) => boolean;
  readonly removed?: RemovedDestination | undefined;
  /** Whether the other replicas are told only if a record of the registry had to be written. */
  readonly isCheck?: boolean;
}

export interface AccountWriter {
  /**
   * Runs a write to the store. Before it resolves, it updates the workers' registry and this replica's routing, and
   * notifies the other replicas. Writes of one account run one after the other. Rejects with the store's error, or with
   * QueueUnavailableError when the store has the change but the workers may not. `repair` then updates them.
   */
  write<Result>(
    account: string,
    write: () => Promise<Result>,
    effectOf: (result: Result) => Effect | undefined,
  ): Promise<Result>;
  /** Updates the registry to the account's state in the store, and notifies the other replicas. */
  repair(account: string): Promise<void>;
  /** The same, but notifies nobody if the registry was equal to the store. */
  check(account: string): Promise<void>;
  /** Returns and clears the accounts with registry records that may be outdated after a failed write. */
  takeBehind(): string[];
}

interface AccountWriterDeps {
  readonly store: Store;
  readonly registry: Pick<DestinationRegistry, 'save' | 'remove'>;
  readonly routing: RoutingTable;
  readonly bus: ChangeBus;
}

export function createAccountWriter(deps: AccountWriterDeps): AccountWriter {
  const inTurn = createTurns();
  const behind = new Set<string>();
  const removals = new Map<string, RemovedDestination>();
  const spread = spreadChange(deps, removals);
  const update = (account: string, effect: Effect): Promise<void> =>
    inTurn(account, async () => {
      try {
        await spread(account, effect);
      } catch (error) {
        behind.add(account);
        throw error;
      }
    });

  return {
    write: (account, write, effectOf) =>
      inTurn(account, async () => {
        let result;
        try {
          result = await write();
        } catch (error) {
          // After a lost reply, the store may or may not have the change.
          if (!(error instanceof StoreConflictError)) {
            behind.add(account);
            deps.routing.invalidate(account);
          }
          throw error;
        }
        const effect = effectOf(result);
        if (effect === undefined) return result;
        if (effect.removed !== undefined) removals.set(effect.removed.id, effect.removed);
        try {
          await spread(account, effect);
        } catch (error) {
          behind.add(account);
          deps.routing.invalidate(account);
          throw error;
        }
        return result;
      }),
    repair: (account) => update(account, { saves: () => true }),
    check: (account) => update(account, { saves: () => true, isCheck: true }),
    takeBehind: () => {
      const accounts = [...behind];
      behind.clear();
      return accounts;
    },
  };
}

function spreadChange({ store, registry, routing, bus }: AccountWriterDeps, removals: Map<string, RemovedDestination>) {
  const loadSnapshot = createSnapshotLoader(store);
  const read = async (account: string, effect: Effect) => {
    const [snapshot, stored, settings] = await Promise.all([
      loadSnapshot(account),
      store.listSecrets(account),
      store.listDestinationSettings(account),
    ]);
    const extras = { secrets: stored.map(({ secret }) => secret), settings };
    const records = snapshot === undefined ? [] : destinationsOf(snapshot, extras).filter(effect.saves);
    return { snapshot: snapshot ?? null, records };
  };
  return async (account: string, effect: Effect): Promise<void> => {
    let state = await read(account, effect);
    let isChanged = false;
    while (await saveAll(registry, state.records)) {
      isChanged = true;
      // Two replicas may write a new secret and a new address at once. Repeat until a read finds no change, so that the
      // last save has both.
      const again = await read(account, effect);
      const isSettled = JSON.stringify(again.records) === JSON.stringify(state.records);
      state = again;
      if (isSettled) break;
    }
    routing.install(account, state.snapshot);
    for (const removed of [...removals.values()].filter((one) => one.account === account)) {
      await told(() => registry.remove(removed));
      removals.delete(removed.id);
    }
    if (isChanged || effect.isCheck !== true) await told(() => bus.publish({ account }));
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

/** Runs the tasks of one key one after the other. */
function createTurns() {
  const tails = new Map<string, Promise<unknown>>();
  return <Result>(key: string, task: () => Promise<Result>): Promise<Result> => {
    const turn = (tails.get(key) ?? Promise.resolve()).then(task, task);
    tails.set(key, turn);
    const forget = (): void => {
      if (tails.get(key) === turn) tails.delete(key);
    };
    turn.then(forget, forget);
    return turn;
  };
}
