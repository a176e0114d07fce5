import { z } from 'zod';
import { EVENTS_PER_REQUEST_MAX } from './producer-event.ts';
import { eventModule } from './destination-settings.ts';
import { mechanism } from './delivery.ts';
import type { Mechanism } from './delivery.ts';

/** The queue that producers feed directly. Its prefix is exactly `QUEUE_PREFIX`. */
export const EMAIL_EVENTS_QUEUE = 'email-events';
/** Rejected events of `email-events` jobs. Each is a waiting job with its errors, kept for 7 days. */
export const REJECTED_EVENTS_QUEUE = 'email-events-rejected';
/** The queue of rejected events keeps each for this long. */
export const REJECTED_KEPT_MS = 7 * 86_400_000;
/** Deactivations after a receiver's 410, which the api writes to its store. */
export const DEACTIVATIONS_QUEUE = 'destination-deactivations';

/** Alerts on their way to e-mails, and the e-mails that are not sent yet. */
export const ALERTS_QUEUE = 'alerts';
/** Failed e-mails are kept for this long. */
export const ALERTS_KEPT_MS = 7 * 86_400_000;

/** The engine's queues for one mechanism. Their prefix is `{QUEUE_PREFIX:shard}`. */
export const engineQueues = (kind: Mechanism) =>
  ({
    /** Accepted events on their way into mailboxes. */
    chunks: `${kind}-chunks`,
    /** Wake-up jobs for resends, delayed until the resend is due. */
    resends: `${kind}-resends`,
    /** Wake-up jobs for parked destinations. */
    parks: `${kind}-parks`,
    /** Dead letters as failed jobs. Retrying such a job re-drives its dead letter. */
    deadLetters: `${kind}-dead-letters`,
  }) as const;

/**
 * Data of an `email-events` job. The events are validated one by one, because an invalid event must not cause the
 * rejection of others. `traceparent` is the producer's W3C trace context. An invalid one is ignored.
 */
export const emailEventsJob = z.object({
  events: z.array(z.unknown()).min(1).max(EVENTS_PER_REQUEST_MAX),
  traceparent: z.string().optional().catch(undefined),
  mailhook: z
    .object({
      cut: z.int().min(1).optional(),
      apart: z.array(z.string()).optional(),
      refused: z.boolean().optional(),
      heldFor: z.string().optional(),
      undecoded: z.array(z.int()).optional(),
    })
    .optional()
    .catch(undefined),
});

/**
 * The plan that the api saves in an `email-events` job before it publishes the job in parts, so that a second run
 * follows the same plan.
 *
 * `cut` is the number of consecutive events that are published together. `apart` lists the accounts with events that
 * move to separate jobs. `refused` means that all valid events go to `email-events-rejected`. `heldFor` is the account
 * over its limits that the job waits for. `undecoded` lists the positions of events with bytes that are not UTF-8,
 * because saving the job replaces these bytes.
 */
export type EmailEventsNote = NonNullable<z.infer<typeof emailEventsJob>['mailhook']>;

/**
 * The return value of a completed `email-events` job: how many of its events are durably enqueued, and how many are
 * kept in `email-events-rejected`. `moved` counts the events that went on in separate jobs, because their account is
 * over its limits. `errors` has the first 20 rejected events by their index in the job, with the codes and texts of
 * `POST /v3/events`.
 */
export interface EmailEventsResult {
  readonly accepted: number;
  readonly rejected: number;
  readonly moved?: number;
  /** Names of fields that the events have and Mailhook does not know. */
  readonly ignored?: readonly string[];
  readonly errors?: readonly {
    readonly index: number;
    readonly code: 'validation_failed' | 'unknown_account' | 'too_many_waiting';
    readonly detail: string;
  }[];
}

/** Data of an `email-events-rejected` job. */
export const rejectedEventJob = z.object({
  event: z.unknown(),
  errors: z.array(z.object({ path: z.string(), message: z.string() })),
});
export type RejectedEventJob = z.infer<typeof rejectedEventJob>;

/**
 * A group of a chunk: `[mechanism, destination, account, lane, entries, ids, shape]`. The lane is `f` (fresh), `u`
 * (unsubscribes) or `r` (replays).
 *
 * An entry consists of its count of events (4 digits) and the events as they will be sent (`domain/fragment`), joined
 * by line breaks. A transactional entry has one event, and its first line is the notification's `webhook-id`. If the
 * events came with a trace context, its mark (`domain/trace-context`) follows the digits.
 *
 * `ids` are the producer's idempotency keys, each after the event's type and a space, one per event over all
 * entries. An event without a key has ''. If no event has a key, `ids` is null.
 *
 * `destination` is one id, or a list in a large request. Each destination in a list gets all the entries. The
 * `webhook-id` in an entry is then only a stem, to which the worker adds `_` and the destination's position in the
 * list.
 *
 * `shape` is given if events of version 2 leave one by one, by what the destination was at intake.
 */
const chunkGroup = z.tuple([
  mechanism,
  z.union([z.string(), z.array(z.string()).min(2)]),
  z.string(),
  z.enum(['f', 'u', 'r']),
  z.array(z.string().regex(/^\d{4}/)).min(1),
  z.array(z.string()).nullable(),
  z.literal('single').optional(),
]);
export type ChunkGroup = z.infer<typeof chunkGroup>;

/** The version of chunk jobs that this version of Mailhook writes and reads. */
export const CHUNK_VERSION = 1;

/** Data of a chunk job: the events of one group commit. `acceptedAt` is Unix milliseconds. */
export const chunkJob = z.object({
  v: z.literal(CHUNK_VERSION),
  acceptedAt: z.int(),
  groups: z.array(chunkGroup).min(1),
  isCounted: z
    .literal(true)
    .optional()
    .describe('True: all events count as queued for their accounts until the job ends.'),
  isRepeatable: z
    .literal(true)
    .optional()
    .describe('True: the job may be added again after it is done, for a producer that feeds Redis.'),
});
export type ChunkJob = z.infer<typeof chunkJob>;

/** A destination of a logged chunk: its id, the version of its bodies, and whether its events leave one by one. */
const loggedRoute = z.tuple([z.string(), z.union([z.literal(1), z.literal(2)]), z.boolean().optional()]);

/**
 * Events of a logged chunk of one account and module that have the same destinations, which may be none, and the same
 * trace context. Each event is what the producer sent, as `loggedText` writes it.
 */
const loggedSet = z.object({
  account: z.string(),
  module: eventModule,
  to: z.array(loggedRoute),
  trace: z.string().optional(),
  events: z.array(z.string()).min(1),
});
export type LoggedSet = z.infer<typeof loggedSet>;

/**
 * Data of a chunk job while the event log is on. It has each event once, and also those without a destination. The
 * worker makes the groups of a `ChunkJob` of it. The call that ends the job keeps it for the event log.
 */
export const loggedChunkJob = chunkJob.omit({ groups: true }).extend({
  sets: z.array(loggedSet).min(1),
});
export type LoggedChunkJob = z.infer<typeof loggedChunkJob>;

/** Data of a wake-up job for a resend: the destination and the record of the batch. It holds no recipient data. */
export const resendJob = z.object({ v: z.literal(1), destination: z.string(), resend: z.string(), attempt: z.int() });
export type ResendJob = z.infer<typeof resendJob>;

/** Data of a park job: the destination to probe. */
export const parkJob = z.object({ v: z.literal(1), destination: z.string() });
export type ParkJob = z.infer<typeof parkJob>;

/** Data of a dead letter's job: enough for an operator to decide on a re-drive, without recipient data. */
export const deadLetterJob = z.object({
  v: z.literal(1),
  deadLetter: z.string(),
  account: z.string(),
  destination: z.string(),
  kind: mechanism,
  events: z.int(),
  attempts: z.int(),
  error: z.string(),
});
export type DeadLetterJob = z.infer<typeof deadLetterJob>;

/** Data of a deactivation. It applies only while the destination still has this version. */
export const deactivationJob = z.object({
  v: z.literal(1),
  destination: z.string(),
  account: z.string(),
  kind: mechanism,
  version: z.int(),
  reason: z.string(),
});
export type DeactivationJob = z.infer<typeof deactivationJob>;
