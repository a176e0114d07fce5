import {
  customerPauseInput,
  destinationList,
  destinationSettings,
  destinationSettingsInput,
  destinationStatus,
  sendNowInput,
  sendNowResult,
} from '@mailhook/core';
import { campaignWebhookExample } from './campaign.ts';
import { attemptExample } from './deliveries.ts';
import { endpoint } from './endpoint.ts';

const statusExample = {
  destination: 'campaign',
  kind: 'campaign',
  address: campaignWebhookExample.address,
  state: 'failing',
  waiting: 40,
  resends: 1,
  failures: 1,
  lastHour: { confirmed: 1240, unconfirmed: 0, delivered: 31, failed: 1 },
  oldestWaitingAt: attemptExample.time,
  nextAttemptAt: attemptExample.nextAttemptAt,
  lastError: attemptExample.error,
};

const pausedExample = {
  ...statusExample,
  state: 'paused',
  pausedUntil: '2026-01-02T02:12:40.000Z',
  pausedBy: 'customer',
};

const settingsExample = { headers: { authorization: true, 'x-team': true }, maxRequestsPerSecond: 20 };

const tag = 'Deliveries';
const path = '/v3/webhook/destinations';

export const destinationEndpoints = [
  endpoint({
    method: 'get',
    path,
    operationId: 'listDestinations',
    isLarge: true,
    tag,
    summary: 'List the state of every destination',
    description: 'The campaign webhook first, if it has an address, then the subscriptions, oldest first.',
    answer: {
      status: 200,
      text: 'How each destination is doing.',
      schema: destinationList,
      example: { items: [statusExample], withoutDestination: { bounce: 12 } },
    },
    handle: async ({ account }, { destinations }) => {
      const [items, withoutDestination] = await Promise.all([
        destinations.list(account),
        destinations.withoutDestination(account),
      ]);
      return { items, ...(Object.keys(withoutDestination).length === 0 ? {} : { withoutDestination }) };
    },
  }),
  endpoint({
    method: 'post',
    path: `${path}/:id/pause`,
    operationId: 'pauseDestination',
    tag,
    summary: 'Pause a destination',
    description:
      'The id is that of a subscription, or `campaign`. New events are kept, and sent when the pause ends. Requests in flight end normally. A second pause replaces the first. A pause by an operator cannot be changed: 409.',
    audit: 'pause',
    body: { schema: customerPauseInput, example: { minutes: 60 } },
    answer: { status: 200, text: 'Its new state.', schema: destinationStatus, example: pausedExample },
    problems: ['not_found', 'conflict'],
    handle: ({ account, params, body }, { destinationActions }) => destinationActions.pause(account, params.id, body),
  }),
  endpoint({
    method: 'post',
    path: `${path}/:id/resume`,
    operationId: 'resumeDestination',
    tag,
    summary: 'End a pause',
    audit: 'resume',
    answer: { status: 200, text: 'Its new state.', schema: destinationStatus, example: statusExample },
    problems: ['not_found', 'conflict'],
    handle: ({ account, params }, { destinationActions }) => destinationActions.resume(account, params.id),
  }),
  endpoint({
    method: 'post',
    path: `${path}/:id/send-now`,
    operationId: 'sendDestinationNow',
    tag,
    summary: 'Send everything now',
    description:
      'Sends all resends as fast as the receiver takes them, instead of at their scheduled times. If the last attempt failed, one is tried first, and the rest follows its success.',
    audit: 'send now',
    body: { schema: sendNowInput, example: { deadLetters: true }, isOptional: true },
    // A worker sends the events later.
    answer: {
      status: 202,
      text: 'The state before the events are sent.',
      schema: sendNowResult,
      example: { ...statusExample, sending: 3, redriven: 1 },
    },
    problems: ['not_found', 'conflict'],
    handle: ({ account, params, body }, { destinationActions }) => destinationActions.sendNow(account, params.id, body),
  }),
  endpoint({
    method: 'get',
    path: `${path}/:id/settings`,
    operationId: 'readDestinationSettings',
    tag,
    summary: 'Read the settings of a destination',
    isVersioned: true,
    answer: {
      status: 200,
      text: 'The names of its custom headers, and its pace.',
      schema: destinationSettings,
      example: settingsExample,
    },
    problems: ['not_found'],
    handle: async ({ account, params, noteVersion }, { destinationSettings: all }) => {
      const { version, ...settings } = await all.read(account, params.id);
      noteVersion(version);
      return settings;
    },
  }),
  endpoint({
    method: 'put',
    path: `${path}/:id/settings`,
    operationId: 'writeDestinationSettings',
    tag,
    summary: 'Change the settings of a destination',
    description:
      'The id is that of a subscription, or `campaign`. The headers belong to the scheme, host and port of the current address: with another one, they are no longer sent.',
    audit: 'change headers',
    isVersioned: true,
    body: {
      schema: destinationSettingsInput,
      example: { headers: { authorization: 'Bearer s3cr3t', 'x-team': true }, maxRequestsPerSecond: 20 },
    },
    answer: { status: 200, text: 'The new settings.', schema: destinationSettings, example: settingsExample },
    problems: ['not_found', 'conflict'],
    handle: ({ account, params, body, onUnchanged, ifVersion }, services) =>
      services.destinationSettings.write(account, params.id, body, onUnchanged, ifVersion),
  }),
];
