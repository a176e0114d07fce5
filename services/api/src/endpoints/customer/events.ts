import { eventQuery, eventTraces } from '@mailhook/core';
import { attemptExample } from './deliveries.ts';
import { endpoint } from './endpoint.ts';

const answer = {
  status: 200,
  text: 'The state of the event at each destination. Without items, the searched data does not contain the event.',
  schema: eventTraces,
  example: {
    items: [
      {
        destination: 'campaign',
        state: 'resend',
        attempts: 1,
        nextAttemptAt: attemptExample.nextAttemptAt,
        error: attemptExample.error,
      },
    ],
    attempts: [attemptExample],
    searched: 'waiting events, resends, dead letters, and the kept attempts',
    isComplete: true,
  },
};

const tag = 'Deliveries';
const path = '/v3/webhook/events';

export const eventEndpoints = [
  endpoint({
    method: 'get',
    path,
    operationId: 'findEvent',
    isLarge: true,
    tag,
    summary: 'Find an event',
    description:
      'Give one of `id` (of an event of version 2), `hash`, `messageId`, `webhookId` (of a request) and ' +
      '`email` (of a recipient). Notifications of version 1 name no recipient. A recipient may have many ' +
      'events: at most 200 items and 200 attempts.',
    query: eventQuery,
    answer,
    handle: ({ account, query }, { eventLookup }) => eventLookup(account, query),
  }),
  endpoint({
    method: 'post',
    path: `${path}/search`,
    operationId: 'searchEvents',
    isLarge: true,
    tag,
    summary: 'Find an event without naming it in the URL',
    description:
      'Like `GET /v3/webhook/events`, with its parameters in the body. Use it for `email`: URLs get into access ' +
      'logs. A token for reading may call it.',
    audit: false,
    scope: 'read',
    body: { schema: eventQuery, example: { email: 'anna@example.com' } },
    answer,
    handle: ({ account, body }, { eventLookup }) => eventLookup(account, body),
  }),
];
