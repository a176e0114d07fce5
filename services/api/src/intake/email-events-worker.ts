import { hash } from 'node:crypto';
import { UnrecoverableError } from 'bullmq';
import type { Job } from 'bullmq';
import type { Redis } from '@mailhook/platform/redis';
import { compositeKey, EMAIL_EVENTS_QUEUE, emailEventsJob, notThis, parseTraceparent } from '@mailhook/core';
import type { EmailEventsNote, EmailEventsResult } from '@mailhook/core';
import type { Logger } from '@mailhook/platform/logger';
import {
  JOB_FIELDS,
  JobEndsProcessError,
  JobGate,
  JobTooLargeError,
  MalformedJobError,
  openWatchedWorker,
} from '@mailhook/platform/queue';
import type { WatchedWorker } from '@mailhook/platform/queue';
import { measureJson } from '@mailhook/platform/http-server';
import { inSpan } from '@mailhook/platform/tracing';
import { DEPTH_MAX, INTAKE_LIMIT_BYTES, VALUES_MAX } from './events-format.ts';
import { countFault } from './parse-events.ts';
import { REPEATED_JOBS, requeueAfterFailure } from './requeue.ts';
import { processProducerJob } from './process-producer-job.ts';
import type { ProducerJobDeps } from './process-producer-job.ts';
import { holdsReplacement, undecodedEvents } from './undecoded-events.ts';

interface ProcessorDeps extends ProducerJobDeps {
  /** Reads the bytes of a job's data. Resolves with null if the job is gone. */
  readonly readData: (jobId: string) => Promise<Buffer | null>;
}

interface WorkerDeps extends ProducerJobDeps {
  /** A separate `worker` connection, for blocking reads. */
  readonly connection: Redis;
  readonly prefix: string;
  readonly logger: Logger;
}

const JOBS_AT_ONCE = 8;
/** Largest data of a job. A job takes several times its size while it is parsed and published. */
export const JOB_BYTES_MAX = INTAKE_LIMIT_BYTES;
/** Only a few finished jobs are kept for inspection, because they hold recipients' addresses and may be large. */
const KEPT_FINISHED = { count: 20 };
/**
 * Newest failed jobs, so that jobs that nobody can take do not fill Redis. With `FAILED_BYTES_MAX`, they take 160 MB.
 */
const KEPT_FAILED = { age: 7 * 86_400, count: 10_000 };
/** Enough to recognize a refused job. No retry could succeed with its data. */
const FAILED_BYTES_MAX = 16 * 1024;

/**
 * Takes the jobs of producers that feed Redis directly. A job is done when its valid events are durably enqueued and
 * its invalid ones are kept. The job is put back, without using up an attempt, while the queue or the store is down. So
 * is the job of an overfull account while there is no room for more of its rejected events.
 */
export function startEmailEventsWorker({ connection, prefix, logger, ...deps }: WorkerDeps): WatchedWorker {
  const readData = (jobId: string) => connection.hgetBuffer(watched.worker.toKey(jobId), JOB_FIELDS.data);
  const watched: WatchedWorker = openWatchedWorker({
    queue: EMAIL_EVENTS_QUEUE,
    connection,
    prefix,
    concurrency: JOBS_AT_ONCE,
    process: requeueAfterFailure(emailEventsProcessor({ ...deps, readData }), logger),
    onError: (error) => logger.warn('the worker of email-events had an error', { error }),
    admission: {
      gate: new JobGate({ bytes: JOB_BYTES_MAX, waiting: JOBS_AT_ONCE / 2 }),
      jobBytesMax: JOB_BYTES_MAX,
      refusalOf,
      failedBytesMax: FAILED_BYTES_MAX,
    },
    removeOnComplete: KEPT_FINISHED,
    removeOnFail: KEPT_FAILED,
    ...REPEATED_JOBS,
  });
  watched.worker.on('completed', (_job, { ignored }: EmailEventsResult) => {
    // Without the job's id, because the logger limits equal lines.
    if (ignored !== undefined)
      logger.info('events of email-events have unknown fields, which are left out', { ignored });
  });
  watched.worker.on('failed', (job, error) => {
    logger.error('an email-events job failed', { job: job?.id, error });
    if (error instanceof MalformedJobError) deps.metrics.rejected('malformed_job', 1);
    if (error instanceof JobTooLargeError) deps.metrics.rejected('job_too_large', 1);
    if (error instanceof JobEndsProcessError) deps.metrics.rejected('job_ends_process', 1);
  });
  return watched;
}

/** Parsed values may take twenty times the memory of their text, so they are counted first, as in a request. */
export function refusalOf(text: string): string | undefined {
  const { depth, values } = measureJson(text, DEPTH_MAX);
  if (depth > DEPTH_MAX) return `the job's data is nested more than ${DEPTH_MAX} levels deep: send flat events`;
  if (values <= VALUES_MAX) return undefined;
  return `the job's data holds ${values} values, and at most ${VALUES_MAX} can be taken: send the events in smaller jobs`;
}

export type ProcessJob = (job: Pick<Job, 'id' | 'data' | 'timestamp' | 'updateData'>) => Promise<EmailEventsResult>;

/** Processes one job. Safe to repeat, because the ids of its chunks and its rejected events derive from the job. */
export const emailEventsProcessor =
  (deps: ProcessorDeps): ProcessJob =>
  async (job) => {
    const parsed = emailEventsJob.safeParse(job.data);
    if (!parsed.success) {
      deps.metrics.rejected('malformed_job', 1);
      throw new UnrecoverableError(dataFault(job.data));
    }
    const { events, traceparent = '', mailhook: note = {} } = parsed.data;
    const undecoded = note.undecoded ?? (await findUndecoded(deps, job, events));
    const save = (next: EmailEventsNote) =>
      job.updateData({ ...(job.data as object), mailhook: undecoded.length === 0 ? next : { ...next, undecoded } });
    const taken = { chunkId: chunkIdOf(job), timestamp: job.timestamp, events, undecoded, traceparent, note, save };
    if (deps.tracing === undefined) return processProducerJob(deps, taken);
    const parent = parseTraceparent(traceparent);
    const attributes = { 'messaging.system': 'bullmq', 'mailhook.events': events.length };
    return inSpan(deps.tracing, `process ${EMAIL_EVENTS_QUEUE}`, { kind: 'consumer', parent, attributes }, (context) =>
      processProducerJob(deps, taken, context),
    );
  };

/** Says what to send instead: events without their wrapper are the most common mistake. */
function dataFault(data: unknown): string {
  if (typeof data !== 'object' || data === null || Array.isArray(data))
    return `the job's data must be {"events": [...]}${notThis(data)}`;
  if (!('events' in data))
    return `the job's data ${'module' in data ? 'is an event' : 'has no "events"'}: send {"events": [...]}`;
  const { events } = data;
  return `"events" ${Array.isArray(events) ? countFault(events.length) : `must be a JSON array${notThis(events)}`}`;
}

/** BullMQ has decoded the data. Only if an event holds U+FFFD, its bytes are read, to see whether they were others. */
async function findUndecoded(
  { readData }: ProcessorDeps,
  { id = '' }: Pick<Job, 'id'>,
  events: readonly unknown[],
): Promise<readonly number[]> {
  if (!holdsReplacement(events)) return [];
  const bytes = await readData(id);
  return bytes === null ? [] : undecodedEvents(bytes);
}

/**
 * The chunk id of a job, the same at every run. It has only letters and digits, even if the producer's job id has other
 * characters.
 */
export const chunkIdOf = (job: Pick<Job, 'id' | 'timestamp'>): string =>
  `r${hash('sha256', compositeKey(job.id ?? '', job.timestamp)).slice(0, 32)}`;
