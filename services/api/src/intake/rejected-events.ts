import type { Queue } from 'bullmq';
import { REJECTED_EVENTS_QUEUE, REJECTED_KEPT_MS } from '@mailhook/core';
import type { FieldError, RejectedEventJob } from '@mailhook/core';
import { QueueUnavailableError } from '@mailhook/delivery';
import type { Installation } from '@mailhook/delivery';
import type { Closeable } from '@mailhook/platform/lifecycle';
import { every } from '@mailhook/platform/timers';
import type { Logger } from '@mailhook/platform/logger';

export interface RejectedEvent {
  /** The event's position in its job. */
  readonly index: number;
  readonly event: unknown;
  readonly errors: readonly FieldError[];
}

/** Why events are rejected. */
type RejectedFor = 'invalid' | 'too_many_waiting';

/**
 * Rejected events of Redis-fed producers. Each is a waiting job with its errors, for inspection, and is kept for 7
 * days. Of too many invalid events, only the newest are kept. Valid events of overfull accounts have a separate limit
 * and are never pushed out. When there is no room for more, `hasRoom` returns false and their job stays in its queue.
 */
export interface RejectedEvents extends Closeable {
  /** Idempotent, because `chunkId` and the event's index determine the job id. Rejects with QueueUnavailableError. */
  keep(chunkId: string, events: readonly RejectedEvent[], reason: RejectedFor): Promise<void>;
  /** Whether this number of further events of overfull accounts can be kept. */
  hasRoom(events: number): Promise<boolean>;
}

interface RejectedEventsDeps {
  readonly installation: Installation;
  readonly logger: Logger;
  /** Called with the number of events that were removed to make room for newer ones. */
  readonly onDropped: (events: number) => void;
  /** The limit for invalid events, and likewise for valid ones of overfull accounts. */
  readonly keptMax?: number;
}

const KEPT_MAX = 10_000;
const SWEEP_EVERY_MS = 3_600_000;
const SWEEP_MAX = 10_000;

export function openRejectedEvents(deps: RejectedEventsDeps): RejectedEvents {
  const { installation, logger, keptMax = KEPT_MAX } = deps;
  const queue = installation.queue(REJECTED_EVENTS_QUEUE);
  const faulty = faultyList(deps, queue);
  const sweep = (): Promise<void> =>
    sweepOld(queue, faulty.forget).catch((error: unknown) => {
      logger.warn('old rejected events could not be removed; next try in an hour', { error });
    });
  const sweeping = every(SWEEP_EVERY_MS, sweep, 'now');
  return {
    async keep(chunkId, events, reason) {
      if (events.length === 0) return;
      const jobs = events.map(({ index, event, errors }) => ({
        name: 'rejected',
        data: { event, errors: [...errors] } satisfies RejectedEventJob,
        opts: { jobId: `${chunkId}-${index}` },
      }));
      await orUnavailable(async () => {
        // List the ids first. A listed id without a job does no harm, but a job without a listed id would never make
        // room.
        if (reason === 'invalid') await faulty.add(jobs.map(({ opts }) => opts.jobId));
        await queue.addBulk(jobs);
        if (reason === 'invalid') await faulty.dropOldest(keptMax);
      });
    },
    hasRoom: (events) =>
      orUnavailable(async () => {
        const [waiting, invalid] = await Promise.all([queue.getWaitingCount(), faulty.count()]);
        return Math.max(0, waiting - invalid) + events <= keptMax;
      }),
    close: () => sweeping.close(),
  };
}

async function orUnavailable<Result>(run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    // An event that is nested too deeply cannot be written as JSON.
    if (error instanceof RangeError) throw error;
    throw new QueueUnavailableError('the rejected events could not be kept', { cause: error });
  }
}

/** Removes at most `SWEEP_MAX` jobs per script. */
async function sweepOld(queue: Queue, forget: (ids: readonly string[]) => Promise<void>): Promise<void> {
  for (;;) {
    const removed = await queue.clean(REJECTED_KEPT_MS, SWEEP_MAX, 'wait');
    await forget(removed);
    if (removed.length < SWEEP_MAX) return;
  }
}

/** Sorted set of the jobs of invalid events. The others are valid events of overfull accounts. */
export const invalidEventsKey = (prefix: string): string => `${prefix}:${REJECTED_EVENTS_QUEUE}-invalid`;

/** The invalid ones among the rejected events, oldest first. Only these make room for newer ones. */
function faultyList({ installation, onDropped }: RejectedEventsDeps, queue: Queue) {
  const { redis, prefix } = installation;
  const key = invalidEventsKey(prefix);
  return {
    count: () => redis.zcard(key),
    async add(ids: readonly string[]) {
      const last = await redis.incrby(`${key}-sequence`, ids.length);
      await redis.zadd(key, 'NX', ...ids.flatMap((id, i) => [last - ids.length + i + 1, id]));
    },
    async dropOldest(keptMax: number) {
      const excess = (await redis.zcard(key)) - keptMax;
      if (excess <= 0) return;
      const popped = await redis.zpopmin(key, excess);
      const ids = popped.filter((_, i) => i % 2 === 0);
      const removed = await Promise.all(ids.map((id) => queue.remove(id)));
      onDropped(removed.filter((count) => count === 1).length);
    },
    forget: async (ids: readonly string[]) => {
      if (ids.length > 0) await redis.zrem(key, ...ids);
    },
  };
}
