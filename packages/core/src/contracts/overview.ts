import { z } from 'zod';
import { sentenceField } from './sentence-field.ts';
import { mechanism, mechanismFields } from './delivery.ts';
import { destinationHealth, destinationStatus } from './destination-status.ts';
import type { Frozen } from './frozen.ts';

/** A worker without a heartbeat keeps its destinations for this long. */
export const LEASE_MS = 2500;

/** Time between two heartbeats of a worker. */
export const HEARTBEAT_MS = 500;

/** Most resends of a destination that are read. */
export const RESENDS_READ = 100;

export const time = z.string().describe('ISO 8601, in UTC.');
export const count = z.int();

/** Without recipients' data. */
export const destinationView = z
  .object({
    id: z.string().describe('Its id, or campaign-<account>.'),
    ...mechanismFields,
    account: z.string(),
    address: z.string(),
    state: z
      .enum(['inactive', 'paused', 'parked', 'sending', 'waiting', 'idle'])
      .describe(
        'paused by a person, parked by its breaker, sending (owned by a worker), waiting for a worker or a resend, ' +
          'idle without events.',
      ),
    waiting: count.describe('New events that are not in flight, and the events of all resends.'),
    undelivered: count.describe('`waiting`, and the new events in flight.'),
    resends: count.describe('Failed batches and notifications that are sent again.'),
    inFlight: count.describe('Batches and notifications in flight.'),
    failures: count.describe('Failures in a row.'),
    lastHour: destinationStatus.shape.lastHour,
    health: destinationHealth.describe('The state that its customer sees.'),
    isTried: z.boolean().describe('Whether something was sent to it in the last 7 days.'),
    /** `open`: parked, only due resends are sent. `half-open`: the parking has ended, the next attempt decides. */
    breaker: z.enum(['closed', 'open', 'half-open']),
    inactiveReason: sentenceField().optional(),
    parkedUntil: time.optional(),
    pausedUntil: time.optional(),
    pausedBy: z.enum(['customer', 'operator']).optional(),
    nextResendAt: time.optional(),
    oldestWaitingAt: time
      .optional()
      .describe('When the oldest waiting event was accepted. With over 100 resends, it may be earlier.'),
    lastError: sentenceField().optional().describe('With masked addresses of recipients.'),
  })
  .describe('A destination as operators see it.');
export type DestinationView = Frozen<z.infer<typeof destinationView>>;

export const workerView = z.object({
  id: z.string(),
  kind: mechanism,
  shard: count,
  /** Null for a worker without a heartbeat yet, like `pid`. */
  host: z.string().nullable(),
  pid: count.nullable(),
  lastHeartbeatAt: time,
  /** Whether its lease is still valid. A worker that did not give up its lease stays in the list for a day. */
  isAlive: z.boolean(),
  destinations: count.describe(
    'Destinations that it owns. An estimate if more than 10,000 have events, a pause or an open breaker.',
  ),
});
export type WorkerView = Frozen<z.infer<typeof workerView>>;

/** Null if none waits. In a chunk job, an event has no destination yet. */
export const oldestWaiting = z.object({
  kind: mechanism,
  acceptedAt: time.nullable(),
  destination: z.string().nullable(),
});

export const oldestReady = z.object({ kind: mechanism, acceptedAt: time.nullable() });

export const destinationCount = z.object({ kind: mechanism, busy: count, parked: count });

export const chunkJobs = z.object({ kind: mechanism, waiting: count, active: count, oldestAt: time.nullable() });
export type ChunkJobs = Frozen<z.infer<typeof chunkJobs>>;

/**
 * The state of the whole installation, from one reading: the totals count what the list holds, and what did not fit
 * into it.
 */
export const overview = z.object({
  time,
  shards: count.describe('`QUEUE_SHARDS`. Every shard needs a worker of each mechanism.'),
  oldestWaiting: z
    .array(oldestWaiting)
    .describe('When the oldest undelivered event of each mechanism was accepted, of those that the report reads.'),
  oldestReady: z
    .array(oldestReady)
    .describe('Since when the oldest event that could be sent now waits for a worker, per mechanism.'),
  totals: z.object({
    waiting: count.describe('Undelivered events, without those in chunk jobs.'),
    resends: count,
    /** With an open breaker, or with a half-open one and events. */
    parked: count,
    parkedEmpty: count.describe('Parked destinations without events.'),
    paused: count,
    late: count.describe('Other destinations with an event older than a minute.'),
    deadLetters: count,
    isComplete: z
      .boolean()
      .describe(
        'False: there are more destinations than the report reads. late and parkedEmpty are then lower bounds.',
      ),
  }),
  destinations: z
    .array(destinationCount)
    .describe(
      'Destinations with undelivered events, an open or half-open breaker, or a pause (`busy`), and parked ones.',
    ),
  attemptLog: z
    .object({
      bytes: count.describe('Of the packed rows of delivered attempts, of all accounts.'),
      deliveredSince: time
        .nullable()
        .describe('Delivered attempts up to this time are missing, because the log had no room. Null: of none.'),
    })
    .describe('The log of delivered attempts. An account may have less, because of its own limits.'),
  chunkJobs: z.array(chunkJobs).describe('Accepted events that are not in a mailbox yet.'),
  workers: z.array(workerView),
  attention: z.array(destinationView).describe('Destinations that are parked with events, paused or late.'),
});
export type Overview = Frozen<z.infer<typeof overview>>;
