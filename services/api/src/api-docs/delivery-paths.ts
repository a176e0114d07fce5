import {
  MAILHOOK_VERSION,
  customerPauseInput,
  deadLetter,
  deadLetterDetail,
  deadLetterSummary,
  deliveriesQuery,
  deliveryAttempt,
  deliveryAttemptDetail,
  destinationList,
  destinationSettings,
  destinationSettingsInput,
  destinationStatus,
  eventQuery,
  eventTraces,
  pageQuery,
  redriveInput,
  redriveResult,
  sendNowInput,
  sendNowResult,
} from '@mailhook/core';
import { z } from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { pageOf } from './answers.ts';
import { attemptExample, batchExample, deadLetterExample, destinationStatusExample, traceExample } from './examples.ts';
import { customerOperation } from './operation.ts';

const tag = 'Deliveries';

const deadLetterDetailExample = {
  ...deadLetterExample,
  destination: 'campaign',
  webhookId: 'msg_wa0584e530815_1_1',
  payloads: batchExample.map((event) => ({ ...event, attempt: deadLetterExample.attempts })),
  history: [attemptExample],
};

const attemptDetailExample = {
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

const CSV_EXAMPLE =
  'deadLetter,givenUpAt,kind,destination,address,attempts,error,webhookId,event,hash,messageId,campaign,email,occurredAt,url\n' +
  'c0_wa0584e530815_1_1,2026-01-02T01:12:40.000Z,campaign,campaign,https://example.com/hook,11,the receiver did not answer in time,' +
  'msg_wa0584e530815_1_1,open,YWJjZGVmZ2hpamtsbW5v,,c123456789,anna@example.com,2026-01-01T00:00:00.000Z,\n';

const pausedExample = {
  ...destinationStatusExample,
  state: 'paused',
  pausedUntil: '2026-01-02T02:12:40.000Z',
  pausedBy: 'customer',
};

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
        schema: destinationList,
        example: { items: [destinationStatusExample], withoutDestination: { bounce: 12 } },
      },
    }),
  },
  '/v3/webhook/destinations/{id}/pause': {
    post: customerOperation({
      operationId: 'pauseDestination',
      tag,
      summary: 'Pause a destination',
      description:
        'The id is that of a subscription, or `campaign`. New events are kept, and sent when the pause ends. Requests in flight end normally. A second pause replaces the first. A pause by an operator cannot be changed: 409.',
      hasId: true,
      body: { schema: customerPauseInput, example: { minutes: 60 } },
      answer: { status: 200, text: 'Its new state.', schema: destinationStatus, example: pausedExample },
      problems: ['not_found', 'conflict'],
    }),
  },
  '/v3/webhook/destinations/{id}/resume': {
    post: customerOperation({
      operationId: 'resumeDestination',
      tag,
      summary: 'End a pause',
      hasId: true,
      answer: { status: 200, text: 'Its new state.', schema: destinationStatus, example: destinationStatusExample },
      problems: ['not_found', 'conflict'],
    }),
  },
  '/v3/webhook/destinations/{id}/send-now': {
    post: customerOperation({
      operationId: 'sendDestinationNow',
      tag,
      summary: 'Send everything now',
      description:
        'Sends all resends as fast as the receiver takes them, instead of at their scheduled times. If the last attempt failed, one is tried first, and the rest follows its success.',
      hasId: true,
      body: { schema: sendNowInput, example: { deadLetters: true }, isOptional: true },
      answer: {
        status: 202,
        text: 'The state before the events are sent.',
        schema: sendNowResult,
        example: { ...destinationStatusExample, sending: 3, redriven: 1 },
      },
      problems: ['not_found', 'conflict'],
    }),
  },
  '/v3/webhook/destinations/{id}/settings': {
    get: customerOperation({
      operationId: 'readDestinationSettings',
      tag,
      summary: 'Read the settings of a destination',
      hasId: true,
      answer: {
        status: 200,
        text: 'The names of its custom headers, and its pace.',
        schema: destinationSettings,
        example: { headers: { authorization: true, 'x-team': true }, maxRequestsPerSecond: 20 },
      },
      problems: ['not_found'],
    }),
    put: customerOperation({
      operationId: 'writeDestinationSettings',
      tag,
      summary: 'Change the settings of a destination',
      description:
        'The id is that of a subscription, or `campaign`. The headers belong to the scheme, host and port of the current address: with another one, they are no longer sent.',
      hasId: true,
      body: {
        schema: destinationSettingsInput,
        example: { headers: { authorization: 'Bearer s3cr3t', 'x-team': true }, maxRequestsPerSecond: 20 },
      },
      answer: {
        status: 200,
        text: 'The new settings.',
        schema: destinationSettings,
        example: { headers: { authorization: true, 'x-team': true }, maxRequestsPerSecond: 20 },
      },
      problems: ['not_found', 'conflict'],
    }),
  },
  '/v3/webhook/deliveries': {
    get: customerOperation({
      operationId: 'listDeliveries',
      tag,
      summary: 'List recent attempts',
      description:
        'One call searches a part of the log. With a filter that matches little, a page may therefore be short or empty and still have a `nextCursor`: the search continues there.',
      query: deliveriesQuery,
      answer: {
        status: 200,
        text: 'A page of attempts.',
        schema: pageOf(deliveryAttempt),
        example: { items: [attemptExample] },
      },
    }),
  },
  '/v3/webhook/deliveries/{id}': {
    get: customerOperation({
      operationId: 'readDelivery',
      tag,
      summary: 'Read an attempt with its request and its reply',
      description:
        'Mailhook keeps the request and the start of the reply of attempts that failed, as long as the attempt is listed. Events that it still holds, in a resend or a dead letter, are in `held`.',
      hasId: true,
      answer: {
        status: 200,
        text: 'The attempt, its request, its reply and its events.',
        schema: deliveryAttemptDetail,
        example: attemptDetailExample,
      },
      problems: ['not_found'],
    }),
  },
  '/v3/webhook/events': {
    get: customerOperation({
      operationId: 'findEvent',
      tag,
      summary: 'Find an event',
      description:
        'Give one of `hash` (a campaign event), `messageId` (a transactional one), `webhookId` (of a request) and `email` (a recipient of campaign events). A recipient may have many events: at most 200 items and 200 attempts.',
      query: eventQuery,
      answer: {
        status: 200,
        text: 'The state of the event at each destination. Without items, the searched data does not contain the event.',
        schema: eventTraces,
        example: traceExample,
      },
    }),
  },
  '/v3/webhook/events/search': {
    post: customerOperation({
      operationId: 'searchEvents',
      tag,
      summary: 'Find an event without naming it in the URL',
      description:
        'Like `GET /v3/webhook/events`, with its parameters in the body. Use it for `email`: URLs get into access logs. A token for reading may call it.',
      body: { schema: eventQuery, example: { email: 'anna@example.com' } },
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
        schema: pageOf(deadLetter).extend(deadLetterSummary.shape),
        example: { items: [deadLetterExample], total: 1 },
      },
    }),
  },
  '/v3/webhook/dead-letters.csv': {
    get: customerOperation({
      operationId: 'exportDeadLetters',
      tag,
      summary: 'Export dead letters as CSV',
      answer: {
        status: 200,
        mediaType: 'text/csv',
        text: 'One line for each event of every dead letter, newest first.',
        headers: { 'Content-Disposition': z.string().meta({ description: 'Names a file for browsers.' }) },
        schema: z.string(),
        example: CSV_EXAMPLE,
      },
    }),
  },
  '/v3/webhook/dead-letters/{id}': {
    get: customerOperation({
      operationId: 'readDeadLetter',
      tag,
      summary: 'Read a dead letter with its events',
      hasId: true,
      answer: {
        status: 200,
        text: 'The dead letter, its events, and its attempts.',
        schema: deadLetterDetail,
        example: deadLetterDetailExample,
      },
      problems: ['not_found'],
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
