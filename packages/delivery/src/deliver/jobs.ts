import { randomBytes } from 'node:crypto';
import type { DeactivationJob, DeadLetterJob, ParkJob, ResendJob } from '@mailhook/core';
import { DEACTIVATIONS_QUEUE, engineQueues, withoutQuotations } from '@mailhook/core';
import { OPENS_WITHOUT_REDIS } from '@mailhook/platform/queue';
import type { ConnectionOptions } from 'bullmq';
import { Queue } from 'bullmq';
import { BulkAdder } from './bulk-adder.ts';
import { DEAD_LETTERS_KEPT_MS } from '../mailbox/constants.ts';
import { deadLetterJobId } from '../mailbox/dead-letter-id.ts';
import type { EngineKeys } from '../mailbox/keys.ts';
import type { FollowUpRecord } from '../mailbox/settle-arguments.ts';

/** Shortest delay of a probe, so that clock differences cause no busy loop. */
const PARK_MIN_MS = 100;
const UNREAD_KEPT_S = 7 * 86_400;
/** For wake-up jobs. An unreadable one is deleted, because a heartbeat wakes the destination instead. */
const DONE_WITH = { removeOnComplete: true, removeOnFail: true } as const;

/**
 * The engine's jobs of one mechanism and shard. A script writes the state before its job is added. If a job is lost, a heartbeat or the reconciler
 * does its work or adds it again.
 */
export class EngineJobs {
  readonly #keys: EngineKeys;
  readonly #resends: BulkAdder;
  readonly #parks: BulkAdder;
  readonly #deadLetters: BulkAdder;
  readonly #deactivations: Queue;

  constructor(connection: ConnectionOptions, queuePrefix: string, keys: EngineKeys) {
    const names = engineQueues(keys.kind);
    this.#keys = keys;
    this.#resends = new BulkAdder(openQueue(names.resends, connection, keys.queuePrefix));
    this.#parks = new BulkAdder(openQueue(names.parks, connection, keys.queuePrefix));
    this.#deadLetters = new BulkAdder(openQueue(names.deadLetters, connection, keys.queuePrefix));
    this.#deactivations = openQueue(DEACTIVATIONS_QUEUE, connection, queuePrefix);
  }

  /** Adds the jobs for a settle's follow-ups: wake-ups of resends, and dead letters. */
  async addFollowUps(destination: string, account: string, followUps: readonly FollowUpRecord[]): Promise<void> {
    const resends = followUps.filter(({ type }) => type === 'resend');
    if (resends.length > 0) await this.addResends(destination, resends);
    const dead = followUps.filter(({ type }) => type === 'dead');
    if (dead.length === 0) return;
    await this.addDeadLetters(
      dead.map(({ id, events, attempt, error }) => ({
        ...{ deadLetter: id, account, destination, events, attempts: attempt, error: withoutQuotations(error) },
      })),
    );
  }

  /** Adds wake-up jobs of resends. `attempt` is the number of the failed attempt. */
  async addResends(
    destination: string,
    due: readonly { id: string; attempt: number; waitMs: number }[],
  ): Promise<void> {
    await this.#resends.add(
      due.map(({ id, attempt, waitMs }) => ({
        name: 'resend',
        data: { v: 1, destination, resend: id, attempt: attempt + 1 } satisfies ResendJob,
        opts: { ...DONE_WITH, jobId: `${id}-n${attempt + 1}`, delay: waitMs },
      })),
    );
  }

  async addPark(destination: string, untilMs: number): Promise<void> {
    const delay = Math.max(PARK_MIN_MS, untilMs - Date.now());
    const data: ParkJob = { v: 1, destination };
    // A new id each time, because BullMQ ignores a job with the id of an active one.
    const jobId = `park-${withoutColons(destination)}-${randomBytes(6).toString('hex')}x`;
    await this.#parks.add([{ name: 'probe', data, opts: { ...DONE_WITH, jobId, delay } }]);
  }

  async addDeadLetters(deadLetters: readonly Omit<DeadLetterJob, 'v' | 'kind'>[]): Promise<void> {
    await this.#deadLetters.add(
      deadLetters.map((deadLetter) => ({
        name: 'dead letter',
        data: { v: 1, ...deadLetter, kind: this.#keys.kind } satisfies DeadLetterJob,
        opts: {
          jobId: deadLetterJobId(deadLetter.deadLetter),
          removeOnComplete: true,
          removeOnFail: { age: DEAD_LETTERS_KEPT_MS / 1000 },
        },
      })),
    );
  }

  async addDeactivation(data: DeactivationJob): Promise<void> {
    await this.#deactivations.add('deactivate', data, {
      removeOnComplete: true,
      // The job fails permanently only if it is unreadable. It is kept, because nothing else updates the store.
      removeOnFail: { age: UNREAD_KEPT_S },
      jobId: `gone-${withoutColons(data.destination)}-v${data.version}`,
      attempts: 1_000_000,
      backoff: { type: 'fixed', delay: 5000 },
    });
  }

  async close(): Promise<void> {
    await Promise.all(
      [this.#resends, this.#parks, this.#deadLetters, this.#deactivations].map((queue) => queue.close()),
    );
  }
}

function openQueue(name: string, connection: ConnectionOptions, prefix: string): Queue {
  const queue = new Queue(name, { connection, prefix, streams: { events: { maxLen: 100 } }, ...OPENS_WITHOUT_REDIS });
  // The owner of the connection reports lost connections. Without a listener, an `error` event would end the process.
  queue.on('error', () => undefined);
  return queue;
}

/** BullMQ refuses a colon in a job's id. Accounts may have colons in their ids, but no tilde. */
const withoutColons = (destination: string): string => destination.replaceAll(':', '~');
