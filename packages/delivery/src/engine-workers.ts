import { engineQueues } from '@mailhook/core';
import { openWatchedWorker } from '@mailhook/platform/queue';
import type { JobGate } from '@mailhook/platform/queue';
import type { Job } from 'bullmq';
import type { Redis } from '@mailhook/platform/redis';
import type { EngineKeys } from './keys.ts';

type Processor = (job: Job<unknown>) => Promise<void>;

/**
 * A worker that dies is noticed within seconds: a short lock, looked after often. A false alarm costs nothing, because every script is
 * fenced or idempotent; so a job may stall as often as it likes.
 */
const QUICK_RECOVERY = { lockDuration: 2000, stalledInterval: 500, maxStalledCount: 1_000_000 } as const;

/** How many jobs of a queue are processed at once. None of them waits for a receiver. */
const CONCURRENCY = { chunks: 16, resends: 16, parks: 4, deadLetters: 4 } as const;

/**
 * The BullMQ workers of one mechanism and shard. `chunkGate` is shared by all shards of the process. While `mayWork` returns false, the workers
 * take no jobs and leave those they have to other processes.
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
  const workers = (Object.keys(CONCURRENCY) as (keyof typeof CONCURRENCY)[]).map((queue) =>
    openWatchedWorker({
      queue: names[queue],
      connection,
      prefix: keys.queuePrefix,
      concurrency: CONCURRENCY[queue],
      process: processors[queue],
      onError,
      mayWork,
      ...(queue === 'chunks' ? { admission: { gate: chunkGate } } : {}),
      ...QUICK_RECOVERY,
    }),
  );
  return {
    faults: () => workers.map((worker) => worker.fault()).filter((fault) => fault !== undefined),
    close: async () => {
      await Promise.all(workers.map((worker) => worker.close()));
    },
  };
}
