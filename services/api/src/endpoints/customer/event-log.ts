import { logEntry, logPage, logSearchInput, replayCount, replayInput, replayList, replayState } from '@mailhook/core';
import { createdId } from '../answers.ts';
import { attemptExample } from './deliveries.ts';
import { endpoint } from './endpoint.ts';

const ENTRY = '1767225611000-c0f3a1b2c4d5e6f708192a3b4-0';
const REPLAY = 'r4f2a91c07be6d583';

const itemExample = {
  entry: ENTRY,
  id: 'evt_8f1c',
  acceptedAt: '2026-01-01T00:00:11.000Z',
  event: {
    version: 2,
    id: 'evt_8f1c',
    module: 'transactional_email',
    event: 'bounce',
    time: 1767225611,
    email: 'anna@example.com',
    messageId: 'm-2026-000124',
    type: 'hard',
    reason: '550 5.1.1 no such user',
    hash: 'pX3dV7sWq0oJh5uNfG2tKw',
  },
  destinations: [
    { id: 'b1Kd9sQx3LmZt7Wf', outcome: 'delivered', attempts: 1, at: '2026-01-01T00:00:11.204Z', webhookId: 'msg_1' },
  ],
};

const stateExample = {
  id: REPLAY,
  destination: 'b1Kd9sQx3LmZt7Wf',
  state: 'running',
  from: '2026-01-01T00:00:00Z',
  to: '2026-01-02T00:00:00Z',
  startedAt: '2026-01-02T09:00:00.000Z',
  events: 1000,
  sent: 1000,
  delivered: 480,
  dead: 0,
  missed: 0,
};

const tag = 'Event log';
const path = '/v3/webhook/log';
const replays = '/v3/webhook/destinations/:id/replays';

export const eventLogEndpoints = [
  endpoint({
    method: 'post',
    path: `${path}/search`,
    operationId: 'searchLog',
    isLarge: true,
    tag,
    summary: 'List accepted events',
    description:
      'Also those that no destination took, and those that were delivered. Newest first. The filters are in the ' +
      'body, because URLs get into access logs. A token for reading may call it.',
    audit: false,
    scope: 'read',
    body: { schema: logSearchInput, example: { types: ['bounce'], limit: 20 }, isOptional: true },
    answer: {
      status: 200,
      text: 'A page of events, each with what became of it at every destination.',
      schema: logPage,
      example: { items: [itemExample], completeUntil: '2026-01-01T00:05:00.000Z' },
    },
    problems: ['event_log_off'],
    handle: ({ account, body }, { eventLog }) => eventLog.search(account, body),
  }),
  endpoint({
    method: 'get',
    path: `${path}/:entry`,
    operationId: 'readLogEntry',
    isLarge: true,
    tag,
    summary: 'Read an accepted event',
    answer: {
      status: 200,
      text: 'The event, what became of it, and its kept attempts.',
      schema: logEntry,
      example: { ...itemExample, attempts: [attemptExample] },
    },
    problems: ['not_found', 'event_log_off'],
    handle: ({ account, params }, { eventLog }) => eventLog.read(account, params.entry),
  }),
  endpoint({
    method: 'post',
    path: '/v3/webhook/destinations/:id/replay',
    operationId: 'replay',
    tag,
    summary: 'Send accepted events to a destination again',
    description:
      'Events keep their `id` and `hash`. Their requests have a new `webhook-id`, and the header `webhook-replay` ' +
      'with the id of the replay. New events keep their pace: replayed ones get at most one of four requests while ' +
      'others wait. With `dryRun`, the answer is the number of events.',
    audit: 'start a replay',
    body: {
      schema: replayInput,
      example: { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z', outcome: 'unmatched' },
    },
    answer: {
      status: 202,
      orStatus: 200,
      text: 'Its id, or with `dryRun` (200) the number of events.',
      schema: createdId.or(replayCount),
      example: { id: REPLAY },
    },
    problems: ['not_found', 'event_log_off', 'conflict', 'replay_running'],
    handle: async ({ account, params, body, response, onUnchanged }, { eventLog }) => {
      const done = await eventLog.replay(account, params.id, body);
      if ('isComplete' in done) {
        onUnchanged();
        response.status(200);
      }
      return done;
    },
  }),
  endpoint({
    method: 'get',
    path: replays,
    operationId: 'listReplays',
    tag,
    summary: 'List the replays of a destination',
    answer: { status: 200, text: 'The last ones.', schema: replayList, example: { items: [stateExample] } },
    problems: ['event_log_off'],
    handle: async ({ account, params }, { eventLog }) => ({ items: [...(await eventLog.replays(account, params.id))] }),
  }),
  endpoint({
    method: 'get',
    path: `${replays}/:replay`,
    operationId: 'readReplay',
    tag,
    summary: 'Read the state of a replay',
    answer: { status: 200, text: 'How far it is.', schema: replayState, example: stateExample },
    problems: ['not_found', 'event_log_off'],
    handle: ({ account, params }, { eventLog }) => eventLog.readReplay(account, params.id, params.replay),
  }),
  endpoint({
    method: 'delete',
    path: `${replays}/:replay`,
    operationId: 'stopReplay',
    tag,
    summary: 'Stop a replay',
    description: 'Events that were sent stay sent. Events that wait at the destination are still sent.',
    audit: 'stop a replay',
    answer: {
      status: 200,
      text: 'Its state.',
      schema: replayState,
      example: { ...stateExample, state: 'stopped', reason: 'person' },
    },
    problems: ['not_found', 'event_log_off'],
    handle: ({ account, params }, { eventLog }) => eventLog.stopReplay(account, params.id, params.replay),
  }),
];
