import { destinationsQuery, destinationView, dropInput, operatorPauseInput } from '@mailhook/core';
import { pageOf } from '../answers.ts';
import { SUBSCRIPTION_ID, subscriptionExample } from '../customer/subscriptions.ts';
import { accountExample } from './common.ts';
import { endpoint } from './endpoint.ts';

export const operatorDestinationExample = {
  id: SUBSCRIPTION_ID,
  kind: 'transactional',
  module: 'transactional_email',
  shape: 'single',
  account: accountExample.id,
  address: subscriptionExample.address,
  state: 'parked',
  health: 'parked',
  isTried: true,
  waiting: 40,
  undelivered: 40,
  resends: 1,
  inFlight: 0,
  failures: 5,
  lastHour: { confirmed: 210, unconfirmed: 0, delivered: 210, failed: 5 },
  breaker: 'open',
  parkedUntil: '2026-01-01T00:05:00.000Z',
  oldestWaitingAt: '2026-01-01T00:00:00.412Z',
  lastError: 'the receiver answered HTTP 500 Internal Server Error',
};

const newState = { text: 'Its new state.', schema: destinationView, example: operatorDestinationExample };
const done = { status: 200, ...newState };
/** A worker carries out the action later. */
const begun = { status: 202, ...newState };

const tag = 'Destinations';
const path = '/admin/destinations';

export const destinationEndpoints = [
  endpoint({
    method: 'get',
    path,
    operationId: 'listDestinations',
    tag,
    summary: 'List destinations',
    query: destinationsQuery,
    answer: {
      status: 200,
      text: 'A page of them.',
      schema: pageOf(
        destinationView,
        'By mechanism and shard, then by the end of the parking or pause, or by their oldest events.',
      ),
      example: { items: [operatorDestinationExample] },
    },
    handle: ({ query: { state, ...page } }, { lists }) => lists.list(state, page),
  }),
  endpoint({
    method: 'get',
    path: `${path}/:destination`,
    operationId: 'readDestination',
    tag,
    summary: 'Read a destination',
    answer: { ...done, text: 'The destination.' },
    problems: ['not_found'],
    handle: ({ params }, { destinations }) => destinations.find(params.destination),
  }),
  endpoint({
    method: 'post',
    path: `${path}/:destination/pause`,
    operationId: 'pauseDestination',
    tag,
    summary: 'Pause a destination',
    audit: 'pause',
    body: { schema: operatorPauseInput, example: { minutes: 60 } },
    answer: done,
    problems: ['not_found', 'conflict'],
    handle: ({ params, body }, { destinations }) => destinations.pause(params.destination, body),
  }),
  endpoint({
    method: 'post',
    path: `${path}/:destination/resume`,
    operationId: 'resumeDestination',
    tag,
    summary: 'Resume a destination',
    audit: 'resume',
    answer: done,
    problems: ['not_found', 'conflict'],
    handle: ({ params }, { destinations }) => destinations.resume(params.destination),
  }),
  endpoint({
    method: 'post',
    path: `${path}/:destination/probe`,
    operationId: 'probeDestination',
    tag,
    summary: 'Probe a parked destination now',
    audit: 'probe',
    answer: begun,
    problems: ['not_found', 'conflict'],
    handle: ({ params }, { destinations }) => destinations.probe(params.destination),
  }),
  endpoint({
    method: 'post',
    path: `${path}/:destination/send-now`,
    operationId: 'sendResendsNow',
    tag,
    summary: 'Send all resends now',
    description: 'Sends them as fast as the receiver takes them, instead of at their scheduled times.',
    audit: 'send now',
    answer: begun,
    problems: ['not_found', 'conflict'],
    handle: ({ params }, { destinations }) => destinations.sendNow(params.destination),
  }),
  endpoint({
    method: 'post',
    path: `${path}/:destination/drop`,
    operationId: 'giveUpWaitingEvents',
    tag,
    summary: 'Give up the waiting events',
    description: 'They become dead letters.',
    audit: 'give up waiting events',
    body: { schema: dropInput, example: { confirm: operatorDestinationExample.id } },
    answer: begun,
    problems: ['not_found', 'conflict'],
    handle: ({ params, body }, { destinations }) => destinations.drop(params.destination, body),
  }),
];
