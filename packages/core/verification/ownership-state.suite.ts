import type { Rule } from './ownership-rules.suite.ts';

export interface World {
  readonly chunks: number;
  /** Most events of a batch. */
  readonly batchMax: number;
  /**
   * Crashes and stalls. A stalled worker loses its job locks, and its lease if it stalls for long enough, and may go on
   * at any time.
   */
  readonly faults: number;
  /** Calls of functions that run but lose their reply, while the worker lives on. */
  readonly losses: number;
  /** Requests that the receiver does not confirm, or confirms in part. */
  readonly failures: number;
  /** Waits in the schedule. One more failure makes a dead letter. */
  readonly schedule: number;
  readonly parkings: number;
  readonly deletions: number;
  /** Pauses by an operator. */
  readonly pauses: number;
  /** Times that an operator gives up the events of the destination. */
  readonly giveUps: number;
  /** Whether the destination is on the last page of the search for a worker's destinations, not on the first of two. */
  readonly isOnLastPage: boolean;
  readonly without?: Rule;
}

export const WORKERS = 2;
export const IN_FLIGHT_MAX = 2;

export const NOBODY = -1;
/** The owner is a crashed worker that had a lease. The lease expires, so a survivor puts its destination back. */
export const DEAD = -2;
/**
 * The owner is a crashed worker that had no lease, or whose search has passed the destination. No survivor finds it.
 */
export const UNKNOWN = -3;

type Kind = 'f' | 'x';
type Answer = '?' | 'ok' | 'no' | 'part';

export interface Batch {
  readonly kind: Kind;
  readonly events: readonly number[];
  readonly attempt: number;
  /** The recorded failures when the batch was frozen. */
  readonly step: number;
  answer: Answer;
}
/**
 * A batch in the window, identified by its kind and first event. `size` counts its events at the head of the mailbox. A
 * resend has none there.
 */
export interface Entry {
  readonly kind: Kind;
  readonly id: number;
  readonly size: number;
  attempt: number;
  done: boolean;
}
export interface Resend {
  events: readonly number[];
  attempt: number;
  step: number;
  where: 'later' | 'due' | 'window';
  /** Whether its wake-up job was added. Matters only without the rule 'reconcile'. */
  job: boolean;
}
export interface Drain {
  /** Whether its token is the current one. */
  current: boolean;
  isGivingUp: boolean;
  /** Whether the drain knows that a reply was lost. */
  resync: boolean;
  readonly flights: Batch[];
}
interface Run {
  readonly chunk: number;
  appended: boolean;
  /** False after a stall, when BullMQ makes the job available to another run. */
  locked: boolean;
}
export interface Worker {
  lease: 'none' | 'held' | 'over';
  /** Whether survivors have searched the first of two pages for its destinations. */
  searched: boolean;
  readonly runs: Run[];
  readonly drains: Drain[];
  /** Failed batches that are not yet moved. Used only without the rule 'move in the settling function'. */
  readonly moves: Resend[];
  /** Resends without a wake-up job. Used only without the rule 'reconcile'. */
  readonly adds: number[];
}

export interface State {
  readonly jobs: ('waiting' | 'active' | 'gone')[];
  readonly marks: boolean[];
  lane: number[];
  window: Entry[];
  resends: Resend[];
  owner: number;
  ready: boolean;
  breaker: 'closed' | 'parked' | 'probing';
  /** Whether the destination will be woken when its parking or pause ends. */
  parked: boolean;
  deleted: boolean;
  paused: boolean;
  /** Events that an operator gave up and no worker has removed yet. */
  givenUp: readonly number[];
  readonly workers: Worker[];
  /** The last frozen attempt of each event. */
  readonly attempts: number[];
  readonly fate: ('' | 'delivered' | 'dead' | 'discarded')[];
  /** The faults and outside decisions that may still happen. */
  readonly left: {
    faults: number;
    losses: number;
    failures: number;
    parkings: number;
    deletions: number;
    pauses: number;
    giveUps: number;
  };
  wrong: string | undefined;
}

const copyWorker = (worker: Worker): Worker => ({
  lease: worker.lease,
  searched: worker.searched,
  runs: worker.runs.map(({ chunk, appended, locked }) => ({ chunk, appended, locked })),
  drains: worker.drains.map(({ current, isGivingUp, resync, flights }) => ({
    current,
    isGivingUp,
    resync,
    flights: flights.map(({ kind, events, attempt, step, answer }) => ({ kind, events, attempt, step, answer })),
  })),
  moves: worker.moves.map((resend) => ({ ...resend })),
  adds: [...worker.adds],
});

/** A copy to change. Copies field by field, because the exploration spends most of its time here. */
export const copy = (state: State): State => ({
  jobs: [...state.jobs],
  marks: [...state.marks],
  lane: [...state.lane],
  window: state.window.map(({ kind, id, size, attempt, done }) => ({ kind, id, size, attempt, done })),
  resends: state.resends.map(({ events, attempt, step, where, job }) => ({ events, attempt, step, where, job })),
  owner: state.owner,
  ready: state.ready,
  breaker: state.breaker,
  parked: state.parked,
  deleted: state.deleted,
  paused: state.paused,
  givenUp: state.givenUp,
  workers: state.workers.map(copyWorker),
  attempts: [...state.attempts],
  fate: [...state.fate],
  left: { ...state.left },
  wrong: state.wrong,
});

export const hasInFlight = (state: State): boolean => state.window.some((entry) => !entry.done);
export const hasDue = (state: State): boolean => state.resends.some((resend) => resend.where === 'due');
/** Whether the mailbox holds events or a resend is due. */
export const waits = (state: State): boolean => state.lane.length > 0 || hasDue(state);
export const holdsAnything = (state: State): boolean =>
  state.lane.length > 0 || state.window.length > 0 || state.resends.length > 0;
export const frozenEvents = (state: State): number => state.window.reduce((sum, entry) => sum + entry.size, 0);

export const newWorker = (): Worker => ({
  lease: 'held',
  searched: false,
  runs: [],
  drains: [],
  moves: [],
  adds: [],
});

/** The state before the first step. */
export function initialState(world: World): State {
  const events = Array.from({ length: world.chunks }, (_, event) => event);
  return {
    jobs: events.map(() => 'waiting'),
    marks: events.map(() => false),
    lane: [],
    window: [],
    resends: [],
    owner: NOBODY,
    ready: false,
    breaker: 'closed',
    parked: false,
    deleted: false,
    paused: false,
    givenUp: [],
    workers: Array.from({ length: WORKERS }, newWorker),
    attempts: events.map(() => 0),
    fate: events.map(() => ''),
    left: {
      faults: world.faults,
      losses: world.losses,
      failures: world.failures,
      parkings: world.parkings,
      deletions: world.deletions,
      pauses: world.pauses,
      giveUps: world.giveUps,
    },
    wrong: undefined,
  };
}

const encodeBatch = (batch: Batch): string =>
  `${batch.kind}${batch.events.join('')}/${batch.attempt}.${batch.step}${batch.answer}`;
const encodeResend = (r: Resend): string => `${r.events.join('')}/${r.attempt}.${r.step}${r.where}${r.job ? 'j' : ''}`;
const encodeWorker = (worker: Worker, owns: boolean): string =>
  `${worker.lease}${worker.searched ? '1' : ''}${owns ? '*' : ''}${worker.runs
    .map((run) => `r${run.chunk}${run.appended ? 'a' : ''}${run.locked ? 'l' : ''}`)
    .sort()
    .join('')}${worker.drains
    .map(
      (drain) =>
        `d${drain.current ? '!' : ''}${drain.isGivingUp ? 'p' : ''}${drain.resync ? 's' : ''}` +
        drain.flights.map(encodeBatch).join(),
    )
    .sort()
    .join('')}m${worker.moves.map(encodeResend).join()}${worker.adds.join('')}`;

/** Sorts the workers, because they are interchangeable. */
export function encode(state: State): string {
  const { left } = state;
  const workers = state.workers.map((worker, w) => encodeWorker(worker, state.owner === w)).sort();
  const window = state.window.map((e) => `${e.kind}${e.id}${e.size}/${e.attempt}${e.done ? 'd' : ''}`).join();
  return [
    state.jobs.join(),
    state.marks.join(),
    state.lane.join(''),
    window,
    state.resends.map(encodeResend).join(),
    Math.min(state.owner, 0),
    state.ready,
    state.breaker,
    state.parked,
    state.deleted,
    state.paused,
    state.givenUp.join(''),
    state.attempts.join(''),
    state.fate.join(),
    Object.values(left).join(''),
    ...workers,
    state.wrong ?? '',
  ].join('|');
}
