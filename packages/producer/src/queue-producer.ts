import { EMAIL_EVENTS_QUEUE } from '@mailhook/core';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import type { Cluster } from 'ioredis';
import type { ProducerEvent } from './events.ts';
import { createProducer, SendError, sliceEvents } from './producer.ts';
import type { Producer, ProducerOptions } from './producer.ts';

export type QueueProducerOptions = ProducerOptions & {
  /** The installation's `QUEUE_PREFIX`. The default is `mailhook`. */
  readonly prefix?: string;
} & (
    | {
        /** The caller's connection, which the caller must close. For a cluster, put `prefix` in braces. */ readonly redis:
          Redis | Cluster;
      }
    | { /** The URL of Redis, such as `redis://127.0.0.1:6379`. */ readonly url: string }
  );

/** Keeps a job's data well below a size that would block Redis noticeably. */
const JOB_MAX_BYTES = 4 * 1024 * 1024;
const COMMAND_TIMEOUT_MS = 10_000;

/**
 * Creates a producer that adds jobs to the queue `email-events`. It needs no HTTP, and works while the api is down.
 *
 * A call with many events becomes several jobs, each added as a whole or not at all. If Redis fails in between, `SendError` shows how many events are
 * certainly enqueued. The next job may be enqueued too, and the Redis client may send a job again after it reconnects. So give events an `id` and repeat
 * the call. Mailhook delivers an account's `id` once within 24 hours.
 */
export function createQueueProducer(options: QueueProducerOptions): Producer {
  const isOwn = 'url' in options;
  const redis = isOwn ? connect(options.url) : options.redis;
  const queue = new Queue(EMAIL_EVENTS_QUEUE, {
    connection: redis,
    prefix: options.prefix ?? 'mailhook',
    skipWaitingForReady: true,
    // BullMQ never repeats a failed version check, so a producer that starts while Redis is away would never work.
    skipVersionCheck: true,
  });
  // Without a listener, a lost connection would end the process. `send` reports the failure.
  queue.on('error', () => undefined);
  return createProducer(
    async (events) => {
      let accepted = 0;
      for (const slice of sliceEvents(events, JOB_MAX_BYTES)) {
        await addJob(queue, slice.events, accepted);
        accepted += slice.events.length;
      }
      return { accepted };
    },
    async () => {
      await queue.close();
      if (isOwn) redis.disconnect();
    },
    options,
  );
}

async function addJob(queue: Queue, events: readonly ProducerEvent[], accepted: number): Promise<void> {
  try {
    await queue.add('events', { events }, { removeOnComplete: true });
  } catch (cause) {
    throw new SendError(`Redis did not take the events: ${cause instanceof Error ? cause.message : String(cause)}`, {
      accepted,
      cause,
    });
  }
}

/** Limits retries and timeouts, so that `send` rejects while Redis is away instead of waiting forever. */
function connect(url: string): Redis {
  const redis = new Redis(url, { maxRetriesPerRequest: 3, commandTimeout: COMMAND_TIMEOUT_MS });
  redis.on('error', () => undefined);
  return redis;
}
