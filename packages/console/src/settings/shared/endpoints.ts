import { CAMPAIGN_FIELDS, namesOf, subscriptionOf } from '@mailhook/core';
import type { DestinationStatus, ShownDestination } from '@mailhook/core';
import { versionOf } from '@mailhook/platform/http-server';
import type { Localized } from '../../html/markup.ts';
import { texts } from '../../messages/texts.ts';
import type { Frame } from '../family.ts';
import { valueOf } from '../loaded.ts';
import type { WithStatuses } from '../parts.ts';

/** A place of the account that gets events, as the pages list it: the campaign webhook first. */
export interface Endpoint {
  /** A public id. */
  readonly id: string;
  readonly name: Localized | string;
  /** Undefined for a campaign webhook that is not set up. */
  readonly address: string | undefined;
  /** What it gets. */
  readonly events: string;
  readonly isOn: boolean;
  /** Of a subscription. */
  readonly version?: string;
  readonly status: DestinationStatus | undefined;
}

/** The campaign webhook before it is set up. */
const NO_CAMPAIGN: Omit<Endpoint, 'status'> = {
  id: 'campaign',
  name: texts.endpoints.campaign,
  address: undefined,
  events: namesOf(CAMPAIGN_FIELDS).join(', '),
  isOn: false,
};

function endpointOf(destination: ShownDestination): Omit<Endpoint, 'status'> {
  const { id, name, address, types, active } = destination;
  const events = types.join(', ');
  const subscription = subscriptionOf(destination);
  const own = subscription === undefined ? events : texts.endpoints.subscription(subscription);
  return {
    id,
    name: name ?? (id === 'campaign' ? texts.endpoints.campaign : own),
    address,
    events,
    isOn: active,
    ...(subscription === undefined ? {} : { version: versionOf(subscription) }),
  };
}

/** All endpoints whose settings could be read, and the campaign webhook in any case. */
export function endpointsOf(view: Pick<Frame, 'destinations'> & Partial<WithStatuses>): readonly Endpoint[] {
  const statuses = view.statuses && valueOf(view.statuses);
  const found = (valueOf(view.destinations) ?? []).map(endpointOf);
  const all = found[0]?.id === 'campaign' ? found : [NO_CAMPAIGN, ...found];
  return all.map((one) => ({ ...one, status: statuses?.get(one.id) }));
}
