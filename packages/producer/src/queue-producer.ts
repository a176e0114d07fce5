import { EMAIL_EVENTS_QUEUE } from '@mailhook/core';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import type { Cluster } from 'ioredis';
import { assertValidEvents, SendError, sliceEvents } from './producer.ts';
import type { Producer, ProducerEvent } from './producer.ts';

export type QueueProducerOptions = {
  /** `QUEUE_PREFIX` of the installation; default `mailhook`. */
  readonly prefix?: string;
} & (
  | {
      /** A connection of the caller's, who also closes it; of a cluster, `prefix` is in braces. */ readonly redis:
        Redis | Cluster;
    }
  | { /** Where to connect, such as `redis://127.0.0.1:6379`. */ readonly url: string }
);

/** Keeps a job's data well below what makes Redis pause. */
const JOB_MAX_BYTES = 4 * 1024 * 1024;
const COMMAND_TIMEOUT_MS = 10_000;

/**
 * A producer that adds jobs to the queue `email-events`: no HTTP, no api needed at that moment.
 *
 * A call of many events is several jobs, each added as a whole or not at all. Nothing is repeated here: when Redis goes away in the
 * middle, `SendError` tells how many events are enqueued for sure, and the next job may have been taken too. Give events an `id` and
 * repeat the call: Mailhook delivers an account's `id` once within 24 hours.
 */
export function createQueueProducer(options: QueueProducerOptions): Producer {
  const isOwn = 'url' in options;
  const redis = isOwn ? connect(options.url) : options.redis;
  const queue = new Queue(EMAIL_EVENTS_QUEUE, {
    connection: redis,
    prefix: options.prefix ?? 'mailhook',
    skipWaitingForReady: true,
    // BullMQ keeps a failed version check, so a producer that starts while Redis is away would never work.
    skipVersionCheck: true,
  });
  // Without a listener a lost connection would end the process; `send` reports it.
  queue.on('error', () => undefined);
  return {
    send: async (events) => {
      assertValidEvents(events);
      let accepted = 0;
      for (const slice of sliceEvents(events, JOB_MAX_BYTES)) {
        await addJob(queue, slice.events, accepted);
        accepted += slice.events.length;
      }
      return { accepted };
    },
    close: async () => {
      await queue.close();
      if (isOwn) redis.disconnect();
    },
  };
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

/** A producer must hear of a Redis that is away, not wait for it without end. */
function connect(url: string): Redis {
  const redis = new Redis(url, { maxRetriesPerRequest: 3, commandTimeout: COMMAND_TIMEOUT_MS });
  redis.on('error', () => undefined);
  return redis;
}
