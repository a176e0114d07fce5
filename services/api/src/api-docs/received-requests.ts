import {
  acknowledgement,
  campaignBatch,
  connectionTest,
  connectionTestReply,
  EVENT_TYPES,
  exampleEvent,
  forEachName,
  fullExample,
  notification,
  notificationFragment,
  objectOf,
  statusesThat,
  NOTIFICATION_FIELDS,
  version2Event,
  version2Events,
  version2Fragment,
} from '@mailhook/core';
import type { EventTypeName, Notification } from '@mailhook/core';
import type { ZodOpenApiCallbacksObject, ZodOpenApiOperationObject } from 'zod-openapi';
import { z } from 'zod';
import { DEADLINE } from '../endpoints/answers.ts';
import { batchExample } from '../endpoints/customer/deliveries.ts';
import { json } from './json-schema.ts';

const notificationExamples = forEachName(
  NOTIFICATION_FIELDS,
  (name) => JSON.parse(notificationFragment(exampleEvent(name))) as Notification,
);

const version2Example = (name: EventTypeName): unknown =>
  JSON.parse(objectOf(version2Fragment(fullExample('transactional_email', name), () => 'evt_8f1c5d0e9b7a4c3f21')));

const id = z.string().describe('Stays the same when the same notification or batch is sent again.');
const timestamp = z.string().regex(/^\d+$/).describe('When the request was signed, in Unix seconds.');
const attempt = z.string().regex(/^\d+$/).describe('Number of the attempt, from 1.');
const signature = z
  .string()
  .optional()
  .describe(
    'Only if the destination or the account has a signing secret: `v1,` and the base64 HMAC-SHA256 of ' +
      '`webhook-id.webhook-timestamp.body`, one per secret, separated by spaces (Standard Webhooks).',
  );

const headers = z.object({
  'webhook-id': id,
  'webhook-timestamp': timestamp,
  'webhook-attempt': attempt,
  'webhook-signature': signature,
  'user-agent': z.string().describe('Mailhook and its version.'),
  'accept-encoding': z.literal('identity').describe('Replies are best not compressed.'),
});

const SENT_AGAIN = `Everything else, a redirect, or no complete reply within ${DEADLINE}: it is sent again later.`;
const common = {
  tags: ['What receivers get'],
  // No token of this API. A receiver decides for itself how it authenticates requests.
  security: [],
  requestParams: { header: headers },
};
const gone = { description: 'Ends deliveries: the destination is switched off.' };
const later = {
  description: 'It is sent again later, and with Retry-After no sooner than that says.',
  headers: z.object({ 'Retry-After': z.string().optional().describe('Seconds, or a date of HTTP.') }),
};

const failures = {
  ...Object.fromEntries(statusesThat('endsDeliveries').map((status) => [status, gone])),
  '4XX': later,
  '5XX': later,
};

/** The requests that Mailhook sends to receivers, as OpenAPI webhooks (docs/protocol.md). */
export const receivedRequests = {
  notification: {
    post: {
      ...common,
      operationId: 'receiveNotification',
      summary: 'A notification (mechanism A)',
      description:
        'One event of a message sent through the API or SMTP, to every active subscription of its type. ' + SENT_AGAIN,
      requestBody: {
        required: true,
        content: {
          'application/json;charset=UTF-8': {
            schema: notification,
            examples: Object.fromEntries(
              Object.entries(notificationExamples).map(([name, value]) => [name, { value }]),
            ),
          },
        },
      },
      responses: {
        '2XX': { description: 'It was received. The body is not read.' },
        ...failures,
      },
    },
  },
  batch: {
    post: {
      ...common,
      operationId: 'receiveBatch',
      summary: 'A batch of campaign events (mechanism B)',
      description:
        'An array of 1 to 1000 events. An event is confirmed when an item of the reply has its `hash` and `status: ' +
        'true`; one item confirms all events with that hash. What is not confirmed comes again with a higher ' +
        `\`attempt\`. ${SENT_AGAIN}`,
      requestBody: {
        required: true,
        content: { 'application/json;charset=UTF-8': { schema: campaignBatch, example: batchExample } },
      },
      responses: {
        '200': {
          description: 'The acknowledgement: an item for every event that was received. Exactly 200.',
          content: json(
            acknowledgement,
            batchExample.map(({ hash }) => ({ hash, status: true })),
          ),
        },
        ...failures,
      },
    },
  },
  event: {
    post: {
      ...common,
      operationId: 'receiveEvent',
      summary: 'An event of version 2, alone',
      description:
        'To a destination of version 2 and the shape single. A new type may come: answer 2xx to it. ' + SENT_AGAIN,
      requestBody: {
        required: true,
        content: {
          'application/json;charset=UTF-8': {
            schema: version2Event,
            examples: forEachName(EVENT_TYPES, (name) => ({ value: version2Example(name) })),
          },
        },
      },
      responses: { '2XX': { description: 'It was received. The body is not read.' }, ...failures },
    },
  },
  events: {
    post: {
      ...common,
      operationId: 'receiveEvents',
      summary: 'Events of version 2, in an array or a batch',
      description:
        'To a destination of version 2. In the shape array, any 2xx delivers the whole. In the shape batch, each ' +
        'event has `hash` and `attempt` too, and the reply acknowledges each of them with status 200. ' +
        SENT_AGAIN,
      requestBody: {
        required: true,
        content: {
          'application/json;charset=UTF-8': {
            schema: version2Events,
            example: [version2Example('delivered'), version2Example('complaint')],
          },
        },
      },
      responses: {
        '200': {
          description: 'Of a batch: an item for every event that was received.',
          content: json(acknowledgement, [{ hash: batchExample[0]?.hash, status: true }]),
        },
        '2XX': { description: 'Of an array: all were received. The body is not read.' },
        ...failures,
      },
    },
  },
  connectionTest: {
    post: {
      ...common,
      operationId: 'receiveConnectionTest',
      summary: 'The connection test (mechanism B)',
      description: 'Sent when somebody presses "Test connection".',
      requestBody: {
        required: true,
        content: {
          'application/json;charset=UTF-8': {
            schema: connectionTest,
            example: { test: 'This is a connection test from Mailhook' },
          },
        },
      },
      responses: {
        '2XX': {
          description: 'The receiver is ready. Other keys beside status are fine.',
          content: json(connectionTestReply, { status: 'ok' }),
        },
      },
    },
  },
} satisfies Readonly<Record<string, { readonly post: ZodOpenApiOperationObject }>>;

/**
 * One of these requests as a callback of the operation whose body has its address. Some generators leave out schemas
 * that only `webhooks` refer to.
 */
export function sentToAddress(name: keyof typeof receivedRequests): ZodOpenApiCallbacksObject {
  const { operationId: _, ...post } = receivedRequests[name].post;
  return { [name]: { '{$request.body#/address}': { post } } };
}
