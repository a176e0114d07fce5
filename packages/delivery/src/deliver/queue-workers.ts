import { engineQueues } from '@mailhook/core';
import { openWatchedWorker } from '@mailhook/platform/queue';
import type { JobGate } from '@mailhook/platform/queue';
import type { Job } from 'bullmq';
import type { Redis } from '@mailhook/platform/redis';
import type { EngineKeys } from '../mailbox/keys.ts';
import { AWAY_PAUSE_MS, CONCURRENCY, RECOVERY } from './limits.ts';
import type { Runtime } from './runtime.ts';
import { pause } from './runtime.ts';

type Processor = (job: Job<unknown>) => Promise<void>;

/**
 * A BullMQ worker fetches jobs one after the other. If Redis answers slowly, a single one would not fetch all chunks.
 */
const QUEUES = ['chunks', 'chunks', 'resends', 'parks', 'deadLetters'] as const;

/**
 * The BullMQ workers of one mechanism and shard. All shards of the process share `chunkGate`. While `mayWork` returns
 * false, the workers take no jobs and leave their jobs to other processes.
 */
export function openWorkers(
  connection: Redis,
  keys: EngineKeys,
  processors: Readonly<Record<keyof typeof CONCURRENCY, Processor>>,
  chunkGate: JobGate,
  onError: (error: Error) => void,
  mayWork: () => boolean,
): { faults(): readonly string[]; close(): Promise<void> } {
  const names = engineQueues(keys.kind);
  const workers = QUEUES.map((queue, i) =>
    openWatchedWorker({
      queue: names[queue],
      connection,
      prefix: keys.queuePrefix,
      concurrency: CONCURRENCY[queue],
      process: processors[queue],
      onError,
      mayWork,
      ...(queue === 'chunks' ? { admission: { gate: chunkGate } } : {}),
      ...RECOVERY[queue],
      isSecond: QUEUES.indexOf(queue) < i,
    }),
  );
  return {
    faults: () => [...new Set(workers.map((worker) => worker.fault()).filter((fault) => fault !== undefined))],
    close: async () => {
      await Promise.all(workers.map((worker) => worker.close()));
    },
  };
}

/**
 * Repeats a step while Redis is away. Rejects when the worker stops, and after an internal error, which would only
 * happen again.
 */
export type RetryWhileAway = <Result>(step: () => Promise<Result>) => Promise<Result>;

export const createRetryWhileAway =
  (deps: {
    readonly runtime: Runtime;
    readonly isStopping: () => boolean;
    readonly onError: (error: Error) => void;
  }): RetryWhileAway =>
  async (step) => {
    for (;;) {
      try {
        return await step();
      } catch (error) {
        if (deps.isStopping() || isInternalError(error)) throw error;
        deps.onError(error as Error);
        await pause(deps.runtime, AWAY_PAUSE_MS);
      }
    }
  };

/**
 * Whether an error is an internal error, in this process or in a function. Errors of Redis and of its connection are
 * not.
 */
export const isInternalError = (error: unknown): boolean =>
  error instanceof Error &&
  (['TypeError', 'RangeError', 'SyntaxError'].includes(error.name) ||
    /^(ERR|WRONGTYPE) .*user_(?:script|function)/s.test(error.message));
