/** The queue cannot take the request now: Redis is away. No event was enqueued, unless only the reply was lost. */
export class QueueUnavailableError extends Error {
  override readonly name: string = 'QueueUnavailableError';
}

/** Redis nears its memory limit. No event was enqueued. */
export class QueueFullError extends QueueUnavailableError {
  override readonly name = 'QueueFullError';
  constructor() {
    super('Redis nears its memory limit');
  }
}

/** The requests in progress leave no memory for another one in this process. No event was enqueued. */
export class QueueBusyError extends QueueUnavailableError {
  override readonly name = 'QueueBusyError';
  constructor() {
    super('too many events are being written to the queue at the moment');
  }
}

/**
 * An account holds more than `WAITING_MAX_EVENTS` or `WAITING_MAX_BYTES`, or more than the free memory of Redis. No
 * event of the request was enqueued.
 */
export class TooManyWaitingError extends Error {
  override readonly name = 'TooManyWaitingError';
  readonly account: string;
  constructor(account: string) {
    super(`account ${account} has too many events waiting`);
    this.account = account;
  }
}

/**
 * The events of one request exceed `FAN_OUT_MAX`, in deliveries (one per event and destination) or in their bytes. No
 * event of the request was enqueued.
 */
export class FanOutTooLargeError extends Error {
  override readonly name = 'FanOutTooLargeError';
  /** Least number of requests to split the events into. */
  readonly parts: number;
  constructor(excess: number) {
    super('the events of one request make too many deliveries, or too many bytes in all deliveries, for one job');
    this.parts = Math.ceil(excess);
  }
}
