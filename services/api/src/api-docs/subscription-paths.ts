import {
  subscription,
  subscriptionEdit,
  subscriptionInput,
  SUBSCRIPTIONS_PER_TYPE_MAX,
  testQuery,
  testResult,
} from '@mailhook/core';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { z } from 'zod';
import { createdId, done, DONE_EXAMPLE } from './answers.ts';
import { newSubscriptionExample, SUBSCRIPTION_ID, subscriptionExample } from './examples.ts';
import { customerOperation } from './operation.ts';
import { sentToAddress } from './received-requests.ts';

const tag = 'Subscriptions';

const duplicateLink = z
  .string()
  .optional()
  .meta({ description: 'Another subscription with the same address and type, with `rel="duplicate"`.' });

/** Subscriptions, and the sample notification that tests an address. */
export const subscriptionPaths: ZodOpenApiPathsObject = {
  '/v3/webhook/subscriptions': {
    post: customerOperation({
      operationId: 'createSubscription',
      tag,
      summary: 'Create a subscription',
      description:
        'It is active at once: every event that is accepted after the answer is sent to it. An account has up to ' +
        `${SUBSCRIPTIONS_PER_TYPE_MAX} of a type, inactive ones included. If the account has one with the same address and type, ` +
        'the answer names it in the header `Link: </v3/webhook/subscriptions/{id}>; rel="duplicate"`. Each of them gets every event.',
      callbacks: sentToAddress('notification'),
      body: { schema: subscriptionInput, example: newSubscriptionExample },
      answer: {
        status: 201,
        text: 'Its id.',
        headers: { Link: duplicateLink },
        schema: createdId,
        example: { id: SUBSCRIPTION_ID },
      },
      problems: ['conflict'],
    }),
    get: customerOperation({
      operationId: 'listSubscriptions',
      tag,
      summary: 'List subscriptions',
      answer: {
        status: 200,
        text: 'All of them, oldest first.',
        schema: z.array(subscription),
        example: [subscriptionExample],
      },
    }),
  },
  '/v3/webhook/subscriptions/{id}': {
    get: customerOperation({
      operationId: 'readSubscription',
      tag,
      summary: 'Read a subscription',
      hasId: true,
      answer: { status: 200, text: 'The subscription.', schema: subscription, example: subscriptionExample },
      problems: ['not_found'],
    }),
    put: customerOperation({
      operationId: 'editSubscription',
      tag,
      summary: 'Edit a subscription',
      description:
        'Only the given fields change. Waiting events go to a new address. If the subscription is switched off, its waiting events become dead letters.',
      hasId: true,
      body: { schema: subscriptionEdit, example: { module: 'transactional_email', active: false } },
      answer: { status: 200, text: 'It is changed.', schema: done, example: DONE_EXAMPLE },
      problems: ['not_found', 'conflict'],
    }),
    delete: customerOperation({
      operationId: 'deleteSubscription',
      tag,
      summary: 'Delete a subscription',
      description: 'Its waiting events are discarded.',
      hasId: true,
      answer: { status: 200, text: 'It is gone.', schema: done, example: DONE_EXAMPLE },
      problems: ['not_found'],
    }),
  },
  '/v3/webhook/notificationTest/': {
    post: customerOperation({
      operationId: 'sendTestNotification',
      tag,
      summary: 'Send a sample notification',
      description:
        'Sends a notification of this type to this address, once, and waits for the reply. The path also works without the trailing slash.',
      query: testQuery,
      body: { schema: subscriptionInput, example: newSubscriptionExample },
      answer: {
        status: 200,
        text: 'The test result.',
        schema: testResult,
        example: { success: false, message: 'The receiver answered HTTP 404 Not Found' },
      },
    }),
  },
};
