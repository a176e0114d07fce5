import {
  deadLetter,
  deadLetterDetail,
  deadLetterListFilter,
  deadLetterGroups,
  deadLettersQuery,
  deadLetterSummary,
  ownDiscardInput,
  discardResult,
  redriveInput,
  redriveResult,
} from '@mailhook/core';
import { csvTo } from '@mailhook/platform/http-server';
import { z } from 'zod';
import { pageOf } from '../answers.ts';
import { SENT } from '../endpoint.ts';
import { campaignWebhookExample } from './campaign.ts';
import { attemptExample, batchExample } from './deliveries.ts';
import { endpoint } from './endpoint.ts';

export const deadLetterExample = {
  id: 'c0_wa0584e530815_1_1',
  time: '2026-01-02T01:12:40.000Z',
  kind: 'campaign',
  module: 'campaign',
  shape: 'batch',
  destination: 'campaign',
  address: campaignWebhookExample.address,
  events: 2,
  attempts: 11,
  error: 'the receiver did not answer in time',
};

const detailExample = {
  ...deadLetterExample,
  webhookId: 'msg_wa0584e530815_1_1',
  payloads: batchExample.map((event) => ({ ...event, attempt: deadLetterExample.attempts })),
  history: [attemptExample],
};

const groupExample = {
  id: '1x2y3z.campaign',
  cause: '1x2y3z',
  destination: 'campaign',
  kind: 'campaign',
  module: 'campaign',
  shape: 'batch',
  error: deadLetterExample.error,
  deadLetters: 3,
  events: 6,
  oldest: deadLetterExample.time,
};

const summaryExample = {
  total: 2,
  redriven: {
    state: 'stopped' as const,
    left: 4,
    startedAt: '2026-01-02T09:00:00.000Z',
    waiting: 0,
    delivered: 2,
    failed: 0,
    returned: 0,
  },
};

const CSV_EXAMPLE =
  'deadLetter,givenUpAt,kind,destination,address,attempts,error,webhookId,event,hash,messageId,campaign,email,' +
  'occurredAt,url,module,shape,id\n' +
  'c0_wa0584e530815_1_1,2026-01-02T01:12:40.000Z,campaign,campaign,https://example.com/hook,11,the receiver did not ' +
  'answer in time,' +
  'msg_wa0584e530815_1_1,open,YWJjZGVmZ2hpamtsbW5v,,c123456789,anna@example.com,' +
  '2026-01-01T00:00:00.000Z,,campaign,batch,\n';

const tag = 'Deliveries';
const path = '/v3/webhook/dead-letters';

export const deadLetterEndpoints = [
  endpoint({
    method: 'get',
    path,
    operationId: 'listDeadLetters',
    isLarge: true,
    tag,
    summary: 'List dead letters',
    description: 'Dead letters are kept for 7 days.',
    query: deadLettersQuery,
    answer: {
      status: 200,
      text: 'A page of dead letters.',
      schema: pageOf(deadLetter).extend(deadLetterSummary.shape),
      example: { items: [deadLetterExample], total: 1 },
    },
    handle: ({ account, query }, { deadLetters }) => deadLetters.list(account, query),
  }),
  endpoint({
    method: 'get',
    path: `${path}.csv`,
    operationId: 'exportDeadLetters',
    tag,
    summary: 'Export dead letters as CSV',
    answer: {
      status: 200,
      mediaType: 'text/csv',
      text: 'One line for each event of every dead letter, newest first. UTF-8, with a byte order mark.',
      headers: { 'Content-Disposition': z.string().meta({ description: 'Names a file for browsers.' }) },
      schema: z.string(),
      example: CSV_EXAMPLE,
    },
    handle: async ({ account, response }, { deadLetters }) => {
      await deadLetters.sendCsv(account, csvTo(response, 'dead-letters.csv'));
      return SENT;
    },
  }),
  endpoint({
    method: 'get',
    path: `${path}/groups`,
    operationId: 'listDeadLetterGroups',
    isLarge: true,
    tag,
    summary: 'List dead letters by cause and destination',
    query: deadLetterListFilter,
    answer: {
      status: 200,
      text: 'The groups, those with the most events first.',
      schema: deadLetterGroups,
      example: { items: [groupExample], isComplete: true },
    },
    handle: ({ account, query }, { deadLetters }) => deadLetters.groups(account, query),
  }),
  endpoint({
    method: 'get',
    path: `${path}/:id`,
    operationId: 'readDeadLetter',
    isLarge: true,
    tag,
    summary: 'Read a dead letter with its events',
    answer: {
      status: 200,
      text: 'The dead letter, its events, and its attempts.',
      schema: deadLetterDetail,
      example: detailExample,
    },
    problems: ['not_found'],
    handle: ({ account, params }, { deadLetters }) => deadLetters.read(account, params.id),
  }),
  endpoint({
    method: 'post',
    path: `${path}/redrive`,
    operationId: 'redriveDeadLetters',
    tag,
    summary: 'Deliver dead letters again',
    description:
      'The dead letters leave the list, and their retry schedule starts again. `attempt` continues to count. The ' +
      'list of dead letters shows the progress. If Mailhook ends meanwhile, the rest are still dead letters.',
    audit: 'redrive dead letters',
    body: { schema: redriveInput, example: { ids: [deadLetterExample.id] }, isOptional: true },
    answer: {
      status: 202,
      text: 'The dead letters are scheduled for delivery.',
      schema: redriveResult,
      example: { redriven: 1 },
    },
    handle: ({ account, body }, { deadLetters }) => deadLetters.redrive(account, body),
  }),
  endpoint({
    method: 'post',
    path: `${path}/redrive/stop`,
    operationId: 'stopRedrive',
    tag,
    summary: 'Stop delivering dead letters again',
    description: 'What has not been redriven yet stays a dead letter. Events that are on the way are not stopped.',
    audit: 'stop redrive',
    answer: { status: 200, text: 'What was done until then.', schema: deadLetterSummary, example: summaryExample },
    handle: ({ account }, { deadLetters }) => deadLetters.stopRedrive(account),
  }),
  endpoint({
    method: 'post',
    path: `${path}/discard`,
    operationId: 'discardDeadLetters',
    tag,
    summary: 'Discard dead letters',
    description: 'Deletes them and their events permanently. Those that arrive meanwhile may stay.',
    audit: 'discard dead letters',
    body: { schema: ownDiscardInput, example: { groups: [groupExample.id] } },
    answer: {
      status: 200,
      text: 'What was deleted.',
      schema: discardResult,
      example: { deadLetters: 3, events: 6 },
    },
    handle: ({ account, body }, { deadLetters }) => deadLetters.discard(account, body),
  }),
];
