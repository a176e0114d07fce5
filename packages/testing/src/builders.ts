import { randomBytes } from 'node:crypto';
import { exampleCampaignEvent, exampleEvent, version1Settings } from '@mailhook/core';
import type {
  CampaignInput,
  EventModule,
  ShownDestination,
  StoredDestination,
  StoredSettings,
  SubscriptionType,
  TransactionalEvent,
} from '@mailhook/core';

/**
 * The prefix, a hyphen and random hex digits. Use it for names that no other test may have, such as key prefixes,
 * accounts and message ids.
 */
export const uniqueName = (prefix = 'test'): string => `${prefix}-${randomBytes(6).toString('hex')}`;

type EventOf<Name extends SubscriptionType> = Extract<TransactionalEvent, { name: Name }>;

/** The example of a type of transactional events, about a message that no other test has. */
export const anEvent = <Name extends SubscriptionType>(name: Name, more: Partial<EventOf<Name>> = {}) =>
  ({ ...exampleEvent(name), messageId: uniqueName('message'), ...more }) as EventOf<Name>;

export const anOpen = (more: Partial<EventOf<'open'>> = {}) => anEvent('open', more);
export const aClick = (more: Partial<EventOf<'click'>> = {}) => anEvent('click', more);

/** The example of a type of campaign events with a random hash, by default of an open. */
export const aCampaignEvent = ({
  event = 'open',
  ...more
}: Partial<Omit<CampaignInput, 'event'> & { event: CampaignInput['event']; url: string }> = {}) =>
  ({ ...exampleCampaignEvent(event), hash: randomBytes(16).toString('hex'), ...more }) as CampaignInput;

const ADDRESS = 'https://example.com/hook';

/** Settings as the specification's routes make them, of a destination for opens. */
export const someSettings = (module: EventModule, more: Partial<StoredSettings> = {}): StoredSettings => ({
  ...version1Settings(module, { address: ADDRESS, types: ['open'] }),
  ...more,
});

/** A destination as the store keeps it. */
export const aStoredDestination = (
  id: string,
  more: Partial<StoredSettings> = {},
  module: EventModule = 'transactional_email',
): StoredDestination => ({
  id,
  module,
  settings: someSettings(module, more),
  inactiveReason: null,
  goneAt: null,
  headers: {},
  headersVersion: 1,
  secrets: [],
  version: 1,
});

/** A destination as its customer sees it. */
export const aShownDestination = (more: Partial<ShownDestination> = {}): ShownDestination => ({
  ...someSettings(more.module ?? 'transactional_email'),
  id: 'd',
  module: 'transactional_email',
  headers: {},
  ...more,
  address: more.address ?? ADDRESS,
});
