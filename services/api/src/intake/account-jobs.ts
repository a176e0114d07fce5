import { createHash } from 'node:crypto';
import { EMAIL_EVENTS_QUEUE } from '@mailhook/core';
import { QueueUnavailableError } from '@mailhook/delivery';
import type { Installation } from '@mailhook/delivery';

/** The producer's job that the events come from. */
interface OriginalJob {
  readonly chunkId: string;
  readonly timestamp: number;
  readonly traceparent: string;
}

/**
 * Creates a separate job for each overfull account in a producer's job, so that the events of its other accounts need
 * not wait.
 */
export interface AccountJobs {
  /**
   * Idempotent, because the original job and the account determine the ids of the new job and its chunk. Rejects with
   * QueueUnavailableError.
   */
  add(of: OriginalJob, events: ReadonlyMap<string, readonly unknown[]>): Promise<void>;
}

export function createAccountJobs(installation: Installation): AccountJobs {
  const queue = installation.queue(EMAIL_EVENTS_QUEUE);
  return {
    async add({ chunkId, timestamp, traceparent }, events) {
      if (events.size === 0) return;
      try {
        await queue.addBulk(
          [...events].map(([account, own]) => ({
            name: 'apart',
            data: { events: own, ...(traceparent === '' ? {} : { traceparent }) },
            // The chunk id depends on the timestamp. A job that is added again after it finished must get the same
            // chunk id.
            opts: { jobId: accountJobId(chunkId, account), timestamp },
          })),
        );
      } catch (error) {
        throw new QueueUnavailableError('the events of an overfull account could not be put back', { cause: error });
      }
    },
  };
}

/** The id of the job that an account's events move to from the job with this chunk id. */
export const accountJobId = (chunkId: string, account: string): string => `${chunkId}-${shortName(account)}`;

const shortName = (account: string): string => createHash('sha256').update(account).digest('hex').slice(0, 16);
