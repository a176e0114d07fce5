import type { Store } from '@mailhook/core';
import type { DeadLetterBox, DestinationControl, DestinationRegistry } from '@mailhook/delivery';
import type { DeliveryHistory, EventFinder, ReadDestinations, ReadHeldEvents } from '@mailhook/insight';
import type { Sealing } from '@mailhook/platform/sealing';
import type { AccountReader } from '../accounts/account-reader.ts';
import type { AccountWriter } from '../accounts/account-writer.ts';
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
import type { ReceiverCheck } from './doctor-route.ts';
import { createReceiverCheck } from './doctor-route.ts';
import type { ReceiverTools } from './receiver-tools.ts';
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

/** What the store holds about accounts, and how it changes. */
interface AccountData {
  readonly store: Store;
  readonly reader: AccountReader;
  readonly writer: AccountWriter;
  readonly registry: Pick<DestinationRegistry, 'countDeleted'>;
  readonly sealing: Pick<Sealing, 'seal'>;
}

/** What the engine knows about an account's events, and does with them. */
interface AccountEvents {
  readonly deadLetters: DeadLetterBox;
  readonly finder: EventFinder;
  readonly readDestinations: ReadDestinations;
  readonly readHeldEvents: ReadHeldEvents;
  readonly control: DestinationControl;
  readonly history: DeliveryHistory;
}

interface AccountApiDeps {
  readonly data: AccountData;
  readonly events: AccountEvents;
  readonly tools: ReceiverTools;
  readonly limits: RequestLimits;
}

export function createAccountApi({ data, events, tools, limits }: AccountApiDeps): AccountApi {
  const { reader } = data;
  const { deadLetters, finder, readDestinations, readHeldEvents, control, history } = events;
  const { attempts, tests, checkAddress, checkSavedAddress } = tools;
  const subscriptions = createSubscriptions({ ...data, checkSavedAddress });
  const campaign = createCampaign({ ...data, tests, checkAddress, checkSavedAddress });
  const destinations = createDestinationStatuses({ subscriptions, campaign, readDestinations, attempts, history });
  return {
    subscriptions,
    notificationTest: createNotificationTest({ tests, checkAddress }),
    campaign,
    destinations,
    destinationActions: createDestinationActions({ control, destinations, deadLetters }),
    destinationSettings: createDestinationSettings(data),
    destinationSecrets: createDestinationSecrets(data),
    deliveries: createDeliveries({ attempts, limits }),
    readAttempt: createReadAttempt({ attempts, readHeldEvents, limits }),
    eventLookup: createEventLookup({ finder, reader, limits }),
    deadLetters: createDeadLetters({ deadLetters, attempts, limits }),
    receiverCheck: createReceiverCheck(tools),
    secrets: createSecrets(data),
  };
}
