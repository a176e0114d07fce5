import type { Mechanism } from '@mailhook/core';
import { mechanism, shardOf } from '@mailhook/core';
import { OPENS_WITHOUT_REDIS } from '@mailhook/platform/queue';
import type { Redis } from '@mailhook/platform/redis';
import { Queue } from 'bullmq';
import type { EngineKeys } from './keys.ts';
import { engineKeys, shardPrefix } from './keys.ts';

/** The maximum number of entries in a queue's stream of events. Only Bull Board could read them. */
const QUEUE_EVENTS_MAX = 100;

/** Where an installation keeps its data, over one connection. Opens each of its BullMQ queues once. */
export class Installation {
  readonly redis: Redis;
  /** `QUEUE_PREFIX`. */
  readonly prefix: string;
  /** `QUEUE_SHARDS`. */
  readonly shards: number;
  readonly #queues = new Map<string, Queue>();

  constructor(redis: Redis, prefix: string, shards: number) {
    this.redis = redis;
    this.prefix = prefix;
    this.shards = shards;
  }

  /** Keys of the account's shard. */
  keysOf(account: string, kind: Mechanism): EngineKeys {
    return engineKeys(this.prefix, shardOf(account, this.shards), kind);
  }

  /** Keys of every shard, in order. In each shard transactional keys come before those of campaigns. */
  allKeys(kinds: readonly Mechanism[] = mechanism.options): EngineKeys[] {
    return Array.from({ length: this.shards }, (_, shard) => shard).flatMap((shard) =>
      kinds.map((kind) => engineKeys(this.prefix, shard, kind)),
    );
  }

  /** A queue of a shard, or without `shard` a queue that all shards share. Does not wait for Redis. */
  queue(name: string, shard?: number): Queue {
    const prefix = shard === undefined ? this.prefix : shardPrefix(this.prefix, shard);
    const key = `${prefix}:${name}`;
    let queue = this.#queues.get(key);
    if (queue === undefined) {
      const streams = { events: { maxLen: QUEUE_EVENTS_MAX } };
      queue = new Queue(name, { connection: this.redis, prefix, streams, ...OPENS_WITHOUT_REDIS });
      // The connection reports its errors. Without a listener, the event would end the process.
      queue.on('error', () => undefined);
      this.#queues.set(key, queue);
    }
    return queue;
  }

  /** Closes the queues, not the connection. */
  async close(): Promise<void> {
    await Promise.all([...this.#queues.values()].map((queue) => queue.close()));
  }
}
