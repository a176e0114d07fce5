import {
  acknowledgementItem,
  campaignEvent,
  campaignWebhook,
  deadLetter,
  deliveryAttempt,
  eventTrace,
  MAILHOOK_VERSION,
  notification,
  problem,
  producerEvent,
  receiverReport,
  subscription,
} from '@mailhook/core';
import { createDocument } from 'zod-openapi';
import type { CreateDocumentOptions } from 'zod-openapi';
import { campaignPaths } from './campaign-paths.ts';
import { deliveryPaths } from './delivery-paths.ts';
import { intakePaths } from './intake-paths.ts';
import { receivedRequests } from './received-requests.ts';
import { secretPaths } from './secret-paths.ts';
import { subscriptionPaths } from './subscription-paths.ts';

export type ApiDocument = ReturnType<typeof createDocument>;

const DESCRIPTION = `
Mailhook delivers email events to webhooks.

- **Customers** use an account's access token for everything below \`/v3/webhook\`.
- **Producers** send events with the producer token.
- **Receivers** get what stands under *Webhooks*.

Bodies are JSON. Every error is \`application/problem+json\` (RFC 9457) with a stable \`code\`; invalid fields are listed in \`errors\`.
A path that exists answers another method with 405 and \`Allow\`.
`.trim();

const TAGS = [
  {
    name: 'Subscriptions',
    description: 'Notifications about messages sent through the API or SMTP: one event a request.',
  },
  { name: 'Campaign webhook', description: 'Campaign events in batches, acknowledged event by event.' },
  { name: 'Receivers', description: 'Is my receiver right?' },
  { name: 'Deliveries', description: 'What happened to my mail?' },
  { name: 'Signing secrets', description: 'How a receiver can tell that a request is from here.' },
  { name: 'Events', description: 'For producers: mail servers and trackers.' },
  { name: 'What receivers get', description: 'Requests that are sent to the addresses of customers.' },
];

const token = (description: string) => ({ type: 'http', scheme: 'bearer', description }) as const;

/** zod's whole numbers are those that JavaScript counts exactly; that they end there tells a reader nothing. */
const withoutSafeRange: NonNullable<CreateDocumentOptions['override']> = ({ jsonSchema }) => {
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
};

/**
 * The API as an OpenAPI 3.1 document, made of the zod schemas that requests are validated with. zod-openapi and not zod's own
 * `toJSONSchema`: it tells what is read from what is written (defaults, transforms) and collects shared schemas as components.
 *
 * @param publicUrl where customers reach the API; absent: wherever the document was loaded from.
 */
export const createApiDocument = (publicUrl?: string): ApiDocument =>
  createDocument(
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
        ...subscriptionPaths,
        ...campaignPaths,
        ...deliveryPaths,
        ...secretPaths,
        ...intakePaths,
      },
      webhooks: receivedRequests,
      components: {
        securitySchemes: {
          accessToken: token("An account's access token."),
          producerToken: token('The token of the mail servers and trackers.'),
        },
        schemas: {
          AcknowledgementItem: acknowledgementItem,
          CampaignEvent: campaignEvent,
          CampaignWebhook: campaignWebhook,
          DeadLetter: deadLetter,
          DeliveryAttempt: deliveryAttempt,
          EventTrace: eventTrace,
          Notification: notification,
          Problem: problem,
          ProducerEvent: producerEvent,
          ReceiverReport: receiverReport,
          Subscription: subscription,
        },
      },
    },
    { override: withoutSafeRange },
  );
