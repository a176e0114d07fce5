import {
  compileFilter,
  isVersion1,
  KINDS,
  limitsOf,
  namesOf,
  SHAPE_LIMITS,
  shownDestinations,
  EVENT_TYPES,
  typesIn,
} from '@mailhook/core';
import type {
  Account,
  AccountRoutes,
  Destination,
  EventModule,
  EventTypeName,
  Route,
  ShownDestination,
  Store,
  StoredAccount,
  StoredDestination,
  StoredSecret,
} from '@mailhook/core';

/** What this replica keeps of an account in memory: its settings from the store, and the routes of its events. */
export interface AccountSnapshot {
  readonly account: Account;
  readonly destinations: readonly ShownDestination[];
  readonly routes: AccountRoutes;
}

/** Loads a snapshot. Resolves with undefined if there is no such account. */
type LoadSnapshot = (account: string) => Promise<AccountSnapshot | undefined>;

/** Loads accounts that are requested at the same time with one query. A request may name thousands. */
export function createSnapshotLoader(store: Pick<Store, 'loadAll'>): LoadSnapshot {
  let waiting: string[] = [];
  let found: Promise<ReadonlyMap<string, StoredAccount>> | undefined;
  const loadWaiting = async (): Promise<ReadonlyMap<string, StoredAccount>> => {
    // The other calls of this moment add their accounts first.
    await Promise.resolve();
    const ids = waiting;
    [waiting, found] = [[], undefined];
    return new Map((await store.loadAll(ids)).map((account) => [account.id, account]));
  };
  return async (id) => {
    waiting.push(id);
    const account = (await (found ??= loadWaiting())).get(id);
    return account === undefined ? undefined : snapshotOf(account);
  };
}

export const snapshotOf = (account: StoredAccount): AccountSnapshot => ({
  account: { id: account.id, name: account.name },
  destinations: shownDestinations(account),
  routes: {
    transactional_email: routesOf('transactional_email', account.destinations),
    campaign: routesOf('campaign', account.destinations),
  },
});

/** The routes lead to the destinations that get events now: the active ones, by the types that they list. */
function routesOf(module: EventModule, destinations: readonly StoredDestination[]): AccountRoutes[EventModule] {
  const routes: Partial<Record<EventTypeName, readonly Route[]>> = {};
  for (const type of namesOf(EVENT_TYPES)) if (isVersion1(module, type)) routes[type] = [];
  for (const { id, module: own, settings } of destinations) {
    if (own !== module || settings.address === null) continue;
    const route = routeOf(id, settings);
    // An array that grew by `push`, or a spread, has room for 17 elements: a third of an account's memory.
    for (const type of typesIn(module, settings.types)) {
      const before = routes[type] ?? [];
      routes[type] = settings.active ? before.concat(route) : before;
    }
  }
  return routes;
}

const routeOf = (id: string, { version, shape, filter }: StoredDestination['settings']): Route => ({
  id,
  version,
  ...(version === 2 ? { isSingle: shape === 'single' } : {}),
  ...(filter === null ? {} : { passes: compileFilter(filter) }),
});

/** The records that the workers need. */
export function destinationsOf({ id: account, destinations, secrets }: StoredAccount): Destination[] {
  return destinations.map(({ id, module, settings, inactiveReason, headers, secrets: own, version }) => {
    const { address, active, shape, maxEvents, concurrency } = settings;
    const most = SHAPE_LIMITS[shape];
    return {
      id,
      kind: KINDS[module],
      account,
      address,
      active,
      inactiveReason,
      version,
      shape,
      maxEvents: Math.min(maxEvents, most.maxEvents),
      concurrency: concurrency ?? most.concurrency,
      ...credentialsOf(own.length === 0 ? secrets : own),
      headers,
      limits: limitsOf(settings),
    };
  });
}

/** The secrets that sign requests, those with an end apart. */
function credentialsOf(secrets: readonly StoredSecret[]): Pick<Destination, 'secrets' | 'endingSecrets'> {
  const ending = secrets.flatMap(({ secret, endsAt }) =>
    endsAt === null ? [] : [[secret, Date.parse(endsAt)] as const],
  );
  const lasting = secrets.flatMap(({ secret, endsAt }) => (endsAt === null ? [secret] : []));
  return { secrets: lasting, endingSecrets: ending.length === 0 ? undefined : ending };
}
