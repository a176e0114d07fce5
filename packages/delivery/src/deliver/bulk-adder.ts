import { setTimeout } from 'node:timers/promises';
import type { Job, JobsOptions, Queue } from 'bullmq';

interface NewJob {
  readonly name: string;
  readonly data: object;
  readonly opts: JobsOptions;
}

interface Batch {
  readonly jobs: NewJob[];
  readonly added: Promise<unknown>;
}

/** Most jobs of one transaction: it keeps Redis for about 0.1 ms each. */
const BATCH_MAX = 50;
const CLOSE_MS = 500;

/**
 * Adds jobs that come one by one in batches. When many receivers time out at once, a job each would be a transaction each, and what BullMQ and
 * the client do around one is several times what it holds: everybody else's mail would wait behind it.
 */
export class BulkAdder {
  readonly #queue: Queue;
  #open: Batch | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(queue: Queue) {
    this.#queue = queue;
  }

  /** Resolves when they are in the queue; rejects with what BullMQ rejects with, and then none of their batch may be. */
  async add(jobs: readonly NewJob[]): Promise<void> {
    const batches = new Set<Batch>();
    for (const job of jobs) {
      if (this.#open === undefined || this.#open.jobs.length >= BATCH_MAX) this.#open = this.#begin();
      this.#open.jobs.push(job);
      batches.add(this.#open);
    }
    await Promise.all([...batches].map(({ added }) => added));
  }

  /** Waits for what is being added, but not for a Redis that is away: the reconciler finds what was not. */
  async close(): Promise<void> {
    await Promise.race([this.#last.catch(() => undefined), setTimeout(CLOSE_MS, undefined, { ref: false })]);
    await this.#queue.close();
  }

  /** A batch leaves behind the one before it, with all that has come until then. */
  #begin(): Batch {
    const jobs: NewJob[] = [];
    const added = this.#last
      .catch(() => undefined)
      .then(() => new Promise((resolve) => setImmediate(resolve)))
      .then(() => {
        if (this.#open?.jobs === jobs) this.#open = undefined;
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
