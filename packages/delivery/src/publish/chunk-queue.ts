import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { TraceContext } from '@mailhook/core';
import type { JobsOptions, Queue } from 'bullmq';
import type { RoutedEvent } from './routed-event.ts';
import { QueueBusyError, QueueUnavailableError } from './errors.ts';
import type { AccountShare } from '../mailbox/commands/publish.ts';
import { ChunkBuilder } from './chunk.ts';
import { sha256 } from './digest.ts';
import type { IntakeSync } from './intake-sync.ts';
import { LoggedChunkBuilder } from './logged-chunk.ts';
import type { EventsSize } from './fan-out.ts';
import { roughChars } from './fan-out.ts';
import { sharesOf } from './shares.ts';

/**
 * A chunk is closed at about this size. A larger request becomes a separate chunk, in which destinations share their
 * events.
 */
const CHUNK_EVENTS_MAX = 10_000;
const CHUNK_CHARS_MAX = 4_000_000;
/** A larger chunk may be written at the same time as another one. Smaller chunks wait and grow. */
const LARGE_CHUNK_CHARS = 200_000;
const WRITES_MAX = 2;
/** Events added to a chunk without a pause. This takes about 10 ms. */
const FILL_AT_ONCE = 5_000;

/**
 * A chunk job is repeated until it is appended, because errors come from the infrastructure. A malformed one stays for
 * the operator.
 */
export const CHUNK_JOB_OPTIONS: JobsOptions = {
  removeOnComplete: true,
  removeOnFail: false,
  attempts: Number.MAX_SAFE_INTEGER,
  backoff: { type: 'fixed', delay: 1000 },
};

/** Unlike `randomBytes`, `randomUUID` asks the system only once for many ids. */
export const newChunkId = (): string => `c${randomUUID().replaceAll('-', '').slice(-24)}`;

/**
 * Counts the characters of all chunks that a process builds and writes. Each character takes several bytes of memory:
 * in the event, the chunk, the job's JSON and the client's buffers. A single chunk always has room, so that large ones
 * are not always refused.
 */
export class CharsInFlight {
  readonly #max: number;
  readonly #waiting: { readonly chars: number; readonly start: () => void }[] = [];
  #chars = 0;

  constructor(max: number) {
    this.#max = max;
  }

  hasRoomFor(chars: number): boolean {
    return this.#chars === 0 || this.#chars + chars <= this.#max;
  }

  add(chars: number): void {
    this.#chars += chars;
  }

  /** Waits for room, in the order of the calls, and adds the characters. */
  async addLater(chars: number): Promise<void> {
    if (this.#waiting.length > 0 || !this.hasRoomFor(chars)) {
      await new Promise<void>((start) => this.#waiting.push({ chars, start }));
    } else {
      this.add(chars);
    }
  }

  remove(chars: number): void {
    this.#chars -= chars;
    for (let next = this.#waiting[0]; next !== undefined && this.hasRoomFor(next.chars); next = this.#waiting[0]) {
      this.#waiting.shift();
      this.add(next.chars);
      next.start();
    }
  }
}

type Builder = ChunkBuilder | LoggedChunkBuilder;

interface Pending {
  readonly builder: Builder;
  readonly priority: number;
  /** Characters that count as in flight for this chunk. */
  chars: number;
  readonly done: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

export interface AddOptions {
  readonly size: EventsSize;
  readonly trace: TraceContext | undefined;
  /** Priority of the job. 0 is none: then nothing of the chunk counts as queued. */
  readonly priority: number;
}

interface SeparateEvents {
  readonly events: readonly RoutedEvent[];
  readonly chars: number;
  readonly trace: TraceContext | undefined;
  readonly priority: number;
  /** Whether the job may be added again after it is done. */
  readonly isRepeatable?: boolean | undefined;
}

interface BuiltJob extends Pick<SeparateEvents, 'priority' | 'isRepeatable'> {
  readonly builder: Builder;
}

const isLarge = ({ deliveries, deliveredLongTextChars }: EventsSize): boolean =>
  deliveries > CHUNK_EVENTS_MAX || roughChars(deliveries, deliveredLongTextChars) > CHUNK_CHARS_MAX;

const sharedChars = (events: readonly RoutedEvent[], { longTextChars }: EventsSize): number =>
  roughChars(events.length, longTextChars);

/** The event log, as one queue sees it. */
export interface QueueLog {
  /** Whether it keeps the events of the next chunk. */
  readonly isOn: () => boolean;
  /** Notes that the chunk is accepted and not in the log yet. */
  readonly open: (chunk: string, acceptedAtMs: number) => Promise<void>;
}

export interface ChunkQueueDeps {
  readonly small: Queue;
  /**
   * The same queue over a separate connection with a longer timeout, so that small writes never wait behind large ones.
   */
  readonly large: Queue;
  /** Of the writes of both connections, if they must be durable. */
  readonly sync: Readonly<Record<'small' | 'large', IntakeSync | undefined>>;
  readonly inFlight: CharsInFlight;
  /** Counts a chunk for its accounts while its job is added. See `OverfullAccounts`. */
  readonly count: (shares: readonly AccountShare[], isCounted: boolean) => Promise<void>;
  readonly log: QueueLog;
}

interface Writer {
  readonly queue: Queue;
  readonly sync: IntakeSync | undefined;
}

/**
 * A queue of chunk jobs. Requests that arrive during a write share the next job. A large request becomes a separate job
 * at once.
 */
export class ChunkQueue {
  readonly #small: Writer;
  readonly #large: Writer;
  readonly #inFlight: CharsInFlight;
  readonly #count: ChunkQueueDeps['count'];
  readonly #log: QueueLog;
  readonly #waiting: Pending[] = [];
  #writes = 0;

  constructor({ small, large, sync, inFlight, count, log }: ChunkQueueDeps) {
    this.#small = { queue: small, sync: sync.small };
    this.#large = { queue: large, sync: sync.large };
    this.#inFlight = inFlight;
    this.#count = count;
    this.#log = log;
  }

  /**
   * Resolves when the events are in the queue. Rejects with QueueUnavailableError, also when too many characters are in
   * flight.
   */
  add(events: readonly RoutedEvent[], { size, trace, priority }: AddOptions): Promise<void> {
    const isSeparate = isLarge(size);
    const chars = isSeparate ? sharedChars(events, size) : roughChars(size.deliveries, size.deliveredLongTextChars);
    if (!this.#inFlight.hasRoomFor(chars)) {
      return Promise.reject(new QueueBusyError());
    }
    this.#inFlight.add(chars);
    if (isSeparate) {
      const builder = this.#newBuilder(newChunkId(), true);
      return this.#addSeparate(builder, { events, chars, trace, priority });
    }
    let pending = this.#waiting.findLast((one) => one.priority === priority);
    if (
      pending === undefined ||
      pending.builder.events + size.deliveries > CHUNK_EVENTS_MAX ||
      pending.builder.chars + chars > CHUNK_CHARS_MAX
    ) {
      pending = newPending(this.#newBuilder(newChunkId(), false), priority);
      this.#waiting.push(pending);
    }
    pending.chars += chars;
    for (const event of events) pending.builder.add(event, trace);
    this.#writeNext();
    return pending.done;
  }

  /** Adds a separate chunk with the caller's id. Waits until there is room for it. */
  async addAlone(
    events: readonly RoutedEvent[],
    chunkId: string,
    { size, trace, priority }: AddOptions,
  ): Promise<void> {
    const chars = sharedChars(events, size);
    await this.#inFlight.addLater(chars);
    const builder = this.#newBuilder(chunkId, isLarge(size));
    await this.#addSeparate(builder, { events, chars, trace, priority, isRepeatable: true });
  }

  keyOf(chunkId: string): string {
    return this.#small.queue.toKey(chunkId);
  }

  /** Writes a separate job. The caller has counted its characters. */
  async #addSeparate(
    builder: Builder,
    { events, chars, trace, priority, isRepeatable }: SeparateEvents,
  ): Promise<void> {
    let counted = chars;
    try {
      await fill(builder, events, trace);
      // The estimate ignores escaped characters.
      this.#inFlight.add(builder.chars - counted);
      counted = builder.chars;
      const { durable } = await this.#addJob(this.#large, { builder, priority, isRepeatable });
      await durable;
    } finally {
      this.#inFlight.remove(counted);
    }
  }

  /** @param isShared see `ChunkBuilder`. A logged chunk always has each event once. */
  #newBuilder(id: string, isShared: boolean): Builder {
    return this.#log.isOn() ? new LoggedChunkBuilder(id) : new ChunkBuilder(id, sha256, { isShared });
  }

  #writeNext(): void {
    const [pending] = this.#waiting;
    if (pending === undefined) return;
    const mostNow = pending.builder.chars > LARGE_CHUNK_CHARS ? WRITES_MAX : 1;
    if (this.#writes >= mostNow) return;
    this.#waiting.shift();
    this.#writes += 1;
    void this.#write(pending).finally(() => {
      this.#writes -= 1;
      this.#writeNext();
    });
  }

  /** Resolves when the next write may begin. The events are in the queue then, and perhaps not durable yet. */
  async #write(pending: Pending): Promise<void> {
    try {
      const { builder, priority } = pending;
      const { durable } = await this.#addJob(this.#small, { builder, priority });
      void durable.then(pending.resolve, pending.reject);
    } catch (error) {
      pending.reject(error as Error);
    } finally {
      this.#inFlight.remove(pending.chars);
    }
  }

  /** Resolves when the job is in the queue, with what rejects or resolves when it is durable. */
  async #addJob({ queue, sync }: Writer, { builder, priority, isRepeatable }: BuiltJob) {
    if (builder.events === 0) return { durable: Promise.resolve() };
    const connection = sync?.connection ?? 0;
    try {
      const chunk = builder.build(Date.now());
      const isCounted = priority > 0;
      if (isCounted) chunk.isCounted = true;
      if (isRepeatable === true) chunk.isRepeatable = true;
      const options = { ...CHUNK_JOB_OPTIONS, jobId: builder.id, ...(isCounted ? { priority } : {}) };
      const note = () =>
        Promise.all([
          'sets' in chunk ? this.#log.open(builder.id, chunk.acceptedAt) : undefined,
          this.#count(sharesOf(chunk), isCounted),
        ]);
      const add = () => queue.add('chunk', chunk, options);
      // A worker must not end a job before it is noted. A small one follows its notes on the same connection.
      if (queue === this.#large.queue) await note().then(add);
      else await Promise.all([note(), add()]);
    } catch (error) {
      throw new QueueUnavailableError('the queue could not take the events', { cause: error });
    }
    return { durable: confirmed(sync, connection) };
  }
}

async function confirmed(sync: IntakeSync | undefined, connection: number): Promise<void> {
  try {
    await sync?.confirm(connection);
  } catch (error) {
    throw new QueueUnavailableError('the events are in the queue, but not durable', { cause: error });
  }
}

/** Adds events in steps, so that the process can serve other requests in between. */
async function fill(builder: Builder, events: readonly RoutedEvent[], trace?: TraceContext): Promise<void> {
  let pauseAt = FILL_AT_ONCE;
  for (const event of events) {
    builder.add(event, trace);
    if (builder.events < pauseAt) continue;
    pauseAt = builder.events + FILL_AT_ONCE;
    await setImmediate();
  }
}

function newPending(builder: Builder, priority: number): Pending {
  let settle: Pick<Pending, 'resolve' | 'reject'> | undefined;
  const done = new Promise<void>((resolve, reject) => {
    settle = { resolve, reject };
  });
  return { builder, priority, chars: 0, done, ...(settle as unknown as Pick<Pending, 'resolve' | 'reject'>) };
}
