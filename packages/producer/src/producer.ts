import { randomUUID } from 'node:crypto';
import { EVENTS_PER_REQUEST_MAX, fieldErrors, validateEvent } from '@mailhook/core';
import type { BufferOptions, EventBuffer } from './buffer.ts';
import { createEventBuffer, ProducerClosedError } from './buffer.ts';
import type { ProducerEvent } from './events.ts';

/** Options of every producer. */
export interface ProducerOptions extends BufferOptions {
  /** Gives a random `id` to events without one, so that a repeated request duplicates nothing. Default true. */
  readonly addIds?: boolean;
}

/**
 * Sends events to Mailhook.
 *
 * If `send` resolves, every event is durably enqueued. If it rejects with `InvalidEventsError`, it sent nothing. A
 * `SendError` shows how many events, counted from the first one, were accepted before the failure.
 */
export interface Producer extends EventBuffer {
  /**
   * Sends any number of events in order. More than 10,000 become several requests, each accepted as a whole or not at
   * all.
   */
  send(events: readonly ProducerEvent[]): Promise<{ readonly accepted: number }>;
  /** Sends what `add` has buffered, then closes. Rejects with the first failure if there is no `onError`. */
  close(): Promise<void>;
}

/** A producer that sends checked events, which have an id, with `sendAll`. */
export function createProducer(
  sendAll: (events: readonly ProducerEvent[]) => Promise<{ readonly accepted: number }>,
  close: () => Promise<void>,
  { addIds = true, ...options }: ProducerOptions,
): Producer {
  const withIds = (events: readonly ProducerEvent[]): readonly ProducerEvent[] =>
    addIds ? events.map((event) => (event.id === undefined ? { ...event, id: randomUUID() } : event)) : events;
  const buffer = createEventBuffer((events) => sendAll(withIds(events)), assertValidEvents, options);
  let isClosed = false;
  return {
    async send(events) {
      if (isClosed) throw new ProducerClosedError();
      // Not every caller is checked by a compiler.
      if (!Array.isArray(events)) throw new TypeError('send() takes an array of events; use add() for one');
      assertValidEvents(events);
      return sendAll(withIds(events));
    },
    add: buffer.add,
    flush: buffer.flush,
    async close() {
      isClosed = true;
      try {
        await buffer.close();
      } finally {
        await close();
      }
    },
  };
}

/** One fault of one event. `index` counts from 0. `path` is the field (`name`), or empty for the event itself. */
export interface EventFault {
  readonly index: number;
  readonly path: string;
  readonly message: string;
}

/** Some events are invalid, and Mailhook would refuse them. None of the call's events was sent. */
export class InvalidEventsError extends Error {
  override readonly name = 'InvalidEventsError';
  readonly faults: readonly EventFault[];
  constructor(faults: readonly EventFault[]) {
    const shown = faults.slice(0, FAULTS_SHOWN).map((fault) => `  ${faultPath(fault)}: ${fault.message}`);
    const more = faults.length > FAULTS_SHOWN ? [`  and ${faults.length - FAULTS_SHOWN} more`] : [];
    super(['Nothing was sent, because some events are not valid:', ...shown, ...more].join('\n'));
    this.faults = faults;
  }
}

/**
 * A request failed and is not repeated. The first `accepted` events of the call are enqueued. `message` says what is
 * known about the rest.
 */
export class SendError extends Error {
  override readonly name = 'SendError';
  readonly accepted: number;
  /** The HTTP status of the reply. Undefined without a reply, and for queue producers. */
  readonly status: number | undefined;
  constructor(message: string, details: { accepted: number; status?: number | undefined; cause?: unknown }) {
    super(message, { cause: details.cause });
    this.accepted = details.accepted;
    this.status = details.status;
  }
}

const FAULTS_SHOWN = 10;

const faultPath = (fault: EventFault): string => `events[${fault.index}]${fault.path === '' ? '' : `.${fault.path}`}`;

/** Checks every event with the api's own schema and texts before any event is sent. @throws InvalidEventsError */
export function assertValidEvents(events: readonly unknown[]): void {
  const faults = events.flatMap((event, index): EventFault[] => {
    const result = validateEvent(event);
    return 'value' in result ? [] : fieldErrors(result.errors).map((fault) => ({ index, ...fault }));
  });
  if (faults.length > 0) throw new InvalidEventsError(faults);
}

/** Consecutive events of a call, with their JSON. */
export interface EventSlice {
  readonly events: readonly ProducerEvent[];
  /** The events as a JSON array. */
  readonly json: string;
  /** Whether every event has an `id`, so that a repeated request cannot deliver twice. */
  readonly isRepeatable: boolean;
}

/**
 * Splits a call into requests of at most 10,000 events and at most `maxBytes`. A single larger event goes alone, so
 * that the api's refusal names it.
 */
export function* sliceEvents(events: readonly ProducerEvent[], maxBytes: number): Generator<EventSlice> {
  let parts: string[] = [];
  let bytes = 2;
  for (const [index, event] of events.entries()) {
    const json = JSON.stringify(event);
    const size = Buffer.byteLength(json) + 1;
    if (parts.length === EVENTS_PER_REQUEST_MAX || (parts.length > 0 && bytes + size > maxBytes)) {
      yield sliceOf(events.slice(index - parts.length, index), parts);
      parts = [];
      bytes = 2;
    }
    parts.push(json);
    bytes += size;
  }
  if (parts.length > 0) yield sliceOf(events.slice(-parts.length), parts);
}

const sliceOf = (events: readonly ProducerEvent[], parts: readonly string[]): EventSlice => ({
  events,
  json: `[${parts.join(',')}]`,
  isRepeatable: events.every((event) => event.id !== undefined),
});
