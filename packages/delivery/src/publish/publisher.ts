import type { Mechanism, ProducerEvent, TraceContext } from '@mailhook/core';
import { engineQueues, KINDS, shardOf } from '@mailhook/core';
import { closeRedis, duplicateRedis, isMemoryNearlyFull, whenReady } from '@mailhook/platform/redis';
import { Installation } from '../mailbox/installation.ts';
import { engineKeys } from '../mailbox/keys.ts';
import { openChunks } from '../mailbox/commands/log.ts';
import type { RoutedEvent } from './routed-event.ts';
import { FanOutTooLargeError, QueueFullError, TooManyWaitingError } from './errors.ts';
import type { AddOptions } from './chunk-queue.ts';
import { CharsInFlight, ChunkQueue } from './chunk-queue.ts';
import { fanOutExcess, sizeOf } from './fan-out.ts';
import { openIntakeSync } from './intake-sync.ts';
import type { IntakeDurability } from './intake-sync.ts';
import type { OverfullAccounts, WaitingLimits } from './overfull-accounts.ts';
import { watchOverfullAccounts } from './overfull-accounts.ts';

export interface Publisher {
  /**
   * Resolves when every event is enqueued, and as durable as `INTAKE_DURABILITY` says. Rejects with
   * QueueUnavailableError, TooManyWaitingError or FanOutTooLargeError, and then enqueues none, unless it says so.
   * Requests that arrive during a write share the next one (group commit without a timer).
   *
   * `chunkId` (Redis-fed producers) makes a repeated call with the same events idempotent, even if their destinations
   * have changed. With it, the publisher checks no account or size limits, so the caller must. Without it, each call is
   * a new request.
   *
   * `trace` travels with the events. The spans of their delivery attempts belong to it or are linked to it.
   */
  publish(events: readonly RoutedEvent[], chunkId?: string, trace?: TraceContext): Promise<void>;
  /**
   * Whether these events were published with this id, and the job still exists or last ran within the last hour.
   * Rejects while Redis is away.
   */
  hasPublished(events: readonly RoutedEvent[], chunkId: string): Promise<boolean>;
  /** Whether the account is over its limits, as of about half a second ago. */
  isOverfull(account: string): boolean;
  /** The accounts over their limits, as of about half a second ago. */
  overfullAccounts(): readonly string[];
  close(): Promise<void>;
}

/**
 * Most characters of chunks that are built and written at once. Enough for the largest request (a body of 16 MiB) and
 * some smaller ones. Further requests are refused for a moment, because an api with 512 MiB would run out of memory.
 */
const CHARS_IN_FLIGHT_MAX = 20_000_000;
/** Long, because a large request may block the process for seconds, and a late reply must not count as a failure. */
const LARGE_WRITE_TIMEOUT_MS = 10_000;
const CONNECT_TIMEOUT_MS = 10_000;

/** A chunk's id is part of the job's key, the append progress and the notifications' `webhook-id`s. */
const CHUNK_ID = /^[A-Za-z][A-Za-z0-9-]{0,100}$/;

interface PublisherOptions {
  /** Whether the event log keeps what is accepted now. Default: it never does. */
  readonly isLogOn?: () => boolean;
  readonly durability?: IntakeDurability;
}

/**
 * Publishes accepted events into the queues of chunk jobs (see `Publisher`). The connection must fail fast, because a
 * producer must learn immediately that the queue is away.
 */
export async function createPublisher(
  installation: Installation,
  limits: WaitingLimits,
  { isLogOn = () => false, durability = 'memory' }: PublisherOptions = {},
): Promise<Publisher> {
  const { redis, shards } = installation;
  const overfull = await watchOverfullAccounts(installation, limits);
  const queues = await openQueues(installation, overfull, { isLogOn, durability });
  const homeOf = (events: readonly RoutedEvent[]): { queue: ChunkQueue; shard: number } | undefined => {
    const [first] = events;
    if (first === undefined) return undefined;
    const kind = events.some(({ event }) => event.module === 'campaign') ? 'campaign' : 'transactional';
    const shard = shardOf(first.event.account, shards);
    return { queue: queues.of(shard, kind), shard };
  };
  const optionsOf = (shard: number, events: readonly RoutedEvent[], trace: TraceContext | undefined): AddOptions => {
    const size = sizeOf(events);
    return { size, trace, priority: overfull.priorityOf(shard, size.charsByAccount) };
  };
  return {
    async publish(events, chunkId, trace) {
      // The event log keeps those without a destination too.
      const wanted = isLogOn() ? events : events.filter(({ destinations }) => destinations.length > 0);
      // A request is one job in one queue, so it is accepted as a whole or not at all. A repeated request goes to the
      // same queue, even if subscriptions have changed since.
      const home = homeOf(chunkId === undefined || wanted.length === 0 ? wanted : events);
      if (home === undefined) return;
      const { queue, shard } = home;
      if (await isMemoryNearlyFull(redis)) throw new QueueFullError();
      if (chunkId !== undefined) {
        if (!CHUNK_ID.test(chunkId))
          throw new RangeError(`chunkId must consist of letters, digits and dashes, but is ${chunkId}`);
        return queue.addAlone(wanted, chunkId, optionsOf(shard, wanted, trace));
      }
      const over = wanted.find(({ event }) => overfull.has(event.account));
      if (over !== undefined) throw new TooManyWaitingError(over.event.account);
      if (overfull.isMemoryShort()) throw new QueueFullError();
      const options = optionsOf(shard, wanted, trace);
      const excess = fanOutExcess(wanted, undefined, options.size);
      if (excess > 0) throw new FanOutTooLargeError(excess);
      return queue.add(wanted, options);
    },
    async hasPublished(events, chunkId) {
      const home = homeOf(events);
      if (home === undefined) return false;
      // One call per key, because the keys may be on several nodes of a cluster.
      const keys = new Set([
        home.queue.keyOf(chunkId),
        ...events.map(({ event }) => progressKey(installation, event, chunkId)),
      ]);
      const found = await Promise.all([...keys].map((key) => redis.exists(key)));
      return found.includes(1);
    },
    isOverfull: (account) => overfull.has(account),
    overfullAccounts: () => overfull.list(),
    async close() {
      overfull.close();
      await queues.close();
    },
  };
}

/** The queues of chunk jobs, by shard and mechanism. */
async function openQueues(
  installation: Installation,
  overfull: OverfullAccounts,
  { isLogOn, durability }: Required<PublisherOptions>,
) {
  const queues = new Map<string, ChunkQueue>();
  const inFlight = new CharsInFlight(CHARS_IN_FLIGHT_MAX);
  const { redis, prefix, shards } = installation;
  const large = duplicateRedis(redis, { commandTimeout: LARGE_WRITE_TIMEOUT_MS });
  const largeInstallation = new Installation(large, prefix, shards);
  // `redis` reports connection losses.
  large.on('error', () => undefined);
  await whenReady(large, CONNECT_TIMEOUT_MS);
  const sync = {
    small: await openIntakeSync(redis, prefix, durability),
    large: await openIntakeSync(large, prefix, durability),
  };
  return {
    of(shard: number, kind: Mechanism): ChunkQueue {
      const key = `${shard}${kind}`;
      let queue = queues.get(key);
      if (queue === undefined) {
        const { chunks } = engineQueues(kind);
        const keys = engineKeys(prefix, shard, kind);
        queue = new ChunkQueue({
          small: installation.queue(chunks, shard),
          large: largeInstallation.queue(chunks, shard),
          sync,
          inFlight,
          count: (shares, isCounted) => overfull.count(shard, shares, isCounted),
          log: { isOn: isLogOn, open: openChunks(redis, keys) },
        });
        queues.set(key, queue);
      }
      return queue;
    },
    close: async () => {
      await Promise.all([sync.small?.close(), sync.large?.close()]);
      await largeInstallation.close();
      await closeRedis(large);
    },
  };
}

/**
 * The key that records how much of a chunk is appended, for a chunk that may be added again after its job is gone. See
 * `mailbox/lua/engine/append.lua`.
 */
function progressKey(installation: Installation, { account, module }: ProducerEvent, chunkId: string): string {
  return installation.keysOf(account, KINDS[module]).progress(chunkId);
}
