import { z } from 'zod';
import { eventModule } from './destination-settings.ts';
import { EVENT_TYPES } from './event-types.ts';
import type { EventModule } from './event-types.ts';
import type { Page } from './page.ts';
import { sentenceField } from './sentence-field.ts';
import { SHAPES } from './shape.ts';
import { namesOf } from './tables.ts';

/** The two delivery mechanisms. Every key, queue and metric of the engine belongs to one of them. */
export const mechanism = z
  .enum(['transactional', 'campaign'])
  .describe('transactional: the events of transactional_email. campaign: the events of campaigns.');
export type Mechanism = z.infer<typeof mechanism>;

/** The mechanism that delivers the events of a module. */
export const KINDS = { transactional_email: 'transactional', campaign: 'campaign' } as const satisfies Record<
  EventModule,
  Mechanism
>;
const MODULES = Object.fromEntries(namesOf(KINDS).map((module) => [KINDS[module], module])) as Record<
  Mechanism,
  EventModule
>;
export const moduleOf = (kind: Mechanism): EventModule => MODULES[kind];

const sentShape = z.enum(SHAPES).describe('How requests carry events.');
/** How a destination gets its events. */
export const mechanismFields = { kind: mechanism, module: eventModule, shape: sentShape };
const destinationId = z.string().describe('Id of the destination. `campaign` is the webhook of that name.');

export const attemptStatus = z
  .enum(['delivered', 'failed', 'dead'])
  .describe('failed: it is tried again at nextAttemptAt. dead: it was given up and is a dead letter.');
export type AttemptStatus = z.infer<typeof attemptStatus>;
export const attemptStatusFilter = z
  .enum([...attemptStatus.options, 'not_delivered'])
  .describe('not_delivered: failed or dead.');
export type AttemptStatusFilter = z.infer<typeof attemptStatusFilter>;

export const eventType = z.enum(namesOf(EVENT_TYPES));
export type EventType = z.infer<typeof eventType>;

/** One delivery attempt as `GET /v3/webhook/deliveries` lists it. Times are ISO 8601. */
export const deliveryAttempt = z.object({
  id: z.string(),
  time: z.string().describe('When it was sent (ISO 8601).'),
  kind: z.enum(['transactional', 'campaign', 'test']),
  module: eventModule.optional().describe('Of a test, if it is known.'),
  shape: sentShape.optional().describe('How the request carried events. Of a test, if it is known.'),
  destination: destinationId.optional().describe('Id of the destination, or campaign. Of a test, if it is known.'),
  subscription: z
    .string()
    .optional()
    .describe('The same as destination, of a transactional one with the shape single.'),
  address: z.string(),
  webhookId: z.string().optional().describe('The header `webhook-id` of the request.'),
  events: z.int().describe('How many events the request carried.'),
  types: z.array(eventType).optional().describe('The types of these events.'),
  attempt: z.int().describe('Number of the attempt, from 1.'),
  status: attemptStatus,
  httpStatus: z.int().optional().describe('Absent: no reply came.'),
  durationMs: z.number(),
  error: sentenceField().optional().describe('What went wrong, in a sentence.'),
  unconfirmed: z
    .int()
    .optional()
    .describe('How many of its events the receiver left out of its acknowledgement. Absent if it took all or none.'),
  nextAttemptAt: z.string().optional().describe('ISO 8601.'),
  split: z
    .object({
      id: z.string().describe('The same for all of these requests.'),
      attempt: z.int().describe('The attempt that carried the whole batch.'),
      requests: z
        .int()
        .optional()
        .describe('With split=first and without a cursor: how many smaller requests are in the log.'),
    })
    .optional()
    .describe('Present if the request was one of the smaller ones that a refused or too large batch is split in.'),
});
export type DeliveryAttempt = z.infer<typeof deliveryAttempt>;

/** What a page of attempts has besides them. */
export const deliveredSince = z
  .string()
  .optional()
  .describe(
    'Delivered attempts up to this time (ISO 8601) are missing, because the log had no room for them. ' +
      'Absent: none of the last 7 days is missing for that reason.',
  );
export interface DeliveriesPage extends Page<DeliveryAttempt> {
  readonly deliveredSince?: string;
}

/** The request of an attempt. */
export const attemptRequest = z.object({
  method: z.literal('POST'),
  headers: z
    .record(z.string(), z.string())
    .describe(
      'Its headers. `webhook-signature` is made again with the signing secrets in force, and absent without `body` ' +
        'or if their number has changed since.',
    ),
  signatures: z.int().describe('How many signatures `webhook-signature` had: one for each signing secret.'),
  bytes: z.int().describe('Size of its body.'),
  body: z
    .string()
    .optional()
    .describe(
      'Its body, byte for byte. Absent: Mailhook no longer holds all of its events, and `DELIVERED_BODY_RETENTION` ' +
        'does not keep it.',
    ),
  isRepeated: z
    .literal(true)
    .optional()
    .describe('Present if it was sent twice, because a kept connection broke before the first byte of a reply.'),
});
export type AttemptRequest = z.infer<typeof attemptRequest>;

/** The part of a reply that the attempt log keeps. */
export const attemptReply = z.object({
  status: z.int(),
  headers: z
    .record(z.string(), z.string())
    .describe(
      'content-type, content-length, content-encoding, location, retry-after, server, sg-captcha, cf-mitigated. At ' +
        'most 200 characters each.',
    ),
  body: z
    .string()
    .describe('The start of the body as text, with escapes such as \x1b for control characters. Empty if compressed.'),
  isBodyWhole: z.boolean().describe('false: only a part of the body was kept.'),
});
export type AttemptReply = z.infer<typeof attemptReply>;

/**
 * An attempt as `GET /v3/webhook/deliveries/{id}` shows it. Mailhook keeps replies only of failed attempts and of
 * tests.
 */
export const deliveryAttemptDetail = deliveryAttempt.extend({
  wasSent: z
    .boolean()
    .optional()
    .describe('false: no connection was made, so nothing was sent. Absent after an internal error.'),
  request: attemptRequest.optional().describe('Only if wasSent.'),
  reply: attemptReply.optional().describe('Absent if none came or none was kept.'),
  eventKeys: z
    .array(z.string())
    .optional()
    .describe(
      'What names its events, as requests do: their id, or in version 1 hash or messageId. Those that were not ' +
        'confirmed come first; of a delivered attempt at most 20. Absent if wasSent is absent.',
    ),
  held: z
    .object({
      state: z
        .enum(['resend', 'dead', 'unknown'])
        .describe('unknown: there are too many resends or dead letters to search them all. payloads is empty then.'),
      deadLetter: z.string().optional().describe('Its id.'),
      payloads: z.array(z.record(z.string(), z.unknown())).describe('The events, as they were last sent.'),
    })
    .optional()
    .describe('Its events that Mailhook still holds. Absent: delivered since, discarded or expired.'),
  batchAttempts: z
    .array(deliveryAttempt)
    .optional()
    .describe(
      'The kept attempts at the same batch, oldest first, this one included. After a partial acknowledgement: ' +
        'those at the first event that was not confirmed. Absent: of a test.',
    ),
});
export type DeliveryAttemptDetail = z.infer<typeof deliveryAttemptDetail>;

/** Dead letters, and their jobs on Bull Board, are kept for this long. */
export const DEAD_LETTERS_KEPT_MS = 7 * 86_400_000;

/** A dead letter as `GET /v3/webhook/dead-letters` lists it. */
export const deadLetter = z.object({
  id: z.string(),
  time: z.string(),
  ...mechanismFields,
  destination: destinationId,
  address: z.string(),
  events: z.int().describe('How many events it holds.'),
  attempts: z.int().describe('How often it was tried.'),
  error: sentenceField().describe('Of the last attempt.'),
});
export type DeadLetter = z.infer<typeof deadLetter>;

/** Dead letters of one destination that have the same cause. */
export const deadLetterGroup = z.object({
  id: z.string().describe('Names the group in a redrive or a discard.'),
  cause: z.string().describe('The same for all errors that differ only in numbers or quoted texts.'),
  destination: destinationId,
  ...mechanismFields,
  shape: sentShape.describe('Of the newest dead letter.'),
  error: sentenceField().describe('Of the newest dead letter.'),
  deadLetters: z.int(),
  events: z.int(),
  oldest: z.string().describe('When the oldest was given up (ISO 8601). Dead letters are kept for 7 days.'),
});
export type DeadLetterGroup = z.infer<typeof deadLetterGroup>;

/** The reply of `GET /v3/webhook/dead-letters/groups`, those with the most events first. */
export const deadLetterGroups = z.object({
  items: z.array(deadLetterGroup),
  isComplete: z.boolean().describe('False: only the newest 5,000 dead letters were counted.'),
});
export type DeadLetterGroups = z.infer<typeof deadLetterGroups>;

/** The progress of dead letters that are delivered again. All counts are of events. */
const redriveProgress = z.object({
  state: z
    .enum(['running', 'ended', 'stopped', 'interrupted'])
    .describe(
      'running: more dead letters are being redriven. ended: all were redriven, or had to stay. stopped: by a ' +
        'person. interrupted: the process that redrove them ended. After stopped and interrupted, the rest are still ' +
        'dead letters.',
    ),
  left: z.int().describe('Not redriven yet.'),
  startedAt: z.string().describe('When the first of them were redriven (ISO 8601).'),
  waiting: z.int().describe('On the way: new attempts are due or in flight.'),
  delivered: z.int(),
  failed: z.int().describe('Dead letters again.'),
  returned: z.int().describe('Never sent before. They are waiting events of their destination again.'),
});
export type RedriveProgress = z.infer<typeof redriveProgress>;

/** What `GET /v3/webhook/dead-letters` says beside its page. */
export const deadLetterSummary = z.object({
  total: z.int().describe('How many dead letters the account has.'),
  redriven: redriveProgress.optional().describe('Absent if nothing was redriven in the last day.'),
});
export type DeadLetterSummary = z.infer<typeof deadLetterSummary>;

/** A dead letter as `GET /v3/webhook/dead-letters/{id}` shows it. */
export const deadLetterDetail = deadLetter.extend({
  webhookId: z.string().optional().describe('The header `webhook-id` of its requests. Absent if it was never sent.'),
  payloads: z.array(z.record(z.string(), z.unknown())).describe('Its events, as they were sent or would be sent.'),
  history: z.array(deliveryAttempt).describe('The kept attempts with its first event, newest first.'),
});
export type DeadLetterDetail = z.infer<typeof deadLetterDetail>;

const selectedIds = z.array(z.string().min(1).max(200)).min(1).max(1000);
const selectedGroups = z.array(z.string().min(1).max(200)).min(1).max(200);
export const redriveInput = z.strictObject({
  ids: selectedIds.optional().describe("Absent, like groups: all of the account's."),
  groups: selectedGroups.optional().describe('Ids of groups. Only their dead letters.'),
  from: z.iso.datetime({ offset: true }).optional().describe('Only dead letters given up since then (ISO 8601).'),
});
export const ownDiscardInput = redriveInput
  .refine(({ ids, groups }) => ids !== undefined || groups !== undefined, {
    path: ['groups'],
    message: 'is required unless ids is given',
  })
  .meta({ minProperties: 1 });
export const discardResult = z.object({ deadLetters: z.int(), events: z.int() });
export type DiscardResult = z.infer<typeof discardResult>;
export const redriveResult = z.object({
  redriven: z.int(),
  inactive: z
    .int()
    .optional()
    .describe('Dead letters that stay, because their destination is off or deleted. Absent if there are none.'),
});
export type RedriveResult = z.infer<typeof redriveResult>;

/** The query parameters that the lists of deliveries and of dead letters share. */
export const pageQuery = z.object({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: z.string().max(200).optional().describe('nextCursor of the page before.'),
});
const queryTime = z.iso.datetime({
  offset: true,
  error: 'must be a time such as 2026-01-31T09:00:00Z; in a query, write + as %2B',
});
export const deadLetterListFilter = z.object({
  destination: z.string().max(100).optional().describe('Id of a destination, or campaign.'),
  cause: z.string().max(100).optional().describe('Of a group.'),
  from: queryTime.optional().describe('Only dead letters given up at or after this time (ISO 8601).'),
});
export type DeadLetterListFilter = z.infer<typeof deadLetterListFilter>;
export const deadLettersQuery = pageQuery.extend(deadLetterListFilter.shape);
export const deliveriesQuery = pageQuery.extend({
  destination: z.string().max(100).optional().describe('Id of a destination, or campaign.'),
  status: attemptStatusFilter.optional(),
  type: eventType.optional().describe('Only attempts that carried an event of this type.'),
  kind: z.literal('test').optional().describe('test: only tests.'),
  reply: z
    .string()
    .regex(/^(?:[1-5]\d\d|[1-5]xx|none)$/, { error: 'must be a status such as 503, 5xx for all such ones, or none' })
    .optional()
    .describe('Only attempts with this status, such as `503`, with one of `5xx`, or with no reply: `none`.'),
  attempt: z
    .enum(['first', 'later'])
    .optional()
    .describe('first: only the first attempt at each batch. later: only repeated ones.'),
  text: z
    .string()
    .max(200)
    .optional()
    .describe('Only attempts whose kept reply holds this text, in any case. One call reads a limited number of rows.'),
  from: queryTime.optional().describe('Only attempts at or after this time (ISO 8601).'),
  to: queryTime.optional().describe('Only attempts before this time (ISO 8601).'),
  split: z
    .literal('first')
    .optional()
    .describe('first: of the requests that a batch was split in, only the first one is listed.'),
});

/** Query of `GET /v3/webhook/events`: exactly one of its fields. */
export const eventQuery = z
  .object({
    id: z.string().min(1).max(100).optional().describe('Of an event of version 2.'),
    hash: z.string().min(10).max(50).optional(),
    messageId: z.string().min(1).max(1000).optional(),
    webhookId: z.string().min(5).max(200).optional().describe('The header `webhook-id` of a request.'),
    email: z
      .string()
      .min(3)
      .max(1000)
      .optional()
      .describe('Of the recipient, in any case. Notifications of version 1 name none.'),
  })
  .refine((query) => Object.values(query).filter((value) => value !== undefined).length === 1, {
    path: ['hash'],
    message: 'is required unless id, messageId, webhookId or email is given; give only one of them',
  })
  .meta({ minProperties: 1, maxProperties: 1 });
export type EventQuery = z.infer<typeof eventQuery>;

/** The delivery state of one event at one destination. Times are ISO 8601. */
export const eventTrace = z.object({
  destination: destinationId,
  state: z.enum(['waiting', 'in_flight', 'resend', 'dead', 'delivered', 'failed']),
  attempts: z.int().describe('Attempts made, the one in progress included.'),
  acceptedAt: z.string().optional(),
  nextAttemptAt: z.string().optional(),
  deliveredAt: z.string().optional(),
  discardedAt: z
    .string()
    .optional()
    .describe('Of a failed one: when it was deleted, by a person, with its destination or by an erasure.'),
  deadLetter: z.string().optional().describe('Its id.'),
  error: sentenceField().optional(),
  id: z.string().optional().describe('Of an event of version 2, if it is known.'),
  hash: z.string().optional().describe('Of an event of version 1, after a search by email, if it is known.'),
  type: eventType.optional().describe('Of an event of version 2, or after a search by email, if it is known.'),
});
export type EventTrace = z.infer<typeof eventTrace>;

/**
 * The reply of `GET /v3/webhook/events`. Without items, the event was not found in the searched part, which `searched`
 * describes.
 */
export const eventTraces = z.object({
  items: z.array(eventTrace),
  attempts: z.array(deliveryAttempt),
  searched: z.string(),
  isComplete: z
    .boolean()
    .describe('False: Mailhook holds more events than it searched, and the event may be among the others.'),
});
export type EventTraces = z.infer<typeof eventTraces>;
