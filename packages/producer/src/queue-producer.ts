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
        /** The caller's connection, which the caller must close. For a cluster, put `prefix` in braces. */
        readonly redis: Redis | Cluster;
      }
    | { /** The URL of Redis, such as `redis://127.0.0.1:6379`. */ readonly url: string }
  );

/** Keeps a job's data well below a size that would block Redis noticeably. */
const JOB_MAX_BYTES = 4 * 1024 * 1024;
const COMMAND_TIMEOUT_MS = 10_000;

/**
 * Creates a producer that adds jobs to the queue `email-events`. It needs no HTTP, and works while the api is down.
 *
 * A call with many events becomes several jobs, each added as a whole or not at all. If Redis fails in between,
 * `SendError` shows how many events are certainly enqueued. The next job may be enqueued too, and the Redis client may
 * send a job again after it reconnects. So give events an `id` and repeat the call. Mailhook delivers an account's `id`
 * once within 24 hours, or within what its operator has chosen (`EVENT_ID_WINDOW`).
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
  let connectionFault: Error | undefined;
  // Without a listener, a lost connection would end the process. `send` reports the failure.
  queue.on('error', (error) => (connectionFault = error));
  return createProducer(
    async (events) => {
      let accepted = 0;
      for (const slice of sliceEvents(events, JOB_MAX_BYTES)) {
        await addJob(queue, slice.events).catch((cause: unknown) => {
          throw new SendError(refusal(cause, connectionFault), { accepted, cause });
        });
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

const addJob = (queue: Queue, events: readonly ProducerEvent[]) =>
  queue.add('events', { events }, { removeOnComplete: true });

/**
 * The failure in words for people, because ioredis names its own options. `connectionFault` is the last fault of the
 * connection.
 */
function refusal(cause: unknown, connectionFault: Error | undefined): string {
  const { name, message } = cause instanceof Error ? cause : { name: '', message: String(cause) };
  const fault =
    name === 'MaxRetriesPerRequestError'
      ? `Redis cannot be reached (${connectionFault?.message || 'the connection breaks again and again'})`
      : message === 'Command timed out'
        ? 'Redis did not answer in time'
        : message.startsWith('Connection is closed')
          ? 'The connection to Redis is closed'
          : undefined;
  if (fault !== undefined) return `${fault}; whether it took these events is unknown`;
  return `Redis did not take the events: ${message}`;
}

/**
 * Connects with limited retries and timeouts, so that `send` rejects while Redis is away instead of waiting forever.
 */
function connect(url: string): Redis {
  if (!/^rediss?:\/\//i.test(url) || !URL.canParse(url))
    throw new TypeError(
      `url must be a redis or rediss URL, such as redis://127.0.0.1:6379, but is ${JSON.stringify(url)}`,
    );
  const redis = new Redis(url, { maxRetriesPerRequest: 3, commandTimeout: COMMAND_TIMEOUT_MS });
  redis.on('error', () => undefined);
  return redis;
}
