import {
  CAMPAIGN_FIELDS,
  customerPauseInput,
  destinationInput,
  destinationList,
  destinationSettings,
  destinationSettingsInput,
  destinationStatus,
  destinationTestInput,
  DESTINATIONS_PER_TYPE_MAX,
  namesOf,
  sendNowInput,
  sendNowResult,
  testQuery,
  testResult,
} from '@mailhook/core';
import { changed, createdId, DONE, gone } from '../answers.ts';
import { campaignWebhookExample } from './campaign.ts';
import { attemptExample } from './deliveries.ts';
import { endpoint } from './endpoint.ts';
import { shownResult } from './test-answer.ts';

const DESTINATION_ID = 'b1Kd9sQx3LmZt7Wf';

const newExample = {
  address: 'https://hooks.example.com/crm',
  module: 'transactional_email',
  types: ['bounce', 'complaint'],
  shape: 'array',
  filter: { tags: ['receipt'] },
};

const settingsExample = {
  address: campaignWebhookExample.address,
  module: 'campaign',
  active: true,
  name: null,
  types: namesOf(CAMPAIGN_FIELDS),
  version: 1,
  shape: 'batch',
  maxEvents: 1000,
  concurrency: null,
  filter: null,
  maxRequestsPerSecond: 20,
  headers: { authorization: true, 'x-team': true },
};

const statusExample = {
  destination: 'campaign',
  id: 'campaign',
  kind: 'campaign',
  ...settingsExample,
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

const tag = 'Destinations';
const path = '/v3/webhook/destinations';

export const destinationEndpoints = [
  endpoint({
    method: 'post',
    path,
    operationId: 'createDestination',
    tag,
    summary: 'Create a destination',
    description:
      'It is active at once: every event of its types that is accepted after the answer, and that its filter lets ' +
      `through, is sent to it. An account has up to ${DESTINATIONS_PER_TYPE_MAX} for each type of a module, inactive ` +
      'ones included. Settings that are not given have their defaults: version 2 of the body, the shape single for ' +
      'transactional_email and batch for campaign, no filter.',
    audit: 'create destination',
    sends: 'event',
    body: { schema: destinationInput, example: newExample },
    answer: { status: 201, text: 'Its id.', schema: createdId, example: { id: DESTINATION_ID } },
    problems: ['conflict'],
    handle: ({ account, body }, { destinations }) => destinations.create(account, body),
  }),
  endpoint({
    method: 'get',
    path,
    operationId: 'listDestinations',
    isLarge: true,
    tag,
    summary: 'List every destination',
    description:
      'The campaign webhook first, if it has an address, then the others, oldest first, subscriptions included.',
    answer: {
      status: 200,
      text: 'The settings of each destination, and how it is doing.',
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
    method: 'get',
    path: `${path}/:id`,
    operationId: 'readDestination',
    tag,
    summary: 'Read a destination',
    answer: {
      status: 200,
      text: 'Its settings, and how it is doing.',
      schema: destinationStatus,
      example: statusExample,
    },
    problems: ['not_found'],
    handle: ({ account, params }, { destinations }) => destinations.read(account, params.id),
  }),
  endpoint({
    method: 'delete',
    path: `${path}/:id`,
    operationId: 'deleteDestination',
    tag,
    summary: 'Delete a destination',
    description: 'Its waiting events are discarded. Those of the campaign webhook become dead letters.',
    audit: 'delete destination',
    isVersioned: true,
    answer: gone,
    problems: ['not_found'],
    handle: async ({ account, params, ifVersion }, { destinations }) => {
      await destinations.remove(account, params.id, ifVersion);
      return DONE;
    },
  }),
  endpoint({
    method: 'post',
    path: `${path}/:id/test`,
    operationId: 'testDestination',
    tag,
    summary: 'Send a sample event',
    description: 'Sends one event as this destination would get it, once, and waits for the reply.',
    audit: false,
    query: testQuery,
    body: { schema: destinationTestInput, example: { type: 'bounce' }, isOptional: true },
    answer: {
      status: 200,
      text: 'The test result.',
      schema: testResult,
      example: { success: false, message: 'The receiver answered HTTP 404 Not Found' },
    },
    problems: ['not_found'],
    handle: async ({ account, params, query, body }, { destinations }) =>
      shownResult(await destinations.test(account, params.id, body), query),
  }),
  endpoint({
    method: 'post',
    path: `${path}/:id/pause`,
    operationId: 'pauseDestination',
    tag,
    summary: 'Pause a destination',
    description:
      'The id is that of the list of destinations. New events are kept, and sent when the pause ends. Requests ' +
      'in flight end normally. A second pause replaces the first. A pause by an operator cannot be changed: ' +
      '409.',
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
      'Sends all resends as fast as the receiver takes them, instead of at their scheduled times. If the last ' +
      'attempt failed, one is tried first, and the rest follows its success.',
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
      text: 'Every setting. It can be sent back. Of custom headers it has the names.',
      schema: destinationSettings,
      example: settingsExample,
    },
    problems: ['not_found'],
    handle: async ({ account, params, noteVersion }, { destinationSettings: all }) => {
      const { etag, settings } = await all.read(account, params.id);
      noteVersion(etag);
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
      'Only the given fields change, and nothing changes unless the result is valid as a whole. The headers belong ' +
      'to the scheme, host and port of the address: with another one, they are removed unless new ones are given. ' +
      'New types and a new filter count from the next accepted event, a new version for events that are accepted ' +
      'afterwards, shape, maxEvents and concurrency from the next new request.',
    audit: 'change destination',
    isVersioned: true,
    sends: 'events',
    body: {
      schema: destinationSettingsInput,
      example: { headers: { authorization: 'Bearer s3cr3t', 'x-team': true }, maxRequestsPerSecond: 20 },
    },
    answer: changed,
    problems: ['not_found', 'conflict'],
    handle: async ({ account, params, body, onUnchanged, ifVersion }, services) => {
      await services.destinationSettings.write(account, params.id, body, onUnchanged, ifVersion);
      return DONE;
    },
  }),
];
