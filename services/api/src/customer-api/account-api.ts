import type { AttemptLog, DeadLetterBox } from '@mailhook/delivery';
import type { Campaign } from './campaign.ts';
import { createCampaign } from './campaign.ts';
import type { DeadLetters } from './dead-letters.ts';
import { createDeadLetters } from './dead-letters.ts';
import type { Deliveries } from './deliveries.ts';
import { createDeliveries } from './deliveries.ts';
import type { EventLookup } from './event-lookup.ts';
import { createEventLookup } from './event-lookup.ts';
import type { NotificationTest } from './send-sample.ts';
import { createNotificationTest } from './send-sample.ts';
import type { ReceiverCheck } from './receiver-check.ts';
import { createReceiverCheck } from './receiver-check.ts';
import type { Secrets } from './secrets.ts';
import { createSecrets } from './secrets.ts';
import type { Subscriptions } from './subscriptions.ts';
import { createSubscriptions } from './subscriptions.ts';

/**
 * Everything that an account can do, for both the REST API and the settings page. They pass the input on unchecked, and show the
 * ProblemError that refuses it.
 */
export interface AccountApi {
  readonly subscriptions: Subscriptions;
  readonly notificationTest: NotificationTest;
  readonly campaign: Campaign;
  readonly deliveries: Deliveries;
  /** Of these subscriptions, those that a receiver's 410 switched off, and when (ISO 8601). */
  readonly goneSince: AttemptLog['goneSince'];
  readonly eventLookup: EventLookup;
  readonly deadLetters: DeadLetters;
  readonly receiverCheck: ReceiverCheck;
  readonly secrets: Secrets;
}

type AccountApiDeps = Parameters<typeof createSubscriptions>[0] &
  Parameters<typeof createNotificationTest>[0] &
  Parameters<typeof createCampaign>[0] &
  Parameters<typeof createDeliveries>[0] &
  Parameters<typeof createEventLookup>[0] &
  Parameters<typeof createReceiverCheck>[0] & {
    readonly deadLetters: DeadLetterBox;
    readonly attempts: Pick<AttemptLog, 'goneSince'>;
  };

export const createAccountApi = (deps: AccountApiDeps): AccountApi => ({
  subscriptions: createSubscriptions(deps),
  notificationTest: createNotificationTest(deps),
  campaign: createCampaign(deps),
  deliveries: createDeliveries(deps),
  goneSince: (account, subscriptions) => deps.attempts.goneSince(account, subscriptions),
  eventLookup: createEventLookup(deps),
  deadLetters: createDeadLetters(deps.deadLetters),
  receiverCheck: createReceiverCheck(deps),
  secrets: createSecrets(deps),
});
