/**
 * What Mailhook knows of BullMQ's keys and of the fields of its jobs, beside BullMQ's own functions. Nothing else names
 * them. `bull-keys.test.ts` compares them with the library, so that it fails when an update of BullMQ changes one.
 */

/** Also for Lua: the list of the active jobs, the set of those whose lock has not been renewed, and a job's lock. */
export const ACTIVE_JOBS = 'active';
export const STALLED_JOBS = 'stalled';
export const JOB_LOCK = ':lock';

/** Fields of a job's hash. `stalls`: how often the job has stalled. `takenAt`: when a worker took it. */
export const JOB_FIELDS = {
  data: 'data',
  timestamp: 'timestamp',
  stalls: 'stc',
  takenAt: 'processedOn',
  failedReason: 'failedReason',
} as const;

/** The keys of a queue, whose prefix is `queue.toKey('')`: prefix and name of the queue, each with a colon. */
export const queueKeys = (base: string) => ({
  /** Lists of ids, the next job last. The jobs of a paused queue stay in `waiting`. */
  waiting: `${base}wait`,
  active: `${base}${ACTIVE_JOBS}`,
  /** Sorted sets of ids, the next job first. `prioritized`: see `scoreOfPriority`. */
  prioritized: `${base}prioritized`,
  delayed: `${base}delayed`,
  /** Sorted sets of ids by the time of their end. */
  completed: `${base}completed`,
  failed: `${base}failed`,
  stalled: `${base}${STALLED_JOBS}`,
  /** A string that expires. It keeps workers from checking for stalled jobs too often. */
  stalledCheck: `${base}stalled-check`,
  /** A sorted set that wakes workers. */
  marker: `${base}marker`,
  /** A hash. */
  meta: `${base}meta`,
  job: (id: string) => `${base}${id}`,
  lock: (id: string) => `${base}${id}${JOB_LOCK}`,
});

export type QueueKeys = ReturnType<typeof queueKeys>;

/** The field of `meta` that is there while a queue is paused. */
export const PAUSED_FIELD = 'paused';

/** The lowest score of the jobs of a priority in the set `prioritized`. They follow each other by their arrival. */
export const scoreOfPriority = (priority: number): number => priority * 2 ** 32;
export const priorityOfScore = (score: number): number => Math.floor(score / 2 ** 32);
