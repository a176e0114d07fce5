import type { ProducerEvent } from './events.ts';

export interface BufferOptions {
  /** Events that are sent as soon as there are so many. Default 1,000. */
  readonly flushAt?: number;
  /** Longest time that an event waits for others, in milliseconds. Default 100. */
  readonly flushAfterMs?: number;
  /** Most events that wait or are being sent. Then `add` waits. Default 100,000. */
  readonly bufferMax?: number;
  /**
   * Gets the events of a request that failed, after its retries. Without it, `flush` and `close` reject with the first
   * failure.
   */
  readonly onError?: (error: Error, events: readonly ProducerEvent[]) => void;
}

/** Collects single events into requests. */
export interface EventBuffer {
  /**
   * Resolves when the event is in the buffer, which is at once unless the buffer is full. A process that dies loses the
   * buffer, so call `close` before it ends. Rejects with `InvalidEventsError` if the event is not valid, and after
   * `close`.
   */
  readonly add: (event: ProducerEvent) => Promise<void>;
  /** Resolves when every event added until now is durably enqueued. */
  readonly flush: () => Promise<void>;
}

export class ProducerClosedError extends Error {
  constructor() {
    super('The producer is closed: create another one to send more events.');
  }
}

/** Sends buffered events in order, one request at a time. `send` rejects when it gives up. */
export function createEventBuffer(
  send: (events: readonly ProducerEvent[]) => Promise<unknown>,
  check: (events: readonly ProducerEvent[]) => void,
  options: BufferOptions,
): EventBuffer & { close(): Promise<void> } {
  const { flushAt = 1000, flushAfterMs = 100, bufferMax = 100_000, onError } = options;
  let waiting: ProducerEvent[] = [];
  let inProgress = 0;
  let failure: Error | undefined;
  let timer: NodeJS.Timeout | undefined;
  let sending: Promise<void> = Promise.resolve();
  let isClosed = false;
  let wakes: (() => void)[] = [];

  const sendWaiting = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    if (waiting.length === 0) return sending;
    const events = waiting;
    waiting = [];
    inProgress += events.length;
    sending = sending.then(async () => {
      try {
        await send(events);
      } catch (error) {
        if (onError === undefined) failure ??= error as Error;
        else onError(error as Error, events);
      } finally {
        inProgress -= events.length;
        for (const wake of wakes.splice(0)) wake();
      }
    });
    return sending;
  };
  const flush = async (): Promise<void> => {
    await sendWaiting();
    const first = failure;
    failure = undefined;
    if (first !== undefined) throw first;
  };
  return {
    flush,
    async add(event) {
      check([event]);
      while (!isClosed && waiting.length + inProgress >= bufferMax) {
        void sendWaiting();
        await new Promise<void>((resolve) => wakes.push(resolve));
      }
      if (isClosed) throw new ProducerClosedError();
      waiting.push(event);
      if (waiting.length >= flushAt) void sendWaiting();
      else timer ??= setTimeout(() => void sendWaiting(), flushAfterMs);
    },
    async close() {
      isClosed = true;
      for (const wake of wakes.splice(0)) wake();
      wakes = [];
      await flush();
    },
  };
}
