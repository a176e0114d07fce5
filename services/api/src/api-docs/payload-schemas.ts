import {
  acknowledgement,
  campaignBatch,
  connectionTest,
  connectionTestReply,
  notification,
  operationsMessage,
  producerEvent,
  version2Event,
  version2Events,
} from '@mailhook/core';
import { z } from 'zod';
import { nameSchemas } from './components.ts';
import { forDocuments } from './json-schema.ts';

interface Payload {
  readonly name: string;
  readonly description: string;
  readonly schema: z.ZodType;
  /** Mailhook ignores unknown keys in what it takes, and sends none. */
  readonly isTaken?: true;
}

const PAYLOADS: readonly Payload[] = [
  {
    name: 'notification',
    description: 'A transactional notification, as receivers get it.',
    schema: notification,
  },
  {
    name: 'campaign-batch',
    description: 'A batch of campaign events, as receivers get it.',
    schema: campaignBatch,
  },
  {
    name: 'event',
    description: 'An event of version 2, as receivers get it alone. Receivers ignore fields that they do not know.',
    schema: version2Event,
  },
  {
    name: 'events',
    description: 'Events of version 2, as receivers get them in an array or a batch.',
    schema: version2Events,
  },
  {
    name: 'acknowledgement',
    description: "A receiver's reply to a campaign batch, with status 200.",
    schema: acknowledgement,
    isTaken: true,
  },
  {
    name: 'connection-test',
    description: 'The connection test of the campaign webhook, as receivers get it.',
    schema: connectionTest,
  },
  {
    name: 'connection-test-reply',
    description: "A receiver's reply to the connection test, with a 2xx status.",
    schema: connectionTestReply,
    isTaken: true,
  },
  {
    name: 'producer-event',
    description: 'An event, as producers send it. A request and a job hold 1 to 10,000 of them.',
    schema: producerEvent,
    isTaken: true,
  },
  {
    name: 'operations-message',
    description: 'A message to `OPERATIONS_WEBHOOK_URL`, for the platform that runs Mailhook.',
    schema: operationsMessage,
  },
];

/** The index of the schemas. Its `file` entries are beside it. */
export const SCHEMA_INDEX = 'index.json';

/**
 * JSON Schemas (2020-12) of what receivers get and answer and of what producers send, by file name, and their index.
 * They are made of the zod schemas that the services use, and need no other file.
 */
export function createPayloadSchemas(): ReadonlyMap<string, object> {
  nameSchemas();
  const files = PAYLOADS.map(({ name, description, schema, isTaken }) => {
    const { $schema, ...content } = z.toJSONSchema(schema, {
      io: isTaken === true ? 'input' : 'output',
      override: forDocuments,
    });
    return [`${name}.json`, { $schema, title: name, description, ...content }] as const;
  });
  const index = PAYLOADS.map(({ name, description }) => ({ file: `${name}.json`, description }));
  return new Map<string, object>([[SCHEMA_INDEX, { schemas: index }], ...files]);
}
