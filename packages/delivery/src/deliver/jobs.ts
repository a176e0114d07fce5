import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { DeactivationJob, DeadLetterJob, ParkJob, ResendJob } from '@mailhook/core';
import { DEACTIVATIONS_QUEUE, deadLetterJob, engineQueues, readCoded, withoutQuotations } from '@mailhook/core';
import type { Job, JobsOptions, Queue } from 'bullmq';
import { UnrecoverableError } from 'bullmq';
import type { RedriveReply } from '../mailbox/commands/manage.ts';
import { DEAD_LETTERS_KEPT_MS } from '../mailbox/constants.ts';
import { deadLetterJobId } from '../mailbox/dead-letter-id.ts';
import type { Installation } from '../mailbox/installation.ts';
import type { EngineKeys } from '../mailbox/keys.ts';
import type { FollowUpRecord } from '../mailbox/settle-arguments.ts';
import { GROUP_JOBS_MAX, JOBS_CLOSE_MS, PARK_MIN_MS, UNREAD_KEPT_S } from './limits.ts';

/** For wake-up jobs. An unreadable one is deleted, because a heartbeat wakes the destination instead. */
const DONE_WITH = { removeOnComplete: true, removeOnFail: true } as const;

/**
 * The engine's jobs of one mechanism and shard. A function writes the state before its job is added. If a job is lost,
 * a heartbeat or the reconciler does its work or adds it again.
 */
export class EngineJobs {
  readonly #keys: EngineKeys;
  readonly #resends: BulkAdder;
  readonly #parks: BulkAdder;
  readonly #deadLetters: BulkAdder;
  readonly #deactivations: Queue;

  constructor(installation: Installation, keys: EngineKeys) {
    const { resends, parks, deadLetters } = engineQueues(keys.kind);
    const adderOf = (name: string) => new BulkAdder(installation.queue(name, keys.shard));
    this.#keys = keys;
    this.#resends = adderOf(resends);
    this.#parks = adderOf(parks);
    this.#deadLetters = adderOf(deadLetters);
    this.#deactivations = installation.queue(DEACTIVATIONS_QUEUE);
  }

  /** Adds the jobs for a settle's follow-ups: wake-ups of resends, and dead letters. */
  async addFollowUps(destination: string, account: string, followUps: readonly FollowUpRecord[]): Promise<void> {
    const resends = followUps.filter(({ type }) => type === 'resend');
    if (resends.length > 0) await this.addResends(destination, resends);
    const dead = followUps.filter(({ type }) => type === 'dead');
    if (dead.length === 0) return;
    await this.addDeadLetters(
      dead.map(({ id, events, attempt, error }) => ({
        deadLetter: id,
        account,
        destination,
        events,
        attempts: attempt,
        error: withoutQuotations(String(readCoded(error))),
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

  async addPark(destination: string, waitMs: number): Promise<void> {
    const delay = Math.max(PARK_MIN_MS, waitMs);
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

  /** Waits for jobs that are being added (see `BulkAdder`). */
  async finish(): Promise<void> {
    await Promise.all([this.#resends, this.#parks, this.#deadLetters].map((adder) => adder.finish()));
  }
}

/** BullMQ refuses a colon in a job's id. Accounts may have colons in their ids, but no tilde. */
const withoutColons = (destination: string): string => destination.replaceAll(':', '~');

interface NewJob {
  readonly name: string;
  readonly data: object;
  readonly opts: JobsOptions;
}

interface JobGroup {
  readonly jobs: NewJob[];
  readonly added: Promise<unknown>;
}

/**
 * Collects single jobs and adds them in groups. When many receivers time out at once, one call per job would cost
 * BullMQ and the Redis client several times more, and would delay the deliveries of all other destinations.
 */
export class BulkAdder {
  readonly #queue: Queue;
  #filling: JobGroup | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(queue: Queue) {
    this.#queue = queue;
  }

  /**
   * Resolves when all jobs are in the queue. Rejects with BullMQ's error, and then some or all of the jobs may be
   * missing.
   */
  async add(jobs: readonly NewJob[]): Promise<void> {
    const groups = new Set<JobGroup>();
    for (const job of jobs) {
      if (this.#filling === undefined || this.#filling.jobs.length >= GROUP_JOBS_MAX) this.#filling = this.#begin();
      this.#filling.jobs.push(job);
      groups.add(this.#filling);
    }
    await Promise.all([...groups].map(({ added }) => added));
  }

  /**
   * Waits up to `JOBS_CLOSE_MS` for jobs that are being added. If Redis is away, heartbeats and the reconciler do the
   * work of the missing jobs later.
   */
  async finish(): Promise<void> {
    await Promise.race([this.#last.catch(() => undefined), setTimeout(JOBS_CLOSE_MS, undefined, { ref: false })]);
  }

  /** Starts a group. It is added after the previous one, with all jobs that have arrived until then. */
  #begin(): JobGroup {
    const jobs: NewJob[] = [];
    const added = this.#last
      .catch(() => undefined)
      .then(() => new Promise((resolve) => setImmediate(resolve)))
      .then(() => {
        if (this.#filling?.jobs === jobs) this.#filling = undefined;
        return this.#addAll(jobs);
      });
    this.#last = added;
    return { jobs, added };
  }

  #addAll(jobs: NewJob[]): Promise<Job | Job[]> {
    const [only] = jobs;
    return jobs.length === 1 && only !== undefined
      ? this.#queue.add(only.name, only.data, only.opts)
      : this.#queue.addBulk(jobs);
  }
}

/**
 * Bull Board shows a dead letter as a failed job, so that operators can see and retry it there. The first run of the
 * job always fails, with the dead letter's error. A later run is an operator's retry and redrives the dead letter.
 */
export const deadLetterProcessor =
  (deps: { readonly redrive: (deadLetter: string) => Promise<RedriveReply> }) =>
  async (job: Job<unknown>): Promise<void> => {
    const parsed = deadLetterJob.safeParse(job.data);
    if (!parsed.success) throw new UnrecoverableError('malformed dead letter');
    if (job.attemptsMade === 0) throw new UnrecoverableError(describe(parsed.data));
    const result = await deps.redrive(parsed.data.deadLetter);
    if (result === 'redriven') return;
    throw new UnrecoverableError(
      result === 'gone'
        ? 'not redriven: the dead letter no longer exists'
        : 'not redriven: the destination of the dead letter is inactive or deleted',
    );
  };

const describe = ({ events, attempts, error }: DeadLetterJob): string =>
  `${events} ${events === 1 ? 'event' : 'events'} given up after ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}: ${error}`;
