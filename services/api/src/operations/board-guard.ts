import type { Queue } from 'bullmq';
import { EMAIL_EVENTS_QUEUE, engineQueues, mechanism } from '@mailhook/core';

/** A request that Bull Board is about to handle, with its registered route and its parameters. */
interface Asked {
  readonly route: string;
  readonly request: { readonly params: Readonly<Record<string, unknown>> };
}

interface Refusal {
  readonly allow: false;
  readonly message: string;
}

/** Ends of routes that would write masked texts back, or add jobs without the intake's checks. */
const MASKED = ['/add', '/update-data'];

/** Queues with jobs that hold the only copy of events that are accepted, or are about to be. */
const EVENT_QUEUES: ReadonlySet<string> = new Set([
  EMAIL_EVENTS_QUEUE,
  ...mechanism.options.map((kind) => engineQueues(kind).chunks),
]);

const FINISHED: ReadonlySet<unknown> = new Set(['completed', 'failed']);

const refused = (message: string): Refusal => ({ allow: false, message });

const KEPT =
  'These jobs hold the only copy of their events, so Bull Board cannot remove them. Pause the queue to stop ' +
  'processing, or retry or promote a job to run it sooner.';

/**
 * Refuses to add or change jobs, and to remove unfinished jobs of `EVENT_QUEUES`, one by one or all at once. Their
 * events would be lost without a count. Operators can do everything else on Bull Board, including retry and promote.
 *
 * @param queues by the names that Bull Board shows.
 */
export const boardGuard =
  (queues: ReadonlyMap<string, Queue>) =>
  async ({ route, request: { params } }: Asked): Promise<Refusal | undefined> => {
    if (MASKED.some((end) => route.endsWith(end))) {
      return refused('Jobs cannot be added or edited here, because Bull Board shows masked data.');
    }
    const queue = queues.get(String(params['queueName']));
    if (queue === undefined || !EVENT_QUEUES.has(queue.name)) return undefined;
    if (route.endsWith('/empty') || route.endsWith('/obliterate')) return refused(KEPT);
    if (route.endsWith('/clean/:queueStatus')) return FINISHED.has(params['queueStatus']) ? undefined : refused(KEPT);
    if (!route.endsWith('/:jobId/clean')) return undefined;
    const state = await queue.getJobState(String(params['jobId']));
    // Bull Board itself answers for a job that does not exist.
    return FINISHED.has(state) || state === 'unknown' ? undefined : refused(KEPT);
  };
