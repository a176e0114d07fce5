import { campaignDestinationId } from '@mailhook/core';
import type {
  Account,
  AccountRoutes,
  Destination,
  Store,
  StoredCampaignWebhook,
  StoredSubscription,
} from '@mailhook/core';

/** An account's settings from the store, and the routes of its events. */
export interface AccountSnapshot {
  readonly account: Account;
  readonly subscriptions: readonly StoredSubscription[];
  readonly campaign: StoredCampaignWebhook;
  readonly routes: AccountRoutes;
}

/** Resolves with undefined if there is no such account. */
export async function loadSnapshot(store: Store, id: string): Promise<AccountSnapshot | undefined> {
  const [account, subscriptions, campaign] = await Promise.all([
    store.findAccount(id),
    store.listSubscriptions(id),
    store.getCampaignWebhook(id),
  ]);
  if (account === undefined) return undefined;
  return { account, subscriptions, campaign, routes: routesOf(subscriptions, campaign) };
}

/** The destinations that get events now: active subscriptions by type, and the campaign address while it is set and active. */
export function routesOf(subscriptions: readonly StoredSubscription[], campaign: StoredCampaignWebhook): AccountRoutes {
  const idsOf = (type: StoredSubscription['type']) =>
    subscriptions.filter((one) => one.active && one.type === type).map(({ id }) => id);
  return {
    subscriptions: { open: idsOf('open'), click: idsOf('click'), bounce: idsOf('bounce') },
    campaign: campaign.active && campaign.address !== null ? campaignDestinationId(campaign.account) : null,
  };
}

/** The records that the workers need: one per subscription, and one for the campaign webhook if it was ever set. */
export function destinationsOf(snapshot: AccountSnapshot, secrets: readonly string[]): Destination[] {
  const { subscriptions, campaign } = snapshot;
  const records = subscriptions.map((subscription) => subscriptionDestination(subscription, secrets));
  return campaign.version === 0 ? records : [...records, campaignDestination(campaign, secrets)];
}

function subscriptionDestination(subscription: StoredSubscription, secrets: readonly string[]): Destination {
  const { id, account, address, active, version } = subscription;
  return { id, kind: 'transactional', account, address, active, inactiveReason: null, version, secrets };
}

function campaignDestination(campaign: StoredCampaignWebhook, secrets: readonly string[]): Destination {
  const { account, address, active, inactiveReason, version } = campaign;
  return {
    id: campaignDestinationId(account),
    kind: 'campaign',
    account,
    address,
    active,
    inactiveReason,
    version,
    secrets,
  };
}
