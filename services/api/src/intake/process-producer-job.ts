import { fieldErrors, validateEvent } from '@mailhook/core';
import type { EmailEventsNote, EmailEventsResult, FieldError, ProducerEvent, TraceContext } from '@mailhook/core';
import { fittingCut, slices } from '@mailhook/delivery';
import type { Publisher, RoutedEvent } from '@mailhook/delivery';
import type { Tracing } from '@mailhook/platform/tracing';
import type { RoutingTable } from '../accounts/routing-table.ts';
import type { AccountJobs } from './account-jobs.ts';
import type { IntakeMetrics } from './intake-metrics.ts';
import { AccountFullError } from './requeue.ts';
import type { RejectedEvent, RejectedEvents } from './rejected-events.ts';
import { noteIgnored } from './parse-events.ts';
import { findDestinations } from './find-destinations.ts';
import { publishTraced } from './traced-publish.ts';

export interface ProducerJobDeps {
  readonly routing: Pick<RoutingTable, 'peek' | 'load'>;
  readonly publisher: Pick<Publisher, 'publish' | 'hasPublished' | 'isOverfull'>;
  readonly rejected: Pick<RejectedEvents, 'keep' | 'hasRoom'>;
  readonly apart: Pick<AccountJobs, 'add'>;
  readonly metrics: IntakeMetrics;
  readonly tracing?: Tracing | undefined;
}

/** A job of `email-events`. Its events are not validated yet. */
export interface ProducerJob {
  readonly chunkId: string;
  readonly timestamp: number;
  readonly events: readonly unknown[];
  /** Positions of events with bytes that are not UTF-8. */
  readonly undecoded: readonly number[];
  readonly traceparent: string;
  /** The plan that an earlier run saved, and the function that saves one for the next run. */
  readonly note: EmailEventsNote;
  readonly save: (note: EmailEventsNote) => Promise<void>;
}

/**
 * Publishes a job's valid events and rejects the invalid ones. If the process dies after any step, the job runs again,
 * perhaps with other subscriptions and limits. So if a job cannot be published as a whole, the plan is saved in the job
 * first, and every later run follows it. Rejects with AccountFullError when the job must wait for its account. Resolves
 * with the job's return value, which producers may read.
 */
export async function processProducerJob(
  deps: ProducerJobDeps,
  job: ProducerJob,
  parent?: TraceContext,
): Promise<EmailEventsResult> {
  const { rejected, metrics } = deps;
  await waitForAccount(deps, job);
  const { valid, invalid, ignored } = validateEach(job);
  const { routed, unknown } = await findDestinations(
    valid.map(({ event }) => event),
    deps.routing,
  );
  const plan = await decidePlan(deps, job, routed);
  const strangers = unknown.map((position) => rejectedEvent(valid[position], 'there is no such account'));
  await rejected.keep(job.chunkId, [...invalid, ...strangers], 'invalid');
  const indexOf = new Map(valid.map(({ event, index }) => [event, index]));
  const { here, full, moved } = await publishValid(deps, { job, routed, plan, indexOf, parent });
  metrics.rejected('invalid', invalid.length);
  metrics.rejected('unknown_account', strangers.length);
  metrics.rejected('too_many_waiting', full.length);
  metrics.accepted(here);
  const refused = { validation_failed: invalid, unknown_account: strangers, too_many_waiting: full };
  return resultOf({ here, moved, ignored, ...refused });
}

type RejectionCode = NonNullable<EmailEventsResult['errors']>[number]['code'];

/**
 * The job's return value lists few errors, because BullMQ keeps it in the stream of the queue's last 10,000 jobs too.
 */
const ERRORS_MAX = 20;
const DETAIL_CHARS_MAX = 200;

function resultOf({
  here,
  moved,
  ignored,
  ...byCode
}: Readonly<Record<RejectionCode, readonly RejectedEvent[]>> & {
  readonly here: readonly RoutedEvent[];
  readonly moved: number;
  readonly ignored: ReadonlySet<string>;
}): EmailEventsResult {
  const rejected = (Object.entries(byCode) as [RejectionCode, readonly RejectedEvent[]][])
    .flatMap(([code, events]) => events.map(({ index, errors }) => ({ index, code, errors })))
    .sort((one, other) => one.index - other.index);
  const errors = rejected.slice(0, ERRORS_MAX).map((one) => ({
    index: one.index,
    code: one.code,
    detail: one.errors
      .map(({ path, message }) => (path === '' ? message : `${path}: ${message}`))
      .join('; ')
      .slice(0, DETAIL_CHARS_MAX),
  }));
  return {
    accepted: here.length,
    rejected: rejected.length,
    ...(moved === 0 ? {} : { moved }),
    ...(ignored.size === 0 ? {} : { ignored: [...ignored] }),
    ...(errors.length === 0 ? {} : { errors }),
  };
}

interface ValidEvents {
  readonly job: ProducerJob;
  readonly routed: readonly RoutedEvent[];
  readonly plan: Plan;
  readonly indexOf: ReadonlyMap<ProducerEvent, number>;
  readonly parent: TraceContext | undefined;
}

/**
 * `here` holds the events that this job publishes, `full` the rejected ones. The other events move to separate jobs.
 */
async function publishValid(
  deps: ProducerJobDeps,
  { job, routed, plan, indexOf, parent }: ValidEvents,
): Promise<{ readonly here: readonly RoutedEvent[]; readonly full: readonly RejectedEvent[]; readonly moved: number }> {
  if (plan.refused === true) {
    const full = routed.map(({ event }) =>
      rejectedEvent({ event, index: indexOf.get(event) ?? 0 }, 'too many events of this account wait to be delivered'),
    );
    await deps.rejected.keep(job.chunkId, full, 'too_many_waiting');
    return { here: [], full, moved: 0 };
  }
  const isApart = ({ event }: RoutedEvent): boolean => plan.apart?.includes(event.account) === true;
  const apart = routed.filter(isApart);
  await splitOff(deps, job, apart, indexOf);
  const here = routed.filter((one) => !isApart(one));
  if (plan.isDone !== true) await publishAll(deps, job, here, plan.cut, parent);
  return { here, full: [], moved: apart.length };
}

type Plan = EmailEventsNote & { readonly isDone?: boolean };

/**
 * Chooses the plan: the one of an earlier run, or the whole job if that is possible, or a new plan that is saved before
 * it is used.
 */
async function decidePlan(deps: ProducerJobDeps, job: ProducerJob, routed: readonly RoutedEvent[]): Promise<Plan> {
  const { publisher, rejected } = deps;
  const { refused, apart, cut } = job.note;
  if (refused !== undefined || apart !== undefined || cut !== undefined) return job.note;
  const accounts = [...new Set(routed.map(({ event }) => event.account))];
  const full = accounts.filter((account) => publisher.isOverfull(account));
  const rest = routed.filter(({ event }) => !full.includes(event.account));
  const fitting = fittingCut(rest);
  if (full.length === 0 && fitting === rest.length) return {};
  // An earlier run published the whole job, but died before it could complete the job. Its result stands.
  if (await publisher.hasPublished(routed, job.chunkId)) return { isDone: true };
  if (full.length === 1 && accounts.length === 1 && !(await rejected.hasRoom(routed.length))) {
    const [heldFor] = full;
    await job.save({ heldFor });
    throw new AccountFullError();
  }
  const chosen: EmailEventsNote =
    full.length === 1 && accounts.length === 1
      ? { refused: true }
      : { ...(full.length > 0 ? { apart: full } : {}), ...(fitting < rest.length ? { cut: fitting } : {}) };
  await job.save(chosen);
  return chosen;
}

/** Checks first whether the job must wait longer, so that even a large waiting job costs little. */
async function waitForAccount({ publisher, rejected }: ProducerJobDeps, { note, events }: ProducerJob): Promise<void> {
  if (note.heldFor === undefined || note.refused === true || !publisher.isOverfull(note.heldFor)) return;
  if (!(await rejected.hasRoom(events.length))) throw new AccountFullError();
}

/**
 * Moves the events of each overfull account to a separate job, as the producer sent them, so that the other accounts
 * need not wait.
 */
async function splitOff(
  { apart }: ProducerJobDeps,
  job: ProducerJob,
  events: readonly RoutedEvent[],
  indexOf: ReadonlyMap<ProducerEvent, number>,
): Promise<void> {
  const byAccount = new Map<string, unknown[]>();
  for (const { event } of events) {
    const own = byAccount.get(event.account) ?? [];
    own.push(job.events[indexOf.get(event) ?? 0]);
    byAccount.set(event.account, own);
  }
  await apart.add(job, byAccount);
}

async function publishAll(
  { publisher, tracing }: ProducerJobDeps,
  { chunkId }: ProducerJob,
  events: readonly RoutedEvent[],
  cut: number | undefined,
  parent: TraceContext | undefined,
): Promise<void> {
  if (cut === undefined) return publishTraced({ publisher, tracing }, { events, chunkId, parent });
  for (const [i, slice] of slices(events, cut).entries()) {
    await publishTraced({ publisher, tracing }, { events: slice, chunkId: `${chunkId}-${i}`, parent });
  }
}

interface IndexedEvent {
  readonly event: ProducerEvent;
  readonly index: number;
}

const rejectedEvent = (at: IndexedEvent | undefined, message: string): RejectedEvent => ({
  index: at?.index ?? 0,
  event: at?.event,
  errors: [{ path: 'account', message }],
});

const UNDECODED: readonly FieldError[] = [
  { path: '', message: 'is not valid UTF-8: U+FFFD stands for the wrong bytes' },
];

/** Validates each event separately, so that an invalid one does not affect the others. */
function validateEach({ events, undecoded }: ProducerJob) {
  const valid: IndexedEvent[] = [];
  const invalid: RejectedEvent[] = [];
  const ignored = new Set<string>();
  const isUndecoded = new Set(undecoded);
  for (const [index, event] of events.entries()) {
    const result = validateEvent(event);
    if (isUndecoded.has(index)) invalid.push({ index, event, errors: UNDECODED });
    else if ('value' in result) {
      valid.push({ event: result.value, index });
      noteIgnored(event, result.value, ignored);
    } else invalid.push({ index, event, errors: fieldErrors(result.errors) satisfies FieldError[] });
  }
  return { valid, invalid, ignored };
}
