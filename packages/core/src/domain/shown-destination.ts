import type { CampaignWebhook } from '../contracts/campaign-webhook.ts';
import type { DestinationSettings } from '../contracts/destination-settings.ts';
import { NOTIFICATION_FIELDS } from '../contracts/event-types.ts';
import type { Subscription, SubscriptionType } from '../contracts/subscription.ts';
import type { CodedText } from './coded-text.ts';
import { readCoded } from './coded-text.ts';
import { publicIdOf } from './public-id.ts';
import type { StoredAccount, StoredDestination } from './stored-account.ts';

/** A destination as its customer sees it. `id` is the public one. */
export interface ShownDestination extends DestinationSettings {
  readonly id: string;
  readonly inactiveReason?: CodedText;
  /** When Mailhook switched it off (ISO 8601). */
  readonly goneAt?: string;
}

/** The destinations of an account that have an address: the campaign webhook first, then the others, oldest first. */
export function shownDestinations({ id: account, destinations }: StoredAccount): readonly ShownDestination[] {
  const all = destinations.flatMap((one) => shown(account, one) ?? []);
  const [campaign, others] = [all.filter(isCampaignWebhook), all.filter((one) => !isCampaignWebhook(one))];
  return [...campaign, ...others];
}

/** Undefined for a campaign webhook that was cleared. */
export function shown(account: string, one: StoredDestination): ShownDestination | undefined {
  const { module, settings, headers, inactiveReason, goneAt } = one;
  const { address } = settings;
  if (address === null) return undefined;
  return {
    id: publicIdOf(account, one.id),
    module,
    ...settings,
    address,
    headers: Object.fromEntries(Object.keys(headers).map((name) => [name, true as const])),
    ...(inactiveReason === null ? {} : { inactiveReason: readCoded(inactiveReason) }),
    ...(goneAt === null ? {} : { goneAt }),
  };
}

const isCampaignWebhook = ({ id }: ShownDestination): boolean => id === 'campaign';

/** The setting of the specification. */
export function campaignOf(destinations: readonly ShownDestination[]): CampaignWebhook {
  const found = destinations.find(isCampaignWebhook);
  if (found === undefined) return { address: null, active: false };
  const { address, active, inactiveReason } = found;
  return { address, active, ...(inactiveReason === undefined ? {} : { inactiveReason }) };
}

/**
 * A destination as a subscription of the specification, with exactly its five keys. Undefined if it is none: it must be
 * of its module, single, and get one type of version 1.
 */
export function subscriptionOf({
  id,
  module,
  address,
  active,
  shape,
  types,
}: ShownDestination): Subscription | undefined {
  const [type, ...more] = types;
  if (module !== 'transactional_email' || shape !== 'single' || more.length > 0 || !isNotification(type))
    return undefined;
  return { id, address, active, type, module };
}

const isNotification = (type: string | undefined): type is SubscriptionType =>
  type !== undefined && Object.hasOwn(NOTIFICATION_FIELDS, type);
