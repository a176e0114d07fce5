import { hash, randomBytes } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { Mechanism, ProducerEvent, TraceContext } from '@mailhook/core';
import { engineQueues, shardOf } from '@mailhook/core';
import { OPENS_WITHOUT_REDIS } from '@mailhook/platform/queue';
import { isMemoryNearlyFull } from '@mailhook/platform/redis';
import type { JobsOptions } from 'bullmq';
import { Queue } from 'bullmq';
import type { Redis } from '@mailhook/platform/redis';
import { engineKeys } from '../keys.ts';
import type { Publisher, RoutedEvent } from '../ports.ts';
import { FanOutTooLargeError, QueueUnavailableError, TooManyWaitingError } from '../ports.ts';
import { ChunkBuilder } from './chunk-builder.ts';
import { REPEATABLE_CHUNK } from './chunk-worker.ts';
import { fanOutExcess } from './fan-out.ts';
import { watchOverfullAccounts } from './overfull-accounts.ts';

export interface PublisherOptions {
  /** Fails fast: a request must be told at once that the queue is away. */
  readonly redis: Redis;
  readonly queuePrefix: string;
  readonly shards: number;
  /** `WAITING_MAX_EVENTS`, an account. */
  readonly waitingMaxEvents: number;
}

/** A chunk is closed at about this size; a larger request is a chunk of its own. */
const CHUNK_EVENTS_MAX = 10_000;
const CHUNK_CHARS_MAX = 4_000_000;
/** A chunk of this size is worth a write of its own beside another; smaller ones wait and grow. */
const LARGE_CHUNK_CHARS = 200_000;
const WRITES_MAX = 2;
/** Deliveries that are written into a chunk without a pause: some 10 ms. */
const FILL_AT_ONCE = 10_000;

/** Chunk jobs are repeated until they are appended: an error is the infrastructure's. A malformed one is kept for the operator. */
const CHUNK_JOB_OPTIONS: JobsOptions = {
  removeOnComplete: true,
  removeOnFail: false,
  attempts: Number.MAX_SAFE_INTEGER,
  backoff: { type: 'fixed', delay: 1000 },
};

const sha256 = (text: string): string => hash('sha256', text, 'base64url');

const newChunkId = (): string => `c${randomBytes(12).toString('hex')}`;

/** Letters, digits and dashes, as a chunk's id has to be: it names a job, a mark and the notifications' `webhook-id`s. */
const CHUNK_ID = /^[A-Za-z][A-Za-z0-9-]{0,100}$/;

interface Pending {
  readonly builder: ChunkBuilder;
  readonly done: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** One queue of chunk jobs: requests that arrive while a write is under way share the next one. Large ones are written two at a time. */
class ChunkQueue {
  readonly #queue: Queue;
  readonly #waiting: Pending[] = [];
  #writes = 0;

  constructor(queue: Queue) {
    this.#queue = queue;
  }

  add(events: readonly RoutedEvent[], trace: TraceContext | undefined): Promise<void> {
    const deliveries = deliveriesOf(events);
    if (deliveries > CHUNK_EVENTS_MAX) return this.#addLarge(events, trace);
    let pending = this.#waiting.at(-1);
    if (
      pending === undefined ||
      pending.builder.events + deliveries > CHUNK_EVENTS_MAX ||
      pending.builder.chars > CHUNK_CHARS_MAX
    ) {
      pending = newPending(newChunkId());
      this.#waiting.push(pending);
    }
    for (const event of events) pending.builder.add(event, trace);
    this.#writeNext();
    return pending.done;
  }

  async #addLarge(events: readonly RoutedEvent[], trace: TraceContext | undefined): Promise<void> {
    const own = newPending(newChunkId());
    await fill(own.builder, events, trace);
    this.#waiting.push(own);
    this.#writeNext();
    return own.done;
  }

  /** A chunk with an id of its caller's shares with nobody. */
  async addAlone(events: readonly RoutedEvent[], chunkId: string, trace: TraceContext | undefined): Promise<void> {
    const builder = new ChunkBuilder(chunkId, sha256);
    await fill(builder, events, trace);
    await this.#addJob(REPEATABLE_CHUNK, builder);
  }

  keyOf(chunkId: string): string {
    return this.#queue.toKey(chunkId);
  }

  async close(): Promise<void> {
    await this.#queue.close();
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

  async #write(pending: Pending): Promise<void> {
    try {
      await this.#addJob('chunk', pending.builder);
      pending.resolve();
    } catch (error) {
      pending.reject(error as Error);
    }
  }

  async #addJob(name: string, builder: ChunkBuilder): Promise<void> {
    if (builder.events === 0) return;
    try {
      await this.#queue.add(name, builder.build(Date.now()), { ...CHUNK_JOB_OPTIONS, jobId: builder.id });
    } catch (error) {
      throw new QueueUnavailableError('the queue could not take the events', { cause: error });
    }
  }
}

/** A large one a bit at a time: others' requests are served in between. */
async function fill(builder: ChunkBuilder, events: readonly RoutedEvent[], trace?: TraceContext): Promise<void> {
  let pauseAt = FILL_AT_ONCE;
  for (const event of events) {
    builder.add(event, trace);
    if (builder.events < pauseAt) continue;
    pauseAt = builder.events + FILL_AT_ONCE;
    await setImmediate();
  }
}

const deliveriesOf = (events: readonly RoutedEvent[]): number =>
  events.reduce((sum, { destinations }) => sum + destinations.length, 0);

function newPending(id: string): Pending {
  let settle: Pick<Pending, 'resolve' | 'reject'> | undefined;
  const done = new Promise<void>((resolve, reject) => {
    settle = { resolve, reject };
  });
  return { builder: new ChunkBuilder(id, sha256), done, ...(settle as unknown as Pick<Pending, 'resolve' | 'reject'>) };
}

/** Publishes accepted events into the queues of chunk jobs (see `Publisher`). */
export async function createPublisher(options: PublisherOptions): Promise<Publisher> {
  const { redis, queuePrefix, shards } = options;
  const queues = new Map<string, ChunkQueue>();
  const queueOf = (shard: number, kind: Mechanism): ChunkQueue => {
    const key = `${shard}${kind}`;
    let queue = queues.get(key);
    if (queue === undefined) {
      queue = new ChunkQueue(openChunkQueue(redis, queuePrefix, shard, kind));
      queues.set(key, queue);
    }
    return queue;
  };
  const overfull = await watchOverfullAccounts(options);
  const homeOf = (events: readonly RoutedEvent[]): ChunkQueue | undefined => {
    const [first] = events;
    if (first === undefined) return undefined;
    const kind = events.some(({ event }) => event.module === 'campaign') ? 'campaign' : 'transactional';
    return queueOf(shardOf(first.event.account, shards), kind);
  };
  return {
    async publish(events, chunkId, trace) {
      const wanted = events.filter(({ destinations }) => destinations.length > 0);
      // A request is one job in one shard's queue, whatever it holds: so it is accepted whole or not at all. One that may be repeated lies in
      // the same queue at every run, whoever subscribes in between.
      const queue = homeOf(chunkId === undefined || wanted.length === 0 ? wanted : events);
      if (queue === undefined) return;
      if (await isMemoryNearlyFull(redis)) throw new QueueUnavailableError('Redis nears its memory limit');
      if (chunkId !== undefined) {
        if (!CHUNK_ID.test(chunkId)) throw new RangeError(`a chunk's id is letters, digits and dashes, not ${chunkId}`);
        return queue.addAlone(wanted, chunkId, trace);
      }
      const over = wanted.find(({ event }) => overfull.has(event.account));
      if (over !== undefined) throw new TooManyWaitingError(over.event.account, options.waitingMaxEvents);
      const excess = fanOutExcess(wanted);
      if (excess > 0) throw new FanOutTooLargeError(excess);
      return queue.add(wanted, trace);
    },
    async hasPublished(events, chunkId) {
      const home = homeOf(events);
      if (home === undefined) return false;
      // One by one: on a cluster they may lie on several nodes.
      const keys = new Set([home.keyOf(chunkId), ...events.map(({ event }) => markKey(options, event, chunkId))]);
      const found = await Promise.all([...keys].map((key) => redis.exists(key)));
      return found.includes(1);
    },
    isOverfull: (account) => overfull.has(account),
    async close() {
      overfull.close();
      await Promise.all([...queues.values()].map((queue) => queue.close()));
    },
  };
}

/** What the workers leave when they have appended a job that may be repeated: see `scripts/append.lua.ts`. */
function markKey({ queuePrefix, shards }: PublisherOptions, event: ProducerEvent, chunkId: string): string {
  const kind = event.module === 'campaign' ? 'campaign' : 'transactional';
  return `${engineKeys(queuePrefix, shardOf(event.account, shards), kind).base}mark:${chunkId}`;
}

function openChunkQueue(redis: Redis, queuePrefix: string, shard: number, kind: Mechanism): Queue {
  const queue = new Queue(engineQueues(kind).chunks, {
    connection: redis,
    prefix: engineKeys(queuePrefix, shard, kind).queuePrefix,
    streams: { events: { maxLen: 100 } },
    ...OPENS_WITHOUT_REDIS,
  });
  // Lost connections are reported where the connection is made; without a listener they would end the process.
  queue.on('error', () => undefined);
  return queue;
}
