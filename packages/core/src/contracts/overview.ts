import type { RecentDeliveries } from '../domain/destination-health.ts';
import type { Mechanism } from './delivery.ts';

/** A worker without a heartbeat keeps its destinations for this long. */
export const LEASE_MS = 2500;

/** Time between two heartbeats of a worker. */
export const HEARTBEAT_MS = 500;

/**
 * `paused` by a person, `parked` by its breaker, `sending` (owned by a worker), `waiting` for a worker or a resend's
 * due time, `idle` without events.
 */
export type DestinationState = 'inactive' | 'paused' | 'parked' | 'sending' | 'waiting' | 'idle';

/**
 * `open`: parked, nothing but due resends is sent. `half-open`: the parking has ended, and the next attempt decides.
 */
export type BreakerPhase = 'closed' | 'open' | 'half-open';

/** A destination as operators see it, without recipients' data. */
export interface DestinationView {
  readonly id: string;
  readonly kind: Mechanism;
  readonly account: string;
  readonly address: string;
  readonly state: DestinationState;
  /**
   * New events that are not in flight, and the events of all resends, those in flight included. An estimate if there
   * are more than 100 resends.
   */
  readonly waiting: number;
  /** `waiting`, and the new events in flight. */
  readonly undelivered: number;
  /** Failed batches and notifications that are sent again, those in flight included. */
  readonly resends: number;
  /** Batches and notifications in flight. */
  readonly inFlight: number;
  /** Failures in a row. */
  readonly failures: number;
  readonly lastHour: RecentDeliveries;
  readonly breaker: BreakerPhase;
  readonly inactiveReason?: string;
  readonly parkedUntil?: string;
  readonly pausedUntil?: string;
  /** With `pausedUntil`. */
  readonly pausedBy?: 'customer' | 'operator';
  /** When the next resend is due. Considers 100 resends at most. */
  readonly nextResendAt?: string;
  /** When the oldest waiting event was accepted. Considers 100 resends at most. */
  readonly oldestWaitingAt?: string;
  /**
   * Error of the last failed attempt, until one succeeds, or else of one of the resends. Recipients' addresses are
   * masked.
   */
  readonly lastError?: string;
}

/** Most resends of a destination that are read. */
export const RESENDS_READ = 100;

/** A worker of one mechanism and shard. */
export interface WorkerView {
  readonly id: string;
  readonly kind: Mechanism;
  readonly shard: number;
  /** Null for a worker without a heartbeat yet. */
  readonly host: string | null;
  readonly pid: number | null;
  readonly lastHeartbeatAt: string;
  /** Whether its lease is still valid. A worker that did not give up its lease stays in the list for a day. */
  readonly isAlive: boolean;
  /**
   * Destinations that it owns. An estimate if its mechanism and shard have more than 10,000 destinations with events.
   */
  readonly destinations: number;
}

/** The chunk jobs of one mechanism: accepted events that are not in a mailbox yet. */
export interface ChunkJobs {
  readonly kind: Mechanism;
  /** Jobs that wait for a worker, and jobs that a worker runs. */
  readonly waiting: number;
  readonly active: number;
  /** When the oldest of the waiting jobs was published. */
  readonly oldestAt: string | null;
}

/**
 * The state of the whole installation, from one reading: the totals count what the list holds, and what did not fit
 * into it.
 */
export interface Overview {
  readonly time: string;
  /** `QUEUE_SHARDS`. Every shard needs a worker of each mechanism. */
  readonly shards: number;
  /**
   * Per mechanism, when the oldest undelivered event was accepted, and its destination. Null when none waits. In a
   * chunk job, it has no destination yet.
   */
  readonly oldestWaiting: readonly {
    readonly kind: Mechanism;
    readonly acceptedAt: string | null;
    readonly destination: string | null;
  }[];
  /**
   * Per mechanism, since when the oldest event that could be sent now waits for a worker: in a chunk job, or in a
   * mailbox. Null when none does.
   */
  readonly oldestReady: readonly { readonly kind: Mechanism; readonly acceptedAt: string | null }[];
  readonly totals: {
    /** Undelivered events, resends and events in flight included, but without those in chunk jobs. */
    readonly waiting: number;
    /** Batches and notifications that failed and wait for their next attempt. */
    readonly resends: number;
    /** Destinations with an open breaker, or with a half-open one and events. */
    readonly parked: number;
    /** Those of `parked` that hold no event. */
    readonly parkedEmpty: number;
    /** Destinations that a person paused. */
    readonly paused: number;
    /** Other destinations with an event older than a minute, of those that one reading considers. */
    readonly late: number;
    readonly deadLetters: number;
    /**
     * False if there are more destinations than one reading considers. `late` and `parkedEmpty` are then lower bounds.
     */
    readonly isComplete: boolean;
  };
  /**
   * Per mechanism, the destinations with undelivered events, an open or half-open breaker, or a pause, and the parked
   * ones (see `totals`).
   */
  readonly destinations: readonly { readonly kind: Mechanism; readonly busy: number; readonly parked: number }[];
  readonly chunkJobs: readonly ChunkJobs[];
  readonly workers: readonly WorkerView[];
  /**
   * Destinations that are parked and hold events, that are paused, or that have events older than a minute. At most 50
   * of each by default, those with the oldest events first.
   */
  readonly attention: readonly DestinationView[];
}
