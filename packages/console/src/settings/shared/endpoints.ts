import type { CampaignWebhook, DestinationStatus, Subscription } from '@mailhook/core';
import { versionOf } from '@mailhook/platform/http-server';
import type { Localized } from '../../html/markup.ts';
import { texts } from '../../messages/texts.ts';
import type { Frame } from '../family.ts';
import { valueOf } from '../loaded.ts';
import type { WithStatuses } from '../parts.ts';

/** A place of the account that gets events, as the pages list it: the campaign webhook first. */
export interface Endpoint {
  /** A subscription's id, or `campaign`. */
  readonly id: string;
  readonly name: Localized;
  /** Undefined for a campaign webhook that is not set up. */
  readonly address: string | undefined;
  /** What it gets. */
  readonly events: string;
  readonly isOn: boolean;
  /** Of a subscription. */
  readonly version?: string;
  readonly status: DestinationStatus | undefined;
}

const CAMPAIGN_EVENTS = 'open, click, unsubscribe';

const campaignEndpoint = ({ address, active }: CampaignWebhook): Omit<Endpoint, 'status'> => ({
  id: 'campaign',
  name: texts.endpoints.campaign,
  address: address ?? undefined,
  events: CAMPAIGN_EVENTS,
  isOn: active,
});

const subscriptionEndpoint = (subscription: Subscription): Omit<Endpoint, 'status'> => ({
  id: subscription.id,
  name: texts.endpoints.subscription({ type: subscription.type }),
  address: subscription.address,
  events: subscription.type,
  isOn: subscription.active,
  version: versionOf(subscription),
});

/** All endpoints whose settings could be read, and the campaign webhook in any case. */
export function endpointsOf(
  view: Pick<Frame, 'campaign' | 'subscriptions'> & Partial<WithStatuses>,
): readonly Endpoint[] {
  const campaign = valueOf(view.campaign) ?? { address: null, active: false };
  const statuses = view.statuses && valueOf(view.statuses);
  const found = [campaignEndpoint(campaign), ...(valueOf(view.subscriptions) ?? []).map(subscriptionEndpoint)];
  return found.map((one) => ({ ...one, status: statuses?.get(one.id) }));
}
