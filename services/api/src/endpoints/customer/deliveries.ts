import {
  deliveredSince,
  deliveriesQuery,
  deliveryAttempt,
  deliveryAttemptDetail,
  MAILHOOK_VERSION,
} from '@mailhook/core';
import { pageOf } from '../answers.ts';
import { campaignWebhookExample } from './campaign.ts';
import { endpoint } from './endpoint.ts';

/** A batch as a receiver gets it. */
export const batchExample = [
  {
    hash: '4f8kQ1nT9cXv2bLmZ7eRyA',
    event: 'click',
    campaign: 'aBcDeFgHiJ',
    email: 'anna@example.com',
    timestamp: 1767225600,
    url: 'https://shop.example.com/sale',
    attempt: 1,
  },
  {
    hash: 'pX3dV7sWq0oJh5uNfG2tKw',
    event: 'unsubscribe',
    campaign: 'aBcDeFgHiJ',
    email: 'ben@example.com',
    timestamp: 1767225604,
    attempt: 1,
  },
];

export const attemptExample = {
  id: 'wa0584e530815_1_1-1',
  time: '2026-01-01T00:00:00.412Z',
  kind: 'campaign',
  module: 'campaign',
  shape: 'batch',
  destination: 'campaign',
  address: campaignWebhookExample.address,
  events: 2,
  attempt: 1,
  status: 'failed',
  httpStatus: 500,
  durationMs: 84,
  error: 'the receiver answered HTTP 500 Internal Server Error',
  nextAttemptAt: '2026-01-01T00:00:05.601Z',
};

const detailExample = {
  ...attemptExample,
  webhookId: 'msg_wa0584e530815_1_1',
  wasSent: true,
  request: {
    method: 'POST',
    headers: {
      'content-type': 'application/json;charset=UTF-8',
      'user-agent': `Mailhook/${MAILHOOK_VERSION}`,
      'accept-encoding': 'identity',
      'webhook-id': 'msg_wa0584e530815_1_1',
      'webhook-timestamp': '1767225600',
      'webhook-attempt': '1',
    },
    signatures: 1,
    bytes: 311,
  },
  reply: {
    status: 500,
    headers: { 'content-type': 'text/html', 'content-length': '47', server: 'nginx' },
    body: '<b>Fatal error</b>: Uncaught PDOException in …\n',
    isBodyWhole: true,
  },
  eventKeys: batchExample.map(({ hash }) => hash),
  held: { state: 'resend', payloads: batchExample },
};

const tag = 'Deliveries';
const path = '/v3/webhook/deliveries';

export const deliveryEndpoints = [
  endpoint({
    method: 'get',
    path,
    operationId: 'listDeliveries',
    isLarge: true,
    tag,
    summary: 'List recent attempts',
    description:
      'One call searches a part of the log. With a filter that matches little, a page may therefore be short or ' +
      'empty and still have a `nextCursor`: the search continues there.',
    query: deliveriesQuery,
    answer: {
      status: 200,
      text: 'A page of attempts.',
      schema: pageOf(deliveryAttempt).extend({ deliveredSince }),
      example: { items: [attemptExample] },
    },
    handle: ({ account, query }, { deliveries }) => deliveries(account, query),
  }),
  endpoint({
    method: 'get',
    path: `${path}/:id`,
    operationId: 'readDelivery',
    isLarge: true,
    tag,
    summary: 'Read an attempt with its request and its reply',
    description:
      'Mailhook keeps the request and the start of the reply of attempts that failed, while the attempt is listed. ' +
      'Its events in a resend or dead letter are in `held`.',
    answer: {
      status: 200,
      text: 'The attempt, its request, its reply and its events.',
      schema: deliveryAttemptDetail,
      example: detailExample,
    },
    problems: ['not_found'],
    handle: ({ account, params }, { readAttempt }) => readAttempt(account, params.id),
  }),
];
