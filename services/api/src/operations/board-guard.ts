import type { Queue } from 'bullmq';
import { EMAIL_EVENTS_QUEUE, engineQueues, mechanism } from '@mailhook/core';

/** What Bull Board asks before it does something: its route as it is registered, and the request's parameters. */
interface Asked {
  readonly route: string;
  readonly request: { readonly params: Readonly<Record<string, unknown>> };
}

interface Refusal {
  readonly allow: false;
  readonly message: string;
}

/** What would write texts back that were masked when they were shown, or add work past the intake's checks. */
const MASKED = ['/add', '/update-data'];

/** Queues whose jobs are events that were accepted, or are about to be, and that are nowhere else. */
const EVENT_QUEUES: ReadonlySet<string> = new Set([
  EMAIL_EVENTS_QUEUE,
  ...mechanism.options.map((kind) => engineQueues(kind).chunks),
]);

const FINISHED: ReadonlySet<unknown> = new Set(['completed', 'failed']);

const refused = (message: string): Refusal => ({ allow: false, message });

const KEPT =
  'These jobs are events that nobody else has: they leave by being processed. Pause the queue to hold them; retry or promote them to hurry them.';

/**
 * What operators cannot do by Bull Board: add or change jobs, and remove jobs of `EVENT_QUEUES` that are not finished, one by one or all at
 * once. They would be gone and in no counter. Everything else they can, retry and promote included.
 *
 * @param queues by the names that Bull Board shows.
 */
export const boardGuard =
  (queues: ReadonlyMap<string, Queue>) =>
  async ({ route, request: { params } }: Asked): Promise<Refusal | undefined> => {
    if (MASKED.some((end) => route.endsWith(end))) {
      return refused('Jobs are made by producers: what is shown here is masked.');
    }
    const queue = queues.get(String(params['queueName']));
    if (queue === undefined || !EVENT_QUEUES.has(queue.name)) return undefined;
    if (route.endsWith('/empty') || route.endsWith('/obliterate')) return refused(KEPT);
    if (route.endsWith('/clean/:queueStatus')) return FINISHED.has(params['queueStatus']) ? undefined : refused(KEPT);
    if (!route.endsWith('/:jobId/clean')) return undefined;
    const state = await queue.getJobState(String(params['jobId']));
    // A job that is not there is Bull Board's to answer.
    return FINISHED.has(state) || state === 'unknown' ? undefined : refused(KEPT);
  };
