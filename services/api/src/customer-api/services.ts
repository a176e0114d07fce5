import { coded, OWN_TOKENS_MAX, StoreConflictError } from '@mailhook/core';
import type { AuditLog, CustomerServices, OperatorServices } from '@mailhook/core';
import type { DeadLetterBox, DestinationControl, DestinationRegistry, ReplayProgress } from '@mailhook/delivery';
import type { DeliveryHistory, EventFinder, ReadDestinations, ReadHeldEvents } from '@mailhook/insight';
import type { Sealing } from '@mailhook/platform/sealing';
import type { AccountReader } from '../accounts/account-reader.ts';
import type { AccountWriter } from '../accounts/account-writer.ts';
import { accountGone } from '../accounts/change-account.ts';
import type { RequestLimits } from '../auth/request-limits.ts';
import { createChanges } from './changes.ts';
import { createCampaign } from './campaign.ts';
import { createDeadLetters } from './dead-letters.ts';
import { createDeliveries, createReadAttempt } from './deliveries.ts';
import { createDestinationActions } from './destination-actions.ts';
import { createDestinationSecrets } from './destination-secrets.ts';
import { createDestinationStatuses } from './destination-statuses.ts';
import { createDestinationTests } from './destination-test.ts';
import type { OpenLog } from '../event-log/open.ts';
import type { Replays } from '../event-log/replays.ts';
import { createEventLogService } from './event-log.ts';
import { createEventLookup } from './event-lookup.ts';
import { createNotificationTest } from './notification-test.ts';
import { createReceiverCheck } from './receiver-check.ts';
import type { ReceiverTools } from './receiver-tools.ts';
import { createSecrets } from './secrets.ts';
import { createSecretUses } from './secret-uses.ts';
import { createAccessTokens } from '../accounts/access-tokens.ts';
import type { AccessTokensDeps } from '../accounts/access-tokens.ts';
import {
  createDestination,
  createDestinationSettings,
  removeStored,
  unknownDestination,
} from './stored-destinations.ts';
import { createSubscriptions } from './subscriptions.ts';

/** What the store holds about accounts, and how it changes. */
interface AccountData extends AccessTokensDeps {
  readonly reader: AccountReader;
  readonly writer: AccountWriter;
  readonly registry: Pick<DestinationRegistry, 'countDeleted' | 'hasRecord'>;
  readonly sealing: Pick<Sealing, 'seal' | 'open'>;
}

/** What the engine knows about an account's events, and does with them. */
interface AccountEvents {
  readonly deadLetters: DeadLetterBox;
  readonly discard: OperatorServices['discard'];
  readonly finder: EventFinder;
  readonly readDestinations: ReadDestinations;
  readonly readHeldEvents: ReadHeldEvents;
  readonly control: DestinationControl;
  readonly history: DeliveryHistory;
  /** Undefined while the event log is off. */
  readonly openLog: OpenLog | undefined;
  readonly replays: Replays;
  readonly progress: ReplayProgress;
}

interface ServicesDeps {
  readonly data: AccountData;
  readonly events: AccountEvents;
  readonly tools: ReceiverTools;
  readonly limits: RequestLimits;
  readonly audit: Pick<AuditLog, 'list'>;
  readonly alerts: CustomerServices['alerts'];
}

/** What an account can do, and the line of its large reads. */
export interface Services extends CustomerServices {
  readonly inLine: RequestLimits['inLine'];
}

export function createServices({ data, events, tools, limits, audit, alerts }: ServicesDeps): Services {
  const { reader } = data;
  const { deadLetters, discard, finder, readDestinations, readHeldEvents, control, history } = events;
  const { openLog, replays, progress } = events;
  const { attempts, tests, credentials, checkAddress, checkSavedAddress } = tools;
  const stored = { ...data, checkSavedAddress };
  const statuses = createDestinationStatuses({ reader, readDestinations, history });
  const destinations: CustomerServices['destinations'] = {
    ...statuses,
    read: async (account, id) => {
      const found = (await reader.destinations(account)).filter((one) => one.id === id);
      const [status] = await statuses.of(account, found);
      if (status === undefined) throw unknownDestination();
      return status;
    },
    create: createDestination(stored),
    remove: removeStored(stored),
    ...createDestinationTests({ reader, tests, checkAddress }),
  };
  const readAttempt = createReadAttempt({ attempts, readHeldEvents, credentials, limits });
  return {
    subscriptions: createSubscriptions(stored),
    notificationTest: createNotificationTest({ tests, checkAddress }),
    campaign: createCampaign({ ...stored, tests, checkAddress }),
    destinations,
    destinationActions: createDestinationActions({ control, destinations, deadLetters }),
    destinationSettings: createDestinationSettings(stored),
    destinationSecrets: createDestinationSecrets(data),
    deliveries: createDeliveries({ attempts, limits }),
    readAttempt,
    eventLookup: createEventLookup({ finder, reader, limits, openLog }),
    eventLog: createEventLogService({ ...data, open: openLog, replays, progress, finder, limits, readAttempt }),
    deadLetters: createDeadLetters({ deadLetters, discard, attempts, limits }),
    receiverCheck: createReceiverCheck({ ...tools, reader }),
    secrets: createSecrets(data),
    secretUses: createSecretUses({ ...data, attempts }),
    tokens: createAccessTokens(data, {
      max: OWN_TOKENS_MAX,
      tooMany: () => new StoreConflictError(coded('many-tokens', { max: OWN_TOKENS_MAX })),
      unknownAccount: accountGone,
      unknownToken: coded('unknown-token'),
    }),
    alerts,
    changes: createChanges(audit),
    inLine: limits.inLine,
  };
}
