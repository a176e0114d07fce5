import { engineQueues } from '@mailhook/core';
import { openWatchedWorker } from '@mailhook/platform/queue';
import type { JobGate } from '@mailhook/platform/queue';
import type { Job } from 'bullmq';
import type { Redis } from '@mailhook/platform/redis';
import type { EngineKeys } from '../mailbox/keys.ts';

type Processor = (job: Job<unknown>) => Promise<void>;

/**
 * Short locks with frequent checks, so that the death of a worker is noticed within seconds. A false alarm costs nothing, because every script
 * is fenced or idempotent. Therefore jobs may stall without limit.
 */
const QUICK_RECOVERY = { lockDuration: 2000, stalledInterval: 500, maxStalledCount: 1_000_000 } as const;

/** Most jobs that each BullMQ worker processes at once. No job waits for a receiver. */
const CONCURRENCY = { chunks: 16, resends: 16, parks: 4, deadLetters: 4 } as const;
/** A BullMQ worker fetches jobs one after the other. If Redis answers slowly, a single one would not fetch all chunks. */
const QUEUES = ['chunks', 'chunks', 'resends', 'parks', 'deadLetters'] as const;

/**
 * The BullMQ workers of one mechanism and shard. All shards of the process share `chunkGate`. While `mayWork` returns false, the workers take no
 * jobs and leave their jobs to other processes.
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
  const workers = QUEUES.map((queue) =>
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
    faults: () => [...new Set(workers.map((worker) => worker.fault()).filter((fault) => fault !== undefined))],
    close: async () => {
      await Promise.all(workers.map((worker) => worker.close()));
    },
  };
}
