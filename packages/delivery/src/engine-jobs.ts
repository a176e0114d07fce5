import type { DeactivationJob, DeadLetterJob, Mechanism, ParkJob, ResendJob } from '@mailhook/core';
import { DEACTIVATIONS_QUEUE, engineQueues } from '@mailhook/core';
import type { ConnectionOptions } from 'bullmq';
import { Queue } from 'bullmq';
import { deadLetterJobId } from './dead-letters/dead-letter-job.ts';
import type { EngineKeys } from './keys.ts';

const EVENTS_KEPT = { streams: { events: { maxLen: 100 } } } as const;
const DEAD_LETTERS_KEPT_S = 7 * 86_400;

export type EngineJobs = ReturnType<typeof createEngineJobs>;

/**
 * The engine's own jobs of one mechanism and shard. All of them follow a script that has written the state already: a job that is lost in
 * between is found missing by the reconciler and added again.
 */
export function createEngineJobs(connection: ConnectionOptions, queuePrefix: string, keys: EngineKeys) {
  const names = engineQueues(keys.kind);
  const open = (name: string, prefix: string): Queue => {
    const queue = new Queue(name, { connection, prefix, ...EVENTS_KEPT });
    queue.on('error', () => undefined);
    return queue;
  };
  const resends = open(names.resends, keys.queuePrefix);
  const parks = open(names.parks, keys.queuePrefix);
  const deadLetters = open(names.deadLetters, keys.queuePrefix);
  const deactivations = open(DEACTIVATIONS_QUEUE, queuePrefix);
  return {
    async addResends(
      destination: string,
      due: readonly { id: string; attempt: number; waitMs: number }[],
    ): Promise<void> {
      await resends.addBulk(
        due.map(({ id, attempt, waitMs }) => ({
          name: 'resend',
          data: { v: 1, destination, resend: id, attempt } satisfies ResendJob,
          opts: { jobId: `${id}-n${attempt}`, delay: waitMs, removeOnComplete: true, removeOnFail: true },
        })),
      );
    },
    async addPark(destination: string, untilMs: number): Promise<void> {
      await parks.add('probe', { v: 1, destination } satisfies ParkJob, {
        jobId: `park-${destination}-${untilMs.toString(36)}`,
        delay: Math.max(0, untilMs - Date.now()),
        removeOnComplete: true,
        removeOnFail: true,
      });
    },
    async addDeadLetters(
      letters: readonly (Omit<DeadLetterJob, 'v' | 'kind'> & { kind?: Mechanism })[],
    ): Promise<void> {
      await deadLetters.addBulk(
        letters.map((letter) => ({
          name: 'dead letter',
          data: { v: 1, ...letter, kind: keys.kind } satisfies DeadLetterJob,
          opts: {
            jobId: deadLetterJobId(letter.deadLetter),
            removeOnComplete: true,
            removeOnFail: { age: DEAD_LETTERS_KEPT_S },
          },
        })),
      );
    },
    async addDeactivation(data: DeactivationJob): Promise<void> {
      await deactivations.add('deactivate', data, {
        jobId: `gone-${data.destination}-${data.version}v`,
        attempts: 1_000_000,
        backoff: { type: 'fixed', delay: 5000 },
        removeOnComplete: true,
        removeOnFail: { age: DEAD_LETTERS_KEPT_S },
      });
    },
    async close(): Promise<void> {
      await Promise.all([resends, parks, deadLetters, deactivations].map((queue) => queue.close()));
    },
  };
}
