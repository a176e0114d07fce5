import { createHash } from 'node:crypto';
import { Queue } from 'bullmq';
import { EMAIL_EVENTS_QUEUE } from '@mailhook/core';
import { QueueUnavailableError } from '@mailhook/delivery';
import type { Closeable } from '@mailhook/platform/lifecycle';
import { OPENS_WITHOUT_REDIS } from '@mailhook/platform/queue';
import type { Redis } from '@mailhook/platform/redis';

/** The job that they are taken out of. */
interface OriginalJob {
  readonly chunkId: string;
  readonly timestamp: number;
  readonly traceparent: string;
}

/** Jobs that are made of the events of one account in a producer's job, when that account cannot take them and the others can. */
export interface ApartJobs extends Closeable {
  /** Idempotent: the job and the account name the new one, and its chunk. Rejects with QueueUnavailableError. */
  add(of: OriginalJob, events: ReadonlyMap<string, readonly unknown[]>): Promise<void>;
}

export function openApartJobs({ redis, prefix }: { readonly redis: Redis; readonly prefix: string }): ApartJobs {
  const queue = new Queue(EMAIL_EVENTS_QUEUE, { connection: redis, prefix, ...OPENS_WITHOUT_REDIS });
  // Reported where the connection is made; without a listener it would end the process.
  queue.on('error', () => undefined);
  return {
    async add({ chunkId, timestamp, traceparent }, events) {
      if (events.size === 0) return;
      try {
        await queue.addBulk(
          [...events].map(([account, own]) => ({
            name: 'apart',
            data: { events: own, ...(traceparent === '' ? {} : { traceparent }) },
            // The time is a part of its chunk's name: added again after it is done, it is still the same.
            opts: { jobId: `${chunkId}-${shortName(account)}`, timestamp },
          })),
        );
      } catch (error) {
        throw new QueueUnavailableError('the events of an overfull account could not be put back', { cause: error });
      }
    },
    close: () => queue.close(),
  };
}

const shortName = (account: string): string => createHash('sha256').update(account).digest('hex').slice(0, 16);
