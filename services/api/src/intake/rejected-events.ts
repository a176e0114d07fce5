import { Queue } from 'bullmq';
import type { Redis } from '@mailhook/platform/redis';
import { REJECTED_EVENTS_QUEUE } from '@mailhook/core';
import type { FieldError, RejectedEventJob } from '@mailhook/core';
import { QueueUnavailableError } from '@mailhook/delivery';
import type { Closeable } from '@mailhook/platform/lifecycle';
import type { Logger } from '@mailhook/platform/logger';

export interface RejectedEvent {
  /** Where it stood in its job. */
  readonly index: number;
  readonly event: unknown;
  readonly errors: readonly FieldError[];
}

/**
 * Invalid events of Redis-fed producers: each a waiting job with its errors, for people to look at. Bounded: of a producer that sends
 * nothing but faults the newest are kept.
 */
export interface RejectedEvents extends Closeable {
  /** Idempotent: `chunkId` and the event's index name the job. Rejects with QueueUnavailableError. */
  keep(chunkId: string, events: readonly RejectedEvent[]): Promise<void>;
}

interface RejectedEventsDeps {
  readonly redis: Redis;
  readonly prefix: string;
  readonly logger: Logger;
  /** Events that were removed because newer ones needed their place. */
  readonly onDropped: (events: number) => void;
  readonly keptMax?: number;
}

const KEPT_MAX = 10_000;
const KEPT_MS = 7 * 86_400_000;
const SWEEP_EVERY_MS = 3_600_000;
const SWEEP_MAX = 10_000;

export function openRejectedEvents(deps: RejectedEventsDeps): RejectedEvents {
  const { redis, prefix, logger, onDropped, keptMax = KEPT_MAX } = deps;
  const queue = new Queue<RejectedEventJob>(REJECTED_EVENTS_QUEUE, { connection: redis, prefix });
  // Reported where the connection is made; without a listener it would end the process.
  queue.on('error', () => undefined);
  const sweep = (): void => {
    queue.clean(KEPT_MS, SWEEP_MAX, 'wait').catch((error: unknown) => {
      logger.warn('old rejected events could not be removed; next try in an hour', { error });
    });
  };
  sweep();
  const dropOldest = async (): Promise<void> => {
    const excess = (await queue.getWaitingCount()) - keptMax;
    if (excess > 0) onDropped((await queue.clean(0, excess, 'wait')).length);
  };
  const timer = setInterval(sweep, SWEEP_EVERY_MS);
  return {
    async keep(chunkId, events) {
      if (events.length === 0) return;
      try {
        await queue.addBulk(
          events.map(({ index, event, errors }) => ({
            name: 'rejected',
            data: { event, errors: [...errors] },
            opts: { jobId: `${chunkId}-${index}` },
          })),
        );
        await dropOldest();
      } catch (error) {
        throw new QueueUnavailableError('the rejected events could not be kept', { cause: error });
      }
    },
    close: async () => {
      clearInterval(timer);
      await queue.close();
    },
  };
}
