import {
  account,
  accountDetails,
  accountIdInput,
  accountInput,
  accountsQuery,
  erasureInput,
  listedAccount,
} from '@mailhook/core';
import { z } from 'zod';
import { named, pageOf } from '../answers.ts';
import { accountExample, count, time } from './common.ts';
import { operatorDestinationExample } from './destinations.ts';
import { endpoint } from './endpoint.ts';

const storedAccount = named('StoredAccount', account.extend({ createdAt: time }));

const accountDeletion = named(
  'AccountDeletion',
  z.object({
    account: z.string(),
    startedAt: time,
    finishedAt: time.nullable().describe('null while something is left.'),
    remaining: z.object({ events: count, deadLetters: count }),
  }),
);

const erasure = named(
  'Erasure',
  z.object({
    id: z.string(),
    account: z.string(),
    startedAt: time,
    finishedAt: time.nullable().describe('null until two searches find nothing.'),
    goneFromLogBy: time
      .optional()
      .describe('By when their bytes are gone from the event log, which hides them at the start. Only with a log.'),
    removed: z
      .object({
        waiting: count,
        resends: count,
        deadLetters: count,
        rejected: count.describe('In `email-events-rejected`.'),
        failedJobs: count.describe(
          'In failed jobs of `email-events`. The rest of a job stays; an empty one is removed.',
        ),
      })
      .describe('Events removed until now, by their place. A step that a crash interrupts may be missing.'),
    kept: z
      .object({
        inFlight: count.describe('Events in flight. They leave with a delivery, or are removed after a failure.'),
        queued: count.describe(
          'Events of the account in large queued chunks, and in all of a long queue, those accepted after the start ' +
            'included.',
        ),
        jobs: count.describe(
          'Chunk jobs or Redis-fed jobs of the account from before the start that have not ended. The erasure ' +
            'waits for them. A failed chunk job counts until it is retried or removed.',
        ),
      })
      .describe('After the last search.'),
  }),
);

const storedAccountExample = { ...accountExample, createdAt: '2025-11-03T08:15:00.000Z' };

export const accountRowExample = {
  ...accountExample,
  events: 40,
  bytes: 11_480,
  deadLetters: 3,
  delivered: 120_344,
  failed: 6,
  share: 0.00002,
};

const listedAccountExample = { ...accountRowExample, createdAt: storedAccountExample.createdAt };

const accountDetailsExample = {
  ...listedAccountExample,
  keptBodiesBytes: 0,
  limits: { events: 2_000_000, bytes: 1_073_741_824 },
  destinations: [operatorDestinationExample],
};

const accountDeletionExample = {
  account: accountExample.id,
  startedAt: '2026-01-01T00:04:00.000Z',
  finishedAt: null,
  remaining: { events: 40, deadLetters: 3 },
};

const erasureExample = {
  id: 'Xk2mT9bQ4wLr7NvE',
  account: accountExample.id,
  startedAt: '2026-01-01T00:04:00.000Z',
  finishedAt: '2026-01-01T00:04:02.100Z',
  goneFromLogBy: '2026-01-01T22:19:00.000Z',
  removed: { waiting: 12, resends: 1, deadLetters: 3, rejected: 1, failedJobs: 0 },
  kept: { inFlight: 0, queued: 40, jobs: 0 },
};

const deletion = { text: 'What is left.', schema: accountDeletion, example: accountDeletionExample };

const tag = 'Accounts';
const path = '/admin/accounts';

export const accountEndpoints = [
  endpoint({
    method: 'get',
    path,
    operationId: 'listAccounts',
    tag,
    summary: 'List accounts',
    description: 'With `prefix`, a page may have few accounts although there is a `nextCursor`.',
    query: accountsQuery,
    answer: {
      status: 200,
      text: 'A page of them, newest first, with counts.',
      schema: pageOf(listedAccount),
      example: { items: [listedAccountExample] },
    },
    handle: ({ query }, { accounts }) => accounts.list(query),
  }),
  endpoint({
    method: 'post',
    path,
    operationId: 'createAccount',
    tag,
    summary: 'Create an account',
    audit: 'create account',
    body: { schema: accountInput, example: { name: accountExample.name } },
    answer: { status: 201, text: 'The account with its id.', schema: account, example: accountExample },
    handle: ({ body }, { accountChanges }) => accountChanges.create(body),
  }),
  endpoint({
    method: 'get',
    path: `${path}/:account`,
    operationId: 'readAccount',
    tag,
    summary: 'Read an account',
    description: 'Its limits, what it keeps in Redis, its deliveries of the last 24 hours, and its destinations.',
    answer: { status: 200, text: 'The account.', schema: accountDetails, example: accountDetailsExample },
    problems: ['not_found'],
    handle: ({ params }, { accounts }) => accounts.find(params.account),
  }),
  endpoint({
    method: 'put',
    path: `${path}/:account`,
    operationId: 'putAccount',
    tag,
    summary: 'Create or rename an account',
    description:
      'Under an id of your own: 1 to 64 letters, digits, `_`, `.`, `:` or `-`. `201` if it is new, `200` otherwise. ' +
      'The id of a deleted account is a `409` for a week.',
    audit: 'create or rename account',
    parameter: accountIdInput,
    body: { schema: accountInput, example: { name: accountExample.name } },
    answer: {
      status: 200,
      orStatus: 201,
      text: 'The account.',
      schema: storedAccount,
      example: storedAccountExample,
    },
    problems: ['conflict'],
    handle: async ({ params, body, response, onUnchanged }, { accountChanges }) => {
      const { account: stored, outcome } = await accountChanges.put(params.account, body);
      if (outcome === 'unchanged') onUnchanged();
      if (outcome === 'created') response.status(201);
      return { id: stored.id, name: body.name, createdAt: stored.createdAt };
    },
  }),
  endpoint({
    method: 'delete',
    path: `${path}/:account`,
    operationId: 'deleteAccount',
    tag,
    summary: 'Delete an account',
    description:
      'With all its data, in the background. The account and its tokens are immediately unknown. A repeated deletion ' +
      'begins again, for a restored backup of Redis.',
    audit: 'delete account',
    answer: { status: 202, ...deletion },
    problems: ['not_found'],
    handle: ({ params }, { accountChanges }) => accountChanges.startDeletion(params.account),
  }),
  endpoint({
    method: 'get',
    path: `${path}/:account/deletion`,
    operationId: 'readDeletion',
    tag,
    summary: 'Read the progress of a deletion',
    answer: { status: 200, ...deletion },
    problems: ['not_found'],
    handle: ({ params }, { accountChanges }) => accountChanges.readDeletion(params.account),
  }),
  endpoint({
    method: 'post',
    path: `${path}/:account/erasures`,
    operationId: 'eraseEvents',
    tag,
    summary: 'Erase the events of a recipient',
    description:
      'Removes the undelivered events of a recipient from mailboxes, resends, dead letters, rejected events ' +
      'and failed Redis-fed jobs, in the background. It finishes when all jobs from before its start have ' +
      'ended and two searches find nothing. Notifications of version 1 name no recipient, only a `messageId`. ' +
      'Events in flight stay until their outcome is known. The rest of a batch that was sent before gets a new ' +
      '`webhook-id`. The event log hides what was accepted until then, and its bytes go by `goneFromLogBy`.',
    audit: 'erase events of a recipient',
    body: { schema: erasureInput, example: { email: 'anna@example.com' } },
    answer: { status: 202, text: 'The erasure with its id.', schema: erasure, example: erasureExample },
    problems: ['not_found'],
    handle: ({ params, body }, { accountChanges }) => accountChanges.startErasure(params.account, body),
  }),
  endpoint({
    method: 'get',
    path: `${path}/:account/erasures/:erasure`,
    operationId: 'readErasure',
    tag,
    summary: 'Read the progress of an erasure',
    description: 'For 7 days after its end.',
    answer: { status: 200, text: 'The erasure.', schema: erasure, example: erasureExample },
    problems: ['not_found'],
    handle: ({ params }, { accountChanges }) => accountChanges.readErasure(params.account, params.erasure),
  }),
];
