import type { AccountRow, Store, OperatorServices } from '@mailhook/core';
import {
  endpointKey,
  KINDS,
  OPERATIONS_ACCOUNT,
  OPERATIONS_DESTINATION,
  publicIdOf,
  shownDestinations,
  StoreUnavailableError,
  typesKey,
} from '@mailhook/core';
import type { AccountUsage, AccountUsages, FindDestination, ReadDestinations } from '@mailhook/insight';
import { ProblemError } from '@mailhook/platform/http-server';

interface AccountsOverviewDeps {
  readonly store: Pick<Store, 'load' | 'loadAll' | 'newest' | 'search'>;
  readonly usages: AccountUsages;
  readonly readDestinations: ReadDestinations;
  /** By its id. */
  readonly findDestination: FindDestination;
  readonly limits: { readonly events: number; readonly bytes: number };
}

const HEAVIEST_SHOWN = 10;
/** The account of the operations webhook exists only in the engine. */
const OPERATIONS_NAME = 'Operations webhook';
const SEARCH_BOUNDS = { limit: 20, withinMs: 2000 };

export function createAccountsOverview(deps: AccountsOverviewDeps): OperatorServices['accounts'] {
  const { store, usages, readDestinations, limits } = deps;
  const rowOf = ({ account, ...usage }: AccountUsage, name: string | undefined): AccountRow => ({
    id: account,
    name: name ?? null,
    ...usage,
    share: Math.max(usage.events / limits.events, usage.bytes / limits.bytes),
  });
  const namesOf: OperatorServices['accounts']['namesOf'] = async (ids) => {
    try {
      const found = await store.loadAll([...new Set(ids)]);
      const endpoints = found.flatMap(({ destinations }) =>
        destinations.flatMap(({ id, settings: { name, types } }) => [
          ...(name === null ? [] : [[endpointKey(id), name] as const]),
          [typesKey(id), types.join(', ')] as const,
        ]),
      );
      const accounts = found.map(({ id, name }) => [id, name] as const);
      return new Map([[OPERATIONS_ACCOUNT, OPERATIONS_NAME], ...accounts, ...endpoints]);
    } catch (error) {
      if (error instanceof StoreUnavailableError) return new Map();
      throw error;
    }
  };
  return {
    namesOf,
    async heaviest() {
      const found = await usages.heaviest(HEAVIEST_SHOWN);
      const names = await namesOf(found.map(({ account }) => account));
      const rows = found.map((usage) => rowOf(usage, names.get(usage.account)));
      return rows.sort((a, b) => b.share - a.share).slice(0, HEAVIEST_SHOWN);
    },
    async list(page) {
      const found = await store.newest(page);
      const items = await Promise.all(
        found.items.map(async ({ id, name, createdAt }) => ({ ...rowOf(await usages.read(id), name), createdAt })),
      );
      return { ...found, items };
    },
    async find(id) {
      const isOperations = id === OPERATIONS_ACCOUNT;
      const itsWebhook = { id: OPERATIONS_DESTINATION, module: 'transactional_email' } as const;
      const operations = { name: OPERATIONS_NAME, createdAt: null, destinations: [itsWebhook] };
      const account = isOperations ? operations : await store.load(id);
      if (account === undefined) throw unknownAccount();
      const [usage, keptBodiesBytes] = await Promise.all([usages.read(id), usages.readKeptBodies(id)]);
      const ids = account.destinations.map((one) => ({ id: one.id, kind: KINDS[one.module] }));
      const destinations = [...(await readDestinations(id, ids)).values()];
      const { createdAt } = account;
      return { ...rowOf(usage, account.name), createdAt, keptBodiesBytes, limits, destinations };
    },
    async settingsOf(account, destination) {
      try {
        const found = await store.load(account);
        const id = publicIdOf(account, destination);
        return found && shownDestinations(found).find((one) => one.id === id);
      } catch (error) {
        if (error instanceof StoreUnavailableError) return undefined;
        throw error;
      }
    },
    async search(text) {
      const [{ accounts, destinations, isComplete }, byId] = await Promise.all([
        store.search(text, SEARCH_BOUNDS),
        // Without the store's limit of time.
        deps.findDestination(text),
      ]);
      const views = await Promise.all(
        destinations
          .filter(({ id }) => id !== byId?.id)
          .map(async (one) => (await readDestinations(one.account, [one])).get(one.id)),
      );
      return { accounts, destinations: [byId, ...views].filter((view) => view !== undefined), isComplete };
    },
  };
}

export const unknownAccount = (): ProblemError =>
  new ProblemError('not_found', { detail: 'There is no account with this id.' });
