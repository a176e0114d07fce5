import { EVENTS_PER_REQUEST_MAX, problemCode, producerEvent } from '@mailhook/core';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { z } from 'zod';
import { named } from '../endpoints/answers.ts';
import { requestIdHeader, requestIdParameter } from './headers.ts';
import { json } from './json-schema.ts';
import { headersTooLarge, problemResponses } from './problems.ts';

const open = {
  account: 'acme',
  module: 'transactional_email',
  name: 'open',
  messageId: 'm-2026-000123',
  time: 1767225600,
  ip: '192.0.2.1',
};
const campaignClick = {
  account: 'acme',
  module: 'campaign',
  event: 'click',
  campaign: 'aBcDeFgHiJ',
  email: 'anna@example.com',
  timestamp: 1767225600,
  url: 'https://shop.example.com/sale',
  id: 'tracker-7-000042',
};

const rejectedEvent = named(
  'RejectedEvent',
  z.object({
    index: z.int(),
    account: z.string().optional(),
    code: problemCode,
    detail: z.string(),
  }),
);
const accepted = named(
  'Accepted',
  z.object({
    accepted: z.int().describe('How many events were taken, duplicates included.'),
    withoutDestination: z
      .int()
      .optional()
      .describe(
        'How many of them no active destination takes, of the types of version 1 and of those that a destination of ' +
          'the account lists. Events that only a filter keeps out do not count. Absent: none.',
      ),
    ignored: z
      .array(z.string())
      .optional()
      .describe(
        'Names of fields that Mailhook does not know, or not for this type of event, and, with a question mark in ' +
          'front, of unknown query parameters. Absent: none.',
      ),
    rejected: z
      .array(rejectedEvent)
      .optional()
      .describe(
        'With onError=skip: the events not taken. index is the position in the array, or the NDJSON line, from 0.',
      ),
  }),
);

const oneOrMany = z.union([producerEvent, z.array(producerEvent).min(1).max(EVENTS_PER_REQUEST_MAX)]);

const traceparent = z.string().meta({
  description:
    'The trace context of the request (W3C Trace Context). If tracing is enabled, delivery spans join this trace. An ' +
    'invalid value is ignored.',
  example: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
});

const contentEncoding = z.enum(['gzip']).meta({ description: 'Present if the body is compressed.' });

const onError = z.enum(['reject', 'skip']).meta({
  description:
    'reject (the default): one event that cannot be accepted refuses the request. skip: such events are left out and ' +
    'listed as `rejected`; a request with an invalid body, and a queue that is away, still refuse it whole.',
});

const strict = z.enum(['0', '1']).meta({
  description:
    '1: an event with a field that Mailhook does not know, or not for this type of event, is invalid. 0 (the ' +
    'default): such fields are left out and listed as `ignored`.',
});

/** The operation for producers. */
export const intakePaths: ZodOpenApiPathsObject = {
  '/v3/events': {
    post: {
      operationId: 'sendEvents',
      tags: ['Events'],
      summary: 'Send events',
      description:
        `One event, an array of up to ${EVENTS_PER_REQUEST_MAX}, or as many lines of NDJSON; at most 16 MiB, also ` +
        'when a gzip body is unpacked. All or nothing: one invalid event refuses the request, unless `onError` is ' +
        '`skip`. With an `id` in every event, a request without an answer can be sent again as it was.',
      security: [{ producerToken: [] }],
      requestParams: {
        header: z.object({
          traceparent: traceparent.optional(),
          'content-encoding': contentEncoding.optional(),
          'x-request-id': requestIdParameter,
        }),
        query: z.object({ onError: onError.optional(), strict: strict.optional() }),
      },
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: oneOrMany,
            examples: {
              one: { summary: 'One event', value: open },
              many: { summary: 'An array', value: [open, campaignClick] },
            },
          },
          'application/x-ndjson': {
            schema: { type: 'string' },
            example: [open, campaignClick].map((event) => JSON.stringify(event)).join('\n'),
          },
        },
      },
      responses: {
        '202': {
          description: 'All of them, except those listed as rejected, are durably enqueued.',
          headers: z.object(requestIdHeader),
          content: json(accepted, { accepted: 2 }),
        },
        ...problemResponses([
          'malformed_json',
          'unauthorized',
          'request_timeout',
          'payload_too_large',
          'unsupported_media_type',
          'validation_failed',
          'unknown_account',
          'rate_limited',
          'too_many_waiting',
          'internal_error',
          'unavailable',
        ]),
        ...headersTooLarge,
      },
    },
  },
};
