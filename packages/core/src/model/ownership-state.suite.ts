import type { Rule } from './ownership-rules.suite.ts';

export interface World {
  readonly chunks: number;
  /** Most events of a batch. */
  readonly batchMax: number;
  /** Crashes and freezes (a worker loses lease and job locks, and may go on at any time). */
  readonly faults: number;
  /** Script calls that run but whose reply is lost, the worker living on. */
  readonly losses: number;
  /** Requests that the receiver does not confirm, or confirms in part. */
  readonly failures: number;
  /** Waits in the schedule: one more failure makes a dead letter. */
  readonly schedule: number;
  readonly parkings: number;
  readonly deletions: number;
  /** An operator's: pauses, and times that mail is given up. */
  readonly pauses: number;
  readonly drops: number;
  readonly without?: Rule;
}

export const WORKERS = 2;
export const IN_FLIGHT_MAX = 2;

export const NOBODY = -1;
/** A crashed worker whose lease runs out. */
export const DEAD = -2;
/** A crashed worker that nobody knows. */
export const UNKNOWN = -3;

export type Kind = 'f' | 'x';
export type Answer = '?' | 'ok' | 'no' | 'part';

export interface Batch {
  readonly kind: Kind;
  readonly events: readonly number[];
  readonly attempt: number;
  /** Recorded failures, as they were when it was frozen. */
  readonly step: number;
  answer: Answer;
}
/** A batch is named by its kind and first event. `size` counts elements at the head of the mailbox; a resend has none there. */
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
  /** Whether its wake-up job was added. Only looked at without 'reconcile'. */
  job: boolean;
}
export interface Drain {
  /** Its token is the owner. */
  current: boolean;
  purging: boolean;
  /** It knows that a reply was lost. */
  resync: boolean;
  readonly flights: Batch[];
}
export interface Run {
  readonly chunk: number;
  appended: boolean;
  /** False after a stall: BullMQ has given the job to another run. */
  locked: boolean;
}
export interface Worker {
  lease: 'none' | 'held' | 'over';
  readonly runs: Run[];
  readonly drains: Drain[];
  /** Without 'move in the settling script': failed batches not yet moved. */
  readonly moves: Resend[];
  /** Without 'reconcile': resends whose wake-up is not yet added. */
  readonly adds: number[];
}

export interface State {
  readonly jobs: ('waiting' | 'active' | 'gone')[];
  readonly marks: boolean[];
  mail: number[];
  window: Entry[];
  resends: Resend[];
  owner: number;
  ready: boolean;
  breaker: 'closed' | 'parked' | 'probing';
  /** The destination is among those to wake when the parking ends. */
  parked: boolean;
  deleted: boolean;
  paused: boolean;
  /** What an operator gave up and nobody has removed yet. */
  given: readonly number[];
  readonly workers: Worker[];
  /** Per event: the attempt last frozen for a send. */
  readonly attempts: number[];
  readonly fate: ('' | 'delivered' | 'dead' | 'dropped')[];
  /** Faults left. */
  readonly left: {
    faults: number;
    losses: number;
    failures: number;
    parkings: number;
    deletions: number;
    pauses: number;
    drops: number;
  };
  wrong: string | undefined;
}

const copyWorker = (worker: Worker): Worker => ({
  lease: worker.lease,
  runs: worker.runs.map(({ chunk, appended, locked }) => ({ chunk, appended, locked })),
  drains: worker.drains.map(({ current, purging, resync, flights }) => ({
    current,
    purging,
    resync,
    flights: flights.map(({ kind, events, attempt, step, answer }) => ({ kind, events, attempt, step, answer })),
  })),
  moves: worker.moves.map((resend) => ({ ...resend })),
  adds: [...worker.adds],
});

/** A state of its own, to be changed. Field by field: this is where the time goes. */
export const copy = (state: State): State => ({
  jobs: [...state.jobs],
  marks: [...state.marks],
  mail: [...state.mail],
  window: state.window.map(({ kind, id, size, attempt, done }) => ({ kind, id, size, attempt, done })),
  resends: state.resends.map(({ events, attempt, step, where, job }) => ({ events, attempt, step, where, job })),
  owner: state.owner,
  ready: state.ready,
  breaker: state.breaker,
  parked: state.parked,
  deleted: state.deleted,
  paused: state.paused,
  given: state.given,
  workers: state.workers.map(copyWorker),
  attempts: [...state.attempts],
  fate: [...state.fate],
  left: { ...state.left },
  wrong: state.wrong,
});

export const isOpen = (state: State): boolean => state.window.some((entry) => !entry.done);
export const isDue = (state: State): boolean => state.resends.some((resend) => resend.where === 'due');
/** There is mail to be sent now, or a resend that is due. */
export const waits = (state: State): boolean => state.mail.length > 0 || isDue(state);
export const holdsAnything = (state: State): boolean =>
  state.mail.length > 0 || state.window.length > 0 || state.resends.length > 0;
export const frozenElements = (state: State): number => state.window.reduce((sum, entry) => sum + entry.size, 0);

/** Nothing has happened yet. */
export function initialState(world: World): State {
  const events = Array.from({ length: world.chunks }, (_, event) => event);
  return {
    jobs: events.map(() => 'waiting'),
    marks: events.map(() => false),
    mail: [],
    window: [],
    resends: [],
    owner: NOBODY,
    ready: false,
    breaker: 'closed',
    parked: false,
    deleted: false,
    paused: false,
    given: [],
    workers: Array.from({ length: WORKERS }, () => ({ lease: 'held', runs: [], drains: [], moves: [], adds: [] })),
    attempts: events.map(() => 0),
    fate: events.map(() => ''),
    left: {
      faults: world.faults,
      losses: world.losses,
      failures: world.failures,
      parkings: world.parkings,
      deletions: world.deletions,
      pauses: world.pauses,
      drops: world.drops,
    },
    wrong: undefined,
  };
}

const encodeBatch = (batch: Batch): string =>
  `${batch.kind}${batch.events.join('')}/${batch.attempt}.${batch.step}${batch.answer}`;
const encodeResend = (r: Resend): string => `${r.events.join('')}/${r.attempt}.${r.step}${r.where}${r.job ? 'j' : ''}`;
const encodeWorker = (worker: Worker, owns: boolean): string =>
  `${worker.lease}${owns ? '*' : ''}${worker.runs
    .map((run) => `r${run.chunk}${run.appended ? 'a' : ''}${run.locked ? 'l' : ''}`)
    .sort()
    .join('')}${worker.drains
    .map(
      (drain) =>
        `d${drain.current ? '!' : ''}${drain.purging ? 'p' : ''}${drain.resync ? 's' : ''}${drain.flights.map(encodeBatch).join()}`,
    )
    .sort()
    .join('')}m${worker.moves.map(encodeResend).join()}${worker.adds.join('')}`;

/** Workers are interchangeable: their order does not count. */
export function encode(state: State): string {
  const { left } = state;
  const workers = state.workers.map((worker, w) => encodeWorker(worker, state.owner === w)).sort();
  const window = state.window.map((e) => `${e.kind}${e.id}${e.size}/${e.attempt}${e.done ? 'd' : ''}`).join();
  return [
    state.jobs.join(),
    state.marks.join(),
    state.mail.join(''),
    window,
    state.resends.map(encodeResend).join(),
    Math.min(state.owner, 0),
    state.ready,
    state.breaker,
    state.parked,
    state.deleted,
    state.paused,
    state.given.join(''),
    state.attempts.join(''),
    state.fate.join(),
    Object.values(left).join(''),
    ...workers,
    state.wrong ?? '',
  ].join('|');
}
