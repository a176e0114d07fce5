import type { Job, Queue } from 'bullmq';
import type { Redis } from '@mailhook/platform/redis';

/** E-mails to one reader leave one at a time, in the order in which they were added. */
export interface ReaderOrder {
  /** Notes e-mails to readers in the order of their addition. Can be repeated. */
  note(mails: readonly { readonly recipient: string; readonly job: Pick<Job, 'id' | 'timestamp'> }[]): Promise<void>;
  /** Resolves with how long the e-mail waits for an earlier one, in ms, or undefined if it is its turn. */
  waitMs(recipient: string, job: Job): Promise<number | undefined>;
  /** The e-mail is sent or given up. */
  end(recipient: string, job: Job): Promise<void>;
}

/** Longer than an e-mail is tried. */
const KEPT_S = 2 * 86_400;
const WAIT_MIN_MS = 1000;
const WAIT_MAX_MS = 5 * 60_000;

export function createReaderOrder(queue: Queue, redis: Redis, prefix: string): ReaderOrder {
  /** Sorted set: job id -> time of the addition. */
  const keyOf = (recipient: string): string => `${prefix}:alerts:order:${recipient}`;
  const add = async (recipient: string, { id = '', timestamp }: Pick<Job, 'id' | 'timestamp'>): Promise<void> => {
    await redis.multi().zadd(keyOf(recipient), 'NX', timestamp, id).expire(keyOf(recipient), KEPT_S).exec();
  };
  return {
    async note(mails) {
      for (const { recipient, job } of mails) await add(recipient, job);
    },
    async waitMs(recipient, job) {
      await add(recipient, job);
      for (;;) {
        const [first] = await redis.zrange(keyOf(recipient), '0', '0');
        if (first === undefined || first === job.id) return undefined;
        const state = await queue.getJobState(first);
        // A quarter of the wait so far, so that a mail server that is away for hours costs few tries.
        if (!['completed', 'failed', 'unknown'].includes(state))
          return Math.min(WAIT_MAX_MS, Math.max(WAIT_MIN_MS, (Date.now() - job.timestamp) / 4));
        // Its process ended between the job and this set.
        await redis.zrem(keyOf(recipient), first);
      }
    },
    async end(recipient, { id = '' }) {
      await redis.zrem(keyOf(recipient), id);
    },
  };
}
