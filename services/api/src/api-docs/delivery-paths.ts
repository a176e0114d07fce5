import {
  deadLetter,
  deliveriesQuery,
  deliveryAttempt,
  destinationStatus,
  eventQuery,
  eventTraces,
  pageQuery,
  redriveInput,
  redriveResult,
} from '@mailhook/core';
import { z } from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { pageOf } from './answers.ts';
import { attemptExample, deadLetterExample, destinationStatusExample, traceExample } from './examples.ts';
import { customerOperation } from './operation.ts';

const tag = 'Deliveries';

/** Operations that show what happened to an account's events. */
export const deliveryPaths: ZodOpenApiPathsObject = {
  '/v3/webhook/destinations': {
    get: customerOperation({
      operationId: 'listDestinations',
      tag,
      summary: 'List the state of every destination',
      description: 'The campaign webhook first, if it has an address, then the subscriptions, oldest first.',
      answer: {
        status: 200,
        text: 'How each destination is doing.',
        schema: z.object({ items: z.array(destinationStatus) }),
        example: { items: [destinationStatusExample] },
      },
    }),
  },
  '/v3/webhook/deliveries': {
    get: customerOperation({
      operationId: 'listDeliveries',
      tag,
      summary: 'List recent attempts',
      query: deliveriesQuery,
      answer: {
        status: 200,
        text: 'A page of attempts.',
        schema: pageOf(deliveryAttempt),
        example: { items: [attemptExample] },
      },
    }),
  },
  '/v3/webhook/events': {
    get: customerOperation({
      operationId: 'findEvent',
      tag,
      summary: 'Find an event',
      description: 'Give either `hash` (a campaign event) or `messageId` (a transactional one).',
      query: eventQuery,
      answer: {
        status: 200,
        text: 'The state of the event at each destination. Without items, the searched data does not contain the event.',
        schema: eventTraces,
        example: traceExample,
      },
    }),
  },
  '/v3/webhook/dead-letters': {
    get: customerOperation({
      operationId: 'listDeadLetters',
      tag,
      summary: 'List dead letters',
      description: 'Dead letters are kept for 7 days.',
      query: pageQuery,
      answer: {
        status: 200,
        text: 'A page of dead letters.',
        schema: pageOf(deadLetter),
        example: { items: [deadLetterExample] },
      },
    }),
  },
  '/v3/webhook/dead-letters/redrive': {
    post: customerOperation({
      operationId: 'redriveDeadLetters',
      tag,
      summary: 'Deliver dead letters again',
      description:
        'The dead letters leave the list, and their retry schedule starts again. `attempt` continues to count.',
      body: { schema: redriveInput, example: { ids: [deadLetterExample.id] }, isOptional: true },
      answer: {
        status: 202,
        text: 'The dead letters are scheduled for delivery.',
        schema: redriveResult,
        example: { redriven: 1 },
      },
    }),
  },
};
