import { MAILHOOK_VERSION } from '@mailhook/core';
import { deadlineText } from '@mailhook/console';
import { createDocument } from 'zod-openapi';
import { DEADLINE } from '../endpoints/answers.ts';
import { customerEndpoints } from '../endpoints/customer/index.ts';
import { nameSchemas } from './components.ts';
import { intakePaths } from './intake.ts';
import { forDocuments } from './json-schema.ts';
import { pathsOf, PUBLIC_API } from './operation.ts';
import { receivedRequests } from './received-requests.ts';

export type ApiDocument = ReturnType<typeof createDocument>;

const DESCRIPTION = `
Mailhook delivers email events to webhooks.

- **Customers** use an account's access token for everything below \`/v3/webhook\`.
- **Producers** send events with the producer token.
- **Receivers** get the requests under *Webhooks*. \`/schemas\` has JSON Schemas of them and of the answers, for tests.

Bodies are JSON. Every error is \`application/problem+json\` (RFC 9457) with a stable \`code\`; \`errors\` lists invalid
fields. A path that exists answers another method with 405 and \`Allow\`.
A request with more than 16 KiB of headers gets 431 without a body.

The requests of an access token and of an account are limited. Answers below \`/v3/webhook\` say in \`RateLimit\` how
many are left and in how many seconds all are available again, and in \`RateLimit-Policy\` how many there are
(draft-ietf-httpapi-ratelimit-headers-08). Beyond that, the answer is 429 with \`Retry-After\`.
Searches count as several requests.
`.trim();

const TAGS = [
  {
    name: 'Subscriptions',
    description: 'Notifications about messages sent through the API or SMTP: one event per request.',
  },
  { name: 'Campaign webhook', description: 'Campaign events in batches, acknowledged event by event.' },
  {
    name: 'Destinations',
    description: 'Where the events of an account go: which, in which body and shape, and how each of them is doing.',
  },
  { name: 'Receivers', description: 'Checks a receiver: what failed, why it matters, how to fix it.' },
  { name: 'Deliveries', description: "What happened to an account's events." },
  { name: 'Event log', description: 'What was accepted, kept for a while: listed, and sent again.' },
  { name: 'Access tokens', description: 'Give each program that uses this API a token of its own.' },
  { name: 'Changes', description: 'Who changed what of the account, field by field.' },
  { name: 'Signing secrets', description: 'With a secret, a receiver can verify that a request comes from Mailhook.' },
  {
    name: 'Alerts',
    description: 'Who gets an e-mail or a message when a webhook fails, works again, or is switched off.',
  },
  { name: 'Events', description: 'For producers: mail servers and trackers.' },
  { name: 'What receivers get', description: 'Requests that are sent to the addresses of customers.' },
];

export const token = (description: string) => ({ type: 'http', scheme: 'bearer', description }) as const;

/** The default of `DELIVERY_TIMEOUT_MS`. */
const DEADLINE_MS = 5000;

/**
 * The API as an OpenAPI 3.1 document, made of the zod schemas that validate requests. It uses zod-openapi instead of
 * zod's `toJSONSchema`, to separate input from output (defaults, transforms) and to collect shared schemas as
 * components.
 *
 * @param publicUrl the URL of the API for customers. If absent, the document points to the server that sent it.
 * @param deadlineMs how long a receiver has for a reply.
 */
export function createApiDocument(publicUrl?: string, deadlineMs = DEADLINE_MS): ApiDocument {
  nameSchemas();
  const document = createDocument(
    {
      openapi: '3.1.1',
      info: {
        title: 'Mailhook API',
        version: MAILHOOK_VERSION,
        description: DESCRIPTION,
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: publicUrl?.replace(/\/+$/, '') ?? '/' }],
      tags: TAGS,
      paths: {
        ...pathsOf(customerEndpoints, PUBLIC_API),
        ...intakePaths,
      },
      webhooks: receivedRequests,
      components: {
        securitySchemes: {
          accessToken: token("An account's access token."),
          producerToken: token('The token of the mail servers and trackers.'),
        },
      },
    },
    { override: forDocuments },
  );
  return JSON.parse(JSON.stringify(document).replaceAll(DEADLINE, deadlineText(deadlineMs))) as ApiDocument;
}
