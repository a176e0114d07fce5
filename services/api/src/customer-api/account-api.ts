import type {
  AttemptLog,
  DeadLetterBox,
  DeliveryHistory,
  DestinationControl,
  ReadDestinations,
} from '@mailhook/delivery';
import type { RequestLimits } from '../auth/request-limits.ts';
import type { Campaign } from './campaign.ts';
import { createCampaign } from './campaign.ts';
import type { DeadLetters } from './dead-letters.ts';
import { createDeadLetters } from './dead-letters.ts';
import type { Deliveries, ReadAttempt } from './deliveries.ts';
import { createDeliveries, createReadAttempt } from './deliveries.ts';
import type { DestinationActions } from './destination-actions.ts';
import { createDestinationActions } from './destination-actions.ts';
import type { DestinationSecrets } from './destination-secrets.ts';
import { createDestinationSecrets } from './destination-secrets.ts';
import type { DestinationSettingsApi } from './destination-settings.ts';
import { createDestinationSettings } from './destination-settings.ts';
import type { DestinationStatuses } from './destination-statuses.ts';
import { createDestinationStatuses } from './destination-statuses.ts';
import type { EventLookup } from './event-lookup.ts';
import { createEventLookup } from './event-lookup.ts';
import type { NotificationTest } from './notification-test.ts';
import { createNotificationTest } from './notification-test.ts';
import type { ReceiverCheck } from './receiver-check.ts';
import { createReceiverCheck } from './receiver-check.ts';
import type { Secrets } from './secrets.ts';
import { createSecrets } from './secrets.ts';
import type { Subscriptions } from './subscriptions.ts';
import { createSubscriptions } from './subscriptions.ts';

/**
 * Everything that an account can do, for both the REST API and the settings page. They pass the input on unchecked, and
 * show the ProblemError that refuses it.
 */
export interface AccountApi {
  readonly subscriptions: Subscriptions;
  readonly notificationTest: NotificationTest;
  readonly campaign: Campaign;
  readonly destinations: DestinationStatuses;
  readonly destinationActions: DestinationActions;
  readonly destinationSettings: DestinationSettingsApi;
  readonly destinationSecrets: DestinationSecrets;
  readonly deliveries: Deliveries;
  readonly readAttempt: ReadAttempt;
  readonly eventLookup: EventLookup;
  readonly deadLetters: DeadLetters;
  readonly receiverCheck: ReceiverCheck;
  readonly secrets: Secrets;
}

type AccountApiDeps = Parameters<typeof createSubscriptions>[0] &
  Parameters<typeof createDestinationSettings>[0] &
  Parameters<typeof createSecrets>[0] &
  Parameters<typeof createNotificationTest>[0] &
  Parameters<typeof createCampaign>[0] &
  Parameters<typeof createDeliveries>[0] &
  Parameters<typeof createReadAttempt>[0] &
  Parameters<typeof createEventLookup>[0] &
  Parameters<typeof createReceiverCheck>[0] & {
    readonly deadLetters: DeadLetterBox;
    readonly attempts: Pick<AttemptLog, 'find' | 'goneSince'>;
    readonly limits: RequestLimits;
    readonly readDestinations: ReadDestinations;
    readonly control: DestinationControl;
    readonly history: DeliveryHistory;
  };

export const createAccountApi = (deps: AccountApiDeps): AccountApi => {
  const subscriptions = createSubscriptions(deps);
  const campaign = createCampaign(deps);
  const destinations = createDestinationStatuses({ ...deps, subscriptions, campaign });
  return {
    subscriptions,
    notificationTest: createNotificationTest(deps),
    campaign,
    destinations,
    destinationActions: createDestinationActions({ ...deps, destinations }),
    destinationSettings: createDestinationSettings(deps),
    destinationSecrets: createDestinationSecrets(deps),
    deliveries: createDeliveries(deps),
    readAttempt: createReadAttempt(deps),
    eventLookup: createEventLookup(deps),
    deadLetters: createDeadLetters(deps),
    receiverCheck: createReceiverCheck(deps),
    secrets: createSecrets(deps),
  };
};
