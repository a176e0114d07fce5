import type {
  AttemptStatus,
  DeadLetter,
  DeliveryAttempt,
  Destination,
  EventTraces,
  Exchange,
  Mechanism,
  ProducerEvent,
  TraceContext,
} from '@mailhook/core';

/** What the services see of the engine. */

/** The queue cannot take the request now (Redis away, or near its memory limit). Nothing of it was enqueued, as far as can be known. */
export class QueueUnavailableError extends Error {
  override readonly name = 'QueueUnavailableError';
}

/** An account holds more than `WAITING_MAX_EVENTS` or `WAITING_MAX_BYTES`, or more than the free memory of Redis. No event of the request was enqueued. */
export class TooManyWaitingError extends Error {
  override readonly name = 'TooManyWaitingError';
  readonly account: string;
  constructor(account: string) {
    super(`account ${account} has too many events waiting`);
    this.account = account;
  }
}

/** A request's events have so many destinations that it cannot be one job. Nothing of it was enqueued. */
export class FanOutTooLargeError extends Error {
  override readonly name = 'FanOutTooLargeError';
  /** So many requests would do. */
  readonly parts: number;
  constructor(excess: number) {
    super('the events of one request have too many destinations to be one job');
    this.parts = Math.ceil(excess);
  }
}

/** A valid event and the ids of the destinations that get it (may be none). */
export interface RoutedEvent {
  readonly event: ProducerEvent;
  readonly destinations: readonly string[];
}

export interface Publisher {
  /**
   * Resolves when every event is durably enqueued; rejects with QueueUnavailableError, TooManyWaitingError or FanOutTooLargeError, and then none is.
   * Requests that arrive while a write is under way share the next one (group commit, no timer).
   * `chunkId` makes a repeated call with the same events idempotent (Redis-fed producers), whatever their destinations are by then; the limits are
   * its caller's to keep, who knows whether it is a repeated one. Absent, each call is a new request.
   * `trace` travels with the events: the attempts at their delivery are spans of it, or linked to it.
   */
  publish(events: readonly RoutedEvent[], chunkId?: string, trace?: TraceContext): Promise<void>;
  /** Whether these events were published with this id: the job waits still, or was done in the last hour. Rejects when Redis cannot be asked. */
  hasPublished(events: readonly RoutedEvent[], chunkId: string): Promise<boolean>;
  /** Whether the account has too many events waiting; half a second late at most. */
  isOverfull(account: string): boolean;
  close(): Promise<void>;
}

/** The destinations as the workers see them. */
export interface DestinationRegistry {
  /** Writes the record (never an older version over a newer one), and wakes or stops its mail as needed. Resolves when every worker's next step sees it. */
  save(destination: Destination): Promise<void>;
  /** Marks the destination as deleted: what waits for it is dropped and counted. */
  remove(destination: Pick<Destination, 'id' | 'kind' | 'account'>): Promise<void>;
}

export interface Page<Item> {
  readonly items: Item[];
  readonly nextCursor?: string;
}

export interface PageQuery {
  readonly limit: number;
  readonly cursor?: string | undefined;
}

export interface DeadLetterFilter {
  /** Absent: all accounts (operators). */
  readonly account?: string | undefined;
  readonly address?: string | undefined;
  readonly ids?: readonly string[] | undefined;
}

export interface DeadLetterBox {
  /** Newest first. */
  list(
    filter: Pick<DeadLetterFilter, 'account'>,
    page: PageQuery,
  ): Promise<Page<DeadLetter & { readonly account: string }>>;
  /** Puts them back on their way, paced; they leave the list and their `attempt` goes on. Returns how many. */
  redrive(filter: DeadLetterFilter): Promise<number>;
  /** Deletes them for good, a page at a time: for an operator whose Redis is full. What comes in meanwhile may stay. */
  discard(filter: DeadLetterFilter): Promise<Discarded>;
}

/** What was deleted: letters, and the events in them. */
export interface Discarded {
  readonly letters: number;
  readonly events: Readonly<Record<Mechanism, number>>;
}

/** One attempt as the engine records it. */
export interface AttemptRecord extends DeliveryAttempt {
  readonly account: string;
  /** Hashes or `messageId`s of the events it carried, to find it by; kept as fingerprints. */
  readonly eventKeys: readonly string[];
  /** Of a partly acknowledged batch: those of the events that stay unconfirmed. */
  readonly unconfirmedKeys?: readonly string[];
}

export interface AttemptLog {
  /** Off the hot path: buffered and written in groups; delivered ones may be dropped under overload, which is counted. */
  record(attempt: AttemptRecord): void;
  /** Whether a delivered attempt of the account would be kept now; if not, it is counted as dropped and need not be made. */
  takesDelivered(account: string): boolean;
  /** Newest first. `destination`: a subscription id, or `campaign`. */
  list(
    account: string,
    query: PageQuery & { readonly destination?: string | undefined; readonly status?: AttemptStatus | undefined },
  ): Promise<Page<DeliveryAttempt>>;
  /**
   * Kept attempts that carried an event with this hash or `messageId`, newest first. Found by a fingerprint of 32 bits: a stranger is
   * taken for it once in four billion comparisons.
   */
  find(account: string, eventKey: string): Promise<DeliveryAttempt[]>;
  /** Which of these subscriptions had a 410 as their newest attempt, and when (ISO 8601). */
  goneSince(account: string, subscriptions: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Writes what is buffered. */
  close(): Promise<void>;
}

/** Tells where an event is (see `EventTraces`). */
export interface EventFinder {
  /** `destinations` are the account's. */
  find(
    account: string,
    wanted: { readonly hash: string } | { readonly messageId: string },
    destinations: readonly string[],
  ): Promise<EventTraces>;
}

export interface OutgoingRequest {
  readonly address: string;
  readonly body: string;
  /** Beyond Content-Type and User-Agent, which the client sets. */
  readonly headers: Readonly<Record<string, string>>;
  /** Whether the outcome needs the reply's body; if not, it is discarded unread. */
  readonly needsBody: boolean;
  /** Through it the caller can end the request. */
  readonly handle?: RequestHandle | undefined;
}

/** A request that can be ended before its deadline. */
export interface RequestHandle {
  /** Ends the request. Its exchange resolves as `cut` if it is still unresolved. Set while the request is in flight. */
  cut: (() => void) | undefined;
}

/** What is known of an exchange, whatever became of it. */
export interface ExchangeFacts {
  readonly durationMs: number;
  /** Whether it went over a connection that had carried another one before. */
  readonly isConnectionReused: boolean;
}

/** Sends one request under the whole-exchange deadline; never throws for what a receiver does. */
export interface ReceiverClient {
  post(request: OutgoingRequest): Promise<Exchange & ExchangeFacts>;
  /** Requests under way now. */
  readonly pending: number;
  close(): Promise<void>;
}

export type { Mechanism };
