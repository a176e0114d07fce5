import { z } from 'zod';
import { BATCH_EVENTS_MAX } from './campaign-batch.ts';
import { eventModule } from './destination-settings.ts';
import { EVENT_TYPES } from './event-types.ts';
import type { EventTypeName } from './event-types.ts';
import { namesOf } from './tables.ts';

/*
 * Events of version 2 as receivers get them (docs/protocol.md). `version2Fragment` in `domain/version-2` writes them.
 * Without a new version, types and optional fields may come, so other fields are allowed.
 */

/** The values of these fields never change within a version. The values of other lists may grow. */
const FIXED: readonly string[] = ['type', 'action'];

/** A field without the limits that it had to keep on its way in. */
function asSent(name: string, field: z.ZodType): z.ZodType {
  const text = String(field.description);
  if (field instanceof z.ZodEnum && FIXED.includes(name)) return field;
  if (field instanceof z.ZodNumber) return z.int().describe(text);
  if (field instanceof z.ZodBoolean) return z.boolean().describe(text);
  if (field instanceof z.ZodPipe) return z.record(z.string(), z.unknown()).describe(text);
  const known = field instanceof z.ZodEnum ? ` Today: ${field.options.join(', ')}.` : '';
  return z.string().describe(text + known);
}

const common = {
  version: z.literal(2).describe('Version of this structure.'),
  id: z.string().describe('The same at every destination and in every attempt. Receivers deduplicate by it.'),
  module: eventModule,
  time: z.int().describe('When it happened, in Unix seconds.'),
  email: z.string().optional().describe('The recipient.'),
  messageId: z.string().optional().describe('The message that the event concerns.'),
  campaign: z.string().optional().describe('Of campaign events.'),
  metadata: z.record(z.string(), z.string()).optional().describe('What the sender has put into the message.'),
  tags: z.array(z.string()).optional().describe('The tags of the message.'),
};

const inBatches = {
  hash: z.string().optional().describe('In batches only: names the event in the acknowledgement.'),
  attempt: z.int().min(1).optional().describe('In batches only: counts the tries to deliver it, from 1.'),
};

function sentEvent(name: EventTypeName) {
  const { fields, required }: { fields: Readonly<Record<string, z.ZodType>>; required: readonly string[] } =
    EVENT_TYPES[name];
  const own = Object.entries(fields).map(([field, schema]) => {
    const sent = asSent(field, schema);
    return [field, required.includes(field) ? sent : sent.optional()] as const;
  });
  return z
    .looseObject({ ...common, event: z.literal(name), ...Object.fromEntries(own), ...inBatches })
    .describe(EVENT_TYPES[name].meaning);
}

const [first, ...others] = namesOf(EVENT_TYPES).map(sentEvent) as [ReturnType<typeof sentEvent>];

/** An event of version 2. */
export const version2Event = z.discriminatedUnion('event', [first, ...others]);

/** The body of a request of the shapes array and batch. */
export const version2Events = z.array(version2Event).min(1).max(BATCH_EVENTS_MAX);
