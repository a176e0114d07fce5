import { setTimeout } from 'node:timers/promises';
import type { Job, JobsOptions, Queue } from 'bullmq';

interface NewJob {
  readonly name: string;
  readonly data: object;
  readonly opts: JobsOptions;
}

interface JobGroup {
  readonly jobs: NewJob[];
  readonly added: Promise<unknown>;
}

/** Most jobs in one group. Each takes Redis about 0.1 ms. */
const GROUP_JOBS_MAX = 50;
const CLOSE_MS = 500;

/**
 * Collects single jobs and adds them in groups. When many receivers time out at once, one call per job would cost BullMQ and the Redis client
 * several times more, and would delay the deliveries of all other destinations.
 */
export class BulkAdder {
  readonly #queue: Queue;
  #filling: JobGroup | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(queue: Queue) {
    this.#queue = queue;
  }

  /** Resolves when all jobs are in the queue. Rejects with BullMQ's error, and then some or all of the jobs may be missing. */
  async add(jobs: readonly NewJob[]): Promise<void> {
    const groups = new Set<JobGroup>();
    for (const job of jobs) {
      if (this.#filling === undefined || this.#filling.jobs.length >= GROUP_JOBS_MAX) this.#filling = this.#begin();
      this.#filling.jobs.push(job);
      groups.add(this.#filling);
    }
    await Promise.all([...groups].map(({ added }) => added));
  }

  /** Waits up to 500 ms for jobs that are being added. If Redis is away, heartbeats and the reconciler do the work of the missing jobs later. */
  async close(): Promise<void> {
    await Promise.race([this.#last.catch(() => undefined), setTimeout(CLOSE_MS, undefined, { ref: false })]);
    await this.#queue.close();
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
