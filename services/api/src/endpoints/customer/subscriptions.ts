import {
  subscription,
  subscriptionEdit,
  subscriptionInput,
  DESTINATIONS_PER_TYPE_MAX,
  testQuery,
  testResult,
} from '@mailhook/core';
import { versionOf } from '@mailhook/platform/http-server';
import { z } from 'zod';
import { changed, createdId, DONE, gone } from '../answers.ts';
import { endpoint } from './endpoint.ts';
import { shownResult } from './test-answer.ts';

export const SUBSCRIPTION_ID = 'Qm7xW2pLr9aZk4Tc';

export const subscriptionExample = {
  id: SUBSCRIPTION_ID,
  address: 'https://hooks.example.com/mail',
  active: true,
  type: 'click',
  module: 'transactional_email',
};

const newSubscriptionExample = {
  address: subscriptionExample.address,
  type: subscriptionExample.type,
  module: subscriptionExample.module,
};

const duplicateLink = z
  .string()
  .optional()
  .meta({ description: 'Another subscription with the same address and type, with `rel="duplicate"`.' });

const tag = 'Subscriptions';
const path = '/v3/webhook/subscriptions';

export const subscriptionEndpoints = [
  endpoint({
    method: 'post',
    path,
    operationId: 'createSubscription',
    tag,
    summary: 'Create a subscription',
    description:
      'It is active at once: every event that is accepted after the answer is sent to it. An account has up to ' +
      `${DESTINATIONS_PER_TYPE_MAX} of a type, inactive ones included. If the account has one with the same address ` +
      'and type, the answer names it in the header `Link: </v3/webhook/subscriptions/{id}>; rel="duplicate"`. Each ' +
      'of them gets every event.',
    audit: 'create subscription',
    sends: 'notification',
    body: { schema: subscriptionInput, example: newSubscriptionExample },
    answer: {
      status: 201,
      text: 'Its id.',
      headers: { Link: duplicateLink },
      schema: createdId,
      example: { id: SUBSCRIPTION_ID },
    },
    problems: ['conflict'],
    handle: async ({ account, body, response }, { subscriptions }) => {
      const { id, duplicateOf } = await subscriptions.create(account, body);
      if (duplicateOf !== undefined) response.setHeader('link', `<${path}/${duplicateOf}>; rel="duplicate"`);
      return { id };
    },
  }),
  endpoint({
    method: 'get',
    path,
    operationId: 'listSubscriptions',
    tag,
    summary: 'List subscriptions',
    answer: {
      status: 200,
      text: 'All of them, oldest first.',
      schema: z.array(subscription),
      example: [subscriptionExample],
    },
    handle: ({ account }, { subscriptions }) => subscriptions.list(account),
  }),
  endpoint({
    method: 'get',
    path: `${path}/:id`,
    operationId: 'readSubscription',
    tag,
    summary: 'Read a subscription',
    isVersioned: true,
    answer: { status: 200, text: 'The subscription.', schema: subscription, example: subscriptionExample },
    problems: ['not_found'],
    handle: async ({ account, params, noteVersion }, { subscriptions }) => {
      const found = await subscriptions.read(account, params.id);
      noteVersion(versionOf(found));
      return found;
    },
  }),
  endpoint({
    method: 'put',
    path: `${path}/:id`,
    operationId: 'editSubscription',
    tag,
    summary: 'Edit a subscription',
    description:
      'Only the given fields change. Waiting events go to a new address. If the subscription is switched off, its ' +
      'waiting events become dead letters.',
    audit: 'edit subscription',
    isVersioned: true,
    body: { schema: subscriptionEdit, example: { module: 'transactional_email', active: false } },
    answer: changed,
    problems: ['not_found', 'conflict'],
    handle: async ({ account, params, body, onUnchanged, ifVersion }, { subscriptions }) => {
      await subscriptions.edit(account, params.id, body, onUnchanged, ifVersion);
      return DONE;
    },
  }),
  endpoint({
    method: 'delete',
    path: `${path}/:id`,
    operationId: 'deleteSubscription',
    tag,
    summary: 'Delete a subscription',
    description: 'Its waiting events are discarded.',
    audit: 'delete subscription',
    isVersioned: true,
    answer: gone,
    problems: ['not_found'],
    handle: async ({ account, params, ifVersion }, { subscriptions }) => {
      await subscriptions.remove(account, params.id, ifVersion);
      return DONE;
    },
  }),
  endpoint({
    method: 'post',
    path: '/v3/webhook/notificationTest/',
    operationId: 'sendTestNotification',
    tag,
    summary: 'Send a sample notification',
    description:
      'Sends a notification of this type to this address, and waits for the reply. Also without the trailing slash.',
    audit: false,
    query: testQuery,
    body: { schema: subscriptionInput, example: newSubscriptionExample },
    answer: {
      status: 200,
      text: 'The test result.',
      schema: testResult,
      example: { success: false, message: 'The receiver answered HTTP 404 Not Found' },
    },
    handle: async ({ account, query, body }, { notificationTest }) =>
      shownResult(await notificationTest(account, body), query),
  }),
];
