import { z } from 'zod';

/** The two mechanisms of the spec; every engine key, queue and metric is of one kind. */
export const mechanism = z.enum(['transactional', 'campaign']);
export type Mechanism = z.infer<typeof mechanism>;

export const attemptStatus = z.enum(['delivered', 'failed', 'dead']);
export type AttemptStatus = z.infer<typeof attemptStatus>;

/** One delivery attempt as `GET /v3/webhook/deliveries` lists it. Times are ISO 8601. */
export const deliveryAttempt = z.object({
  id: z.string(),
  time: z.string(),
  kind: z.enum(['transactional', 'campaign', 'test']),
  subscription: z.string().optional(),
  address: z.string(),
  /** How many events the request carried. */
  events: z.int(),
  attempt: z.int(),
  status: attemptStatus,
  httpStatus: z.int().optional(),
  durationMs: z.number(),
  error: z.string().optional(),
  nextAttemptAt: z.string().optional(),
});
export type DeliveryAttempt = z.infer<typeof deliveryAttempt>;

/** A delivery that was given up, as `GET /v3/webhook/dead-letters` lists it. `events` is a count. */
export const deadLetter = z.object({
  id: z.string(),
  time: z.string(),
  kind: mechanism,
  address: z.string(),
  events: z.int(),
  attempts: z.int(),
  error: z.string(),
});
export type DeadLetter = z.infer<typeof deadLetter>;

export const redriveInput = z.object({ ids: z.array(z.string().min(1).max(200)).min(1).max(1000).optional() });
export const redriveResult = z.object({ redriven: z.int() });

/** Query of the two lists. */
export const pageQuery = z.object({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: z.string().max(200).optional(),
});
export const deliveriesQuery = pageQuery.extend({
  /** A subscription id, or `campaign`. */
  destination: z.string().max(100).optional(),
  status: attemptStatus.optional(),
});
export type DeliveriesQuery = z.infer<typeof deliveriesQuery>;

/** Query of `GET /v3/webhook/events`: exactly one of the two. */
export const eventQuery = z
  .object({ hash: z.string().min(10).max(50).optional(), messageId: z.string().min(1).max(1000).optional() })
  .refine(({ hash, messageId }) => (hash === undefined) !== (messageId === undefined), {
    path: ['hash'],
    message: 'give either hash (a campaign event) or messageId (a transactional one)',
  });

/** Where one event is on its way to one destination. Times are ISO 8601. */
export const eventTrace = z.object({
  /** A subscription id, or `campaign`. */
  destination: z.string(),
  state: z.enum(['waiting', 'in_flight', 'resend', 'dead', 'delivered', 'failed']),
  /** Attempts made, the one under way included. */
  attempts: z.int(),
  acceptedAt: z.string().optional(),
  nextAttemptAt: z.string().optional(),
  deliveredAt: z.string().optional(),
  deadLetter: z.string().optional(),
  error: z.string().optional(),
});
export type EventTrace = z.infer<typeof eventTrace>;

/** Answer of `GET /v3/webhook/events`. No items: not known within what was searched. */
export const eventTraces = z.object({
  items: z.array(eventTrace),
  attempts: z.array(deliveryAttempt),
  searched: z.string(),
});
export type EventTraces = z.infer<typeof eventTraces>;
