import { alertEndpoints } from './alerts.ts';
import { campaignEndpoints } from './campaign.ts';
import { changeEndpoints } from './changes.ts';
import { deadLetterEndpoints } from './dead-letters.ts';
import { deliveryEndpoints } from './deliveries.ts';
import { destinationEndpoints } from './destinations.ts';
import type { CustomerEndpoint } from './endpoint.ts';
import { eventLogEndpoints } from './event-log.ts';
import { eventEndpoints } from './events.ts';
import { receiverCheckEndpoints } from './receiver-checks.ts';
import { secretEndpoints } from './secrets.ts';
import { subscriptionEndpoints } from './subscriptions.ts';
import { tokenEndpoints } from './tokens.ts';

/** The public API, but for `POST /v3/events`, in the order of its document. */
export const customerEndpoints: readonly CustomerEndpoint[] = [
  ...subscriptionEndpoints,
  ...campaignEndpoints,
  ...receiverCheckEndpoints,
  ...destinationEndpoints,
  ...deliveryEndpoints,
  ...eventEndpoints,
  ...eventLogEndpoints,
  ...deadLetterEndpoints,
  ...secretEndpoints,
  ...tokenEndpoints,
  ...alertEndpoints,
  ...changeEndpoints,
];
