import { z } from 'zod';

/** The two delivery mechanisms. Every key, queue and metric of the engine belongs to one of them. */
export const mechanism = z
  .enum(['transactional', 'campaign'])
  .describe('transactional: one notification per request. campaign: batches that are acknowledged event by event.');
export type Mechanism = z.infer<typeof mechanism>;

export const attemptStatus = z
  .enum(['delivered', 'failed', 'dead'])
  .describe('failed: it is tried again at nextAttemptAt. dead: it was given up and is a dead letter.');
export type AttemptStatus = z.infer<typeof attemptStatus>;

/** One delivery attempt as `GET /v3/webhook/deliveries` lists it. Times are ISO 8601. */
export const deliveryAttempt = z.object({
  id: z.string(),
  time: z.string().describe('When it was sent (ISO 8601).'),
  kind: z.enum(['transactional', 'campaign', 'test']),
  subscription: z.string().optional().describe('Of notifications: the id of the subscription.'),
  address: z.string(),
  events: z.int().describe('How many events the request carried.'),
  attempt: z.int().describe('Number of the attempt, from 1.'),
  status: attemptStatus,
  httpStatus: z.int().optional().describe('Absent: no reply came.'),
  durationMs: z.number(),
  error: z.string().optional().describe('What went wrong, in a sentence.'),
  nextAttemptAt: z.string().optional().describe('ISO 8601.'),
});
export type DeliveryAttempt = z.infer<typeof deliveryAttempt>;

/** A dead letter as `GET /v3/webhook/dead-letters` lists it. */
export const deadLetter = z.object({
  id: z.string(),
  time: z.string(),
  kind: mechanism,
  address: z.string(),
  events: z.int().describe('How many events it holds.'),
  attempts: z.int().describe('How often it was tried.'),
  error: z.string().describe('Of the last attempt.'),
});
export type DeadLetter = z.infer<typeof deadLetter>;

export const redriveInput = z.object({
  ids: z.array(z.string().min(1).max(200)).min(1).max(1000).optional().describe("Absent: all of the account's."),
});
export const redriveResult = z.object({ redriven: z.int() });

/** The query parameters that the lists of deliveries and of dead letters share. */
export const pageQuery = z.object({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: z.string().max(200).optional().describe('nextCursor of the page before.'),
});
export const deliveriesQuery = pageQuery.extend({
  destination: z.string().max(100).optional().describe('A subscription id, or campaign.'),
  status: attemptStatus.optional(),
});

/** Query of `GET /v3/webhook/events`: exactly one of `hash` and `messageId`. */
export const eventQuery = z
  .object({ hash: z.string().min(10).max(50).optional(), messageId: z.string().min(1).max(1000).optional() })
  .refine(({ hash, messageId }) => (hash === undefined) !== (messageId === undefined), {
    path: ['hash'],
    message: 'is required unless messageId is given; give only one of the two',
  });

/** The delivery state of one event at one destination. Times are ISO 8601. */
export const eventTrace = z.object({
  destination: z.string().describe('A subscription id, or campaign.'),
  state: z.enum(['waiting', 'in_flight', 'resend', 'dead', 'delivered', 'failed']),
  attempts: z.int().describe('Attempts made, the one in progress included.'),
  acceptedAt: z.string().optional(),
  nextAttemptAt: z.string().optional(),
  deliveredAt: z.string().optional(),
  deadLetter: z.string().optional().describe('Its id.'),
  error: z.string().optional(),
});
export type EventTrace = z.infer<typeof eventTrace>;

/** The reply of `GET /v3/webhook/events`. Without items, the event was not found in the searched part, which `searched` describes. */
export const eventTraces = z.object({
  items: z.array(eventTrace),
  attempts: z.array(deliveryAttempt),
  searched: z.string(),
});
export type EventTraces = z.infer<typeof eventTraces>;
