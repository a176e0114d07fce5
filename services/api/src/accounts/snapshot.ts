import { campaignDestinationId } from '@mailhook/core';
import type {
  Account,
  AccountRoutes,
  Destination,
  Store,
  StoredCampaignWebhook,
  StoredDestinationSettings,
  StoredSubscription,
} from '@mailhook/core';

/** An account's settings from the store, and the routes of its events. */
export interface AccountSnapshot {
  readonly account: Account;
  readonly subscriptions: readonly StoredSubscription[];
  readonly campaign: StoredCampaignWebhook;
  readonly routes: AccountRoutes;
}

/** Loads a snapshot. Resolves with undefined if there is no such account. */
export type LoadSnapshot = (account: string) => Promise<AccountSnapshot | undefined>;

/**
 * Asks the store once which of the accounts exist that are loaded at the same time. A request may name thousands that
 * do not.
 */
export function createSnapshotLoader(store: Store): LoadSnapshot {
  let waiting: string[] = [];
  let found: Promise<ReadonlyMap<string, Account>> | undefined;
  const findWaiting = async (): Promise<ReadonlyMap<string, Account>> => {
    // The other calls of this moment add their accounts first.
    await Promise.resolve();
    const ids = waiting;
    [waiting, found] = [[], undefined];
    return new Map((await store.findAccounts(ids)).map((account) => [account.id, account]));
  };
  return async (id) => {
    waiting.push(id);
    const account = (await (found ??= findWaiting())).get(id);
    if (account === undefined) return undefined;
    const [subscriptions, campaign] = await Promise.all([store.listSubscriptions(id), store.getCampaignWebhook(id)]);
    return { account, subscriptions, campaign, routes: routesOf(subscriptions, campaign) };
  };
}

/**
 * The destinations that get events now: active subscriptions by type, and the campaign address while it is set and
 * active.
 */
export function routesOf(subscriptions: readonly StoredSubscription[], campaign: StoredCampaignWebhook): AccountRoutes {
  const idsOf = (type: StoredSubscription['type']) =>
    subscriptions.filter((one) => one.active && one.type === type).map(({ id }) => id);
  return {
    subscriptions: { open: idsOf('open'), click: idsOf('click'), bounce: idsOf('bounce') },
    campaign: campaign.active && campaign.address !== null ? campaignDestinationId(campaign.account) : null,
  };
}

/** What a destination's record needs besides its address. */
export interface DestinationExtras {
  /** Signing secrets of the account, oldest first, as they are stored. */
  readonly secrets: readonly string[];
  readonly settings: readonly StoredDestinationSettings[];
}

/** The records that the workers need: one per subscription, and one for the campaign webhook if it was ever set. */
export function destinationsOf(snapshot: AccountSnapshot, { secrets, settings }: DestinationExtras): Destination[] {
  const { subscriptions, campaign } = snapshot;
  const complete = (
    destination: string,
    record: Omit<Destination, 'secrets' | 'headers' | 'maxRequestsPerSecond'>,
  ): Destination => {
    const own = settings.find((one) => one.destination === destination);
    const { maxRequestsPerSecond = null } = own ?? {};
    const texts = secretsFor(own, secrets);
    return { ...record, secrets: texts, headers: headersFor(own, record.address), maxRequestsPerSecond };
  };
  const records = subscriptions.map(({ id, account, address, active, version }) =>
    complete(id, { id, kind: 'transactional', account, address, active, inactiveReason: null, version }),
  );
  if (campaign.version === 0) return records;
  const { account, address, active, inactiveReason, version } = campaign;
  const id = campaignDestinationId(account);
  return [
    ...records,
    complete('campaign', { id, kind: 'campaign', account, address, active, inactiveReason, version }),
  ];
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
