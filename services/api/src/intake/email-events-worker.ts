import { createHash } from 'node:crypto';
import { UnrecoverableError } from 'bullmq';
import type { Job } from 'bullmq';
import type { Redis } from '@mailhook/platform/redis';
import { EMAIL_EVENTS_QUEUE, emailEventsJob, parseTraceparent, producerEvent } from '@mailhook/core';
import type { FieldError, ProducerEvent, TraceContext } from '@mailhook/core';
import { TooManyWaitingError } from '@mailhook/delivery';
import type { Publisher, RoutedEvent } from '@mailhook/delivery';
import { fieldErrors, validate } from '@mailhook/platform/http-server';
import type { Logger } from '@mailhook/platform/logger';
import { openWatchedWorker } from '@mailhook/platform/queue';
import type { WatchedWorker } from '@mailhook/platform/queue';
import { inSpan } from '@mailhook/platform/tracing';
import type { Tracing } from '@mailhook/platform/tracing';
import type { RoutingTable } from '../accounts/routing-table.ts';
import type { IntakeMetrics } from './intake-metrics.ts';
import { PATIENCE, putBackWhileDown } from './patient-worker.ts';
import type { RejectedEvent, RejectedEvents } from './rejected-events.ts';
import { routeEvents } from './route-events.ts';
import { publishTraced } from './traced-publish.ts';

export interface EmailEventsDeps {
  readonly routing: Pick<RoutingTable, 'peek' | 'load'>;
  readonly publisher: Pick<Publisher, 'publish'>;
  readonly rejected: Pick<RejectedEvents, 'keep'>;
  readonly metrics: IntakeMetrics;
  readonly tracing?: Tracing | undefined;
}

interface WorkerDeps extends EmailEventsDeps {
  /** For blocking reads: a `worker` connection of its own. */
  readonly connection: Redis;
  readonly prefix: string;
  readonly logger: Logger;
}

const JOBS_AT_ONCE = 8;
/** Finished jobs hold recipients' addresses, and may be large: a few are kept, to be looked at. */
const KEPT_FINISHED = { count: 20 };
const KEPT_FAILED = { age: 7 * 86_400 };

/**
 * Takes the jobs of producers that feed Redis directly (design, section 3, "Redis-fed producers"). A job is done when its valid events
 * are durably enqueued and its invalid ones are kept. While the queue or the store is away it is put back, which costs the
 * producer's job none of its attempts.
 */
export function startEmailEventsWorker({ connection, prefix, logger, ...deps }: WorkerDeps): WatchedWorker {
  const watched = openWatchedWorker({
    queue: EMAIL_EVENTS_QUEUE,
    connection,
    prefix,
    concurrency: JOBS_AT_ONCE,
    process: putBackWhileDown(emailEventsProcessor(deps), logger),
    onError: (error) => logger.warn('the worker of email-events had an error', { error }),
    removeOnComplete: KEPT_FINISHED,
    removeOnFail: KEPT_FAILED,
    ...PATIENCE,
  });
  watched.worker.on('failed', (job, error) => logger.error('an email-events job failed', { job: job?.id, error }));
  return watched;
}

export type ProcessJob = (
  job: Pick<Job, 'id' | 'data' | 'timestamp'>,
) => Promise<{ accepted: number; rejected: number }>;

/** One job, run again as often as needed: what it publishes and keeps is told apart by ids that follow from the job. */
export const emailEventsProcessor =
  (deps: EmailEventsDeps): ProcessJob =>
  async (job) => {
    const parsed = emailEventsJob.safeParse(job.data);
    if (!parsed.success) {
      deps.metrics.rejected('malformed_job', 1);
      throw new UnrecoverableError('the job has no "events": an array of 1 to 10,000 events is expected');
    }
    const { events, traceparent = '' } = parsed.data;
    if (deps.tracing === undefined) return takeEvents(deps, chunkIdOf(job), events);
    const parent = parseTraceparent(traceparent);
    const attributes = { 'messaging.system': 'bullmq', 'mailhook.events': events.length };
    return inSpan(deps.tracing, `process ${EMAIL_EVENTS_QUEUE}`, { kind: 'consumer', parent, attributes }, (context) =>
      takeEvents(deps, chunkIdOf(job), events, context),
    );
  };

async function takeEvents(
  { routing, publisher, rejected, metrics, tracing }: EmailEventsDeps,
  chunkId: string,
  events: readonly unknown[],
  parent?: TraceContext,
): Promise<{ accepted: number; rejected: number }> {
  const { valid, invalid } = validateEach(events);
  const { routed, unknown } = await routeEvents(
    valid.map(({ event }) => event),
    routing,
  );
  const strangers = unknown.map((position) => refusal(valid[position], 'there is no such account'));

  await rejected.keep(chunkId, [...invalid, ...strangers]);
  const indexOf = new Map(valid.map(({ event, index }) => [event, index]));
  const refused = await publishWhatFits(routed, (fitting) =>
    publishTraced({ publisher, tracing }, { events: fitting, chunkId, parent }),
  );
  const overLimit = refused.map(({ event }) =>
    refusal({ event, index: indexOf.get(event) ?? 0 }, 'too many events of this account wait to be delivered'),
  );
  await rejected.keep(chunkId, overLimit);
  metrics.rejected('invalid', invalid.length);
  metrics.rejected('unknown_account', strangers.length);
  metrics.rejected('too_many_waiting', overLimit.length);
  metrics.accepted(routed.filter((one) => !refused.includes(one)).map(({ event }) => event));
  return { accepted: routed.length - refused.length, rejected: invalid.length + strangers.length + overLimit.length };
}

interface IndexedEvent {
  readonly event: ProducerEvent;
  readonly index: number;
}

const refusal = (at: IndexedEvent | undefined, message: string): RejectedEvent => ({
  index: at?.index ?? 0,
  event: at?.event,
  errors: [{ path: 'account', message }],
});

/** An invalid event must not take its neighbours along. */
function validateEach(events: readonly unknown[]): { valid: IndexedEvent[]; invalid: RejectedEvent[] } {
  const valid: IndexedEvent[] = [];
  const invalid: RejectedEvent[] = [];
  for (const [index, event] of events.entries()) {
    const result = validate(producerEvent, event);
    if ('value' in result) valid.push({ event: result.value, index });
    else invalid.push({ index, event, errors: fieldErrors(result.errors) satisfies FieldError[] });
  }
  return { valid, invalid };
}

/** Publishes all but the events of accounts that are over their limit, and returns those. */
async function publishWhatFits(
  events: readonly RoutedEvent[],
  publish: (events: readonly RoutedEvent[]) => Promise<void>,
): Promise<readonly RoutedEvent[]> {
  const refused: RoutedEvent[] = [];
  let fitting = events;
  for (;;) {
    try {
      await publish(fitting);
      return refused;
    } catch (error) {
      if (!(error instanceof TooManyWaitingError)) throw error;
      refused.push(...fitting.filter(({ event }) => event.account === error.account));
      const rest = fitting.filter(({ event }) => event.account !== error.account);
      if (rest.length === fitting.length) throw error;
      fitting = rest;
    }
  }
}

/** Names the chunk of a job, the same at every run: letters and digits, whatever the producer's id is made of. */
export const chunkIdOf = (job: Pick<Job, 'id' | 'timestamp'>): string =>
  `r${createHash('sha256')
    .update(`${job.id ?? ''}:${job.timestamp}`)
    .digest('hex')
    .slice(0, 32)}`;
