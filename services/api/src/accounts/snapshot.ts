import {
  CAMPAIGN_FIELDS,
  campaignDestinationId,
  forEachName,
  NO_LIMITS,
  NOTIFICATION_FIELDS,
  version1Route,
  VERSION_1_REQUESTS,
} from '@mailhook/core';
import type {
  Account,
  AccountRoutes,
  Credentials,
  Destination,
  Store,
  StoredAccount,
  StoredCampaignWebhook,
  StoredDestinationSettings,
  StoredSubscription,
} from '@mailhook/core';

/** What this replica keeps of an account in memory: its settings from the store, and the routes of its events. */
export interface AccountSnapshot {
  readonly account: Account;
  readonly subscriptions: readonly StoredSubscription[];
  readonly campaign: StoredCampaignWebhook;
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

/**
 * The routes lead to the destinations that get events now: active subscriptions by type, and the campaign address while
 * it is set and active.
 */
export function snapshotOf({ id, name, subscriptions, campaign }: StoredAccount): AccountSnapshot {
  const routesOf = (type: StoredSubscription['type']) =>
    subscriptions.filter((one) => one.active && one.type === type).map((one) => version1Route(one.id));
  const toCampaign = campaign.active && campaign.address !== null ? [version1Route(campaignDestinationId(id))] : [];
  const routes = {
    transactional_email: forEachName(NOTIFICATION_FIELDS, routesOf),
    campaign: forEachName(CAMPAIGN_FIELDS, () => toCampaign),
  };
  return { account: { id, name }, subscriptions, campaign, routes };
}

/** The records that the workers need: one per subscription, and one for the campaign webhook if it was ever set. */
export function destinationsOf({ id: account, subscriptions, campaign, ...stored }: StoredAccount): Destination[] {
  const ofAccount = stored.secrets.map(({ secret }) => secret);
  const complete = (destination: string, record: Omit<Destination, 'account' | keyof Credentials>): Destination => {
    const own = stored.destinationSettings.find((one) => one.destination === destination);
    const secrets = secretsFor(own, ofAccount);
    const headers = headersFor(own, record.address);
    return { ...record, account, secrets, headers, limits: own?.limits ?? NO_LIMITS };
  };
  const records = subscriptions.map(({ id, address, active, version }) =>
    complete(id, {
      id,
      kind: 'transactional',
      address,
      active,
      inactiveReason: null,
      version,
      ...VERSION_1_REQUESTS.transactional,
    }),
  );
  if (campaign.version === 0) return records;
  const id = campaignDestinationId(account);
  return [...records, complete('campaign', { id, kind: 'campaign', ...campaign, ...VERSION_1_REQUESTS.campaign })];
}

/** The stored secrets that sign requests to a destination: its own, or else those of the account. */
export const secretsFor = (
  settings: StoredDestinationSettings | undefined,
  ofAccount: readonly string[],
): readonly string[] =>
  settings === undefined || settings.secrets.length === 0 ? ofAccount : settings.secrets.map(({ secret }) => secret);

/**
 * The custom headers of requests to the address. Headers for another origin are never sent, because they may hold a
 * login.
 */
export function headersFor(
  settings: StoredDestinationSettings | undefined,
  address: string | null,
): Readonly<Record<string, string>> {
  return settings !== undefined && originOf(address) === settings.origin ? settings.headers : {};
}

/** Scheme, host and port of an address, or '' without one. */
export const originOf = (address: string | null): string =>
  address !== null && URL.canParse(address) ? new URL(address).origin : '';
