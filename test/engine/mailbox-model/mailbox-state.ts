/** The name of an event, which is also its content. */
export type Name = string;
export type Lane = 'f' | 'u';

interface WindowBatch {
  readonly id: string;
  readonly lane: Lane | 'x';
  readonly entries: number;
  readonly events: readonly Name[];
  readonly bytes: number;
  attempt: number;
  isSettled: boolean;
}

/** An entry of a lane. */
export interface Entry {
  readonly atMs: number;
  readonly events: readonly Name[];
}

interface Resend {
  readonly events: readonly Name[];
  attempt: number;
  place: 'later' | 'due' | 'window';
  dueAtMs: number;
}

/** Everything that Redis may lose with its last writes. */
export interface MailboxState {
  record: { active: boolean; deleted: boolean; version: number };
  status: 'idle' | 'ready' | 'owned' | 'waiting';
  owner: string;
  lanes: Record<Lane, Entry[]>;
  window: WindowBatch[];
  resends: Map<string, Resend>;
  /** May hold ids of resends that no longer exist. */
  due: string[];
  breaker: { failures: number; parkMs: number; parkedUntilMs: number };
  pausedUntilMs: number;
  /** An operator gave up the events accepted until this time. 0 for none. */
  givenUpUntilMs: number;
  lastLane: Lane;
  deadLetters: Map<string, readonly Name[]>;
  accepted: Set<Name>;
  delivered: Set<Name>;
  dropped: Set<Name>;
  erased: Set<Name>;
}

export const newState = (): MailboxState => ({
  record: { active: true, deleted: false, version: 1 },
  status: 'idle',
  owner: '',
  lanes: { f: [], u: [] },
  window: [],
  resends: new Map(),
  due: [],
  breaker: { failures: 0, parkMs: 0, parkedUntilMs: 0 },
  pausedUntilMs: 0,
  givenUpUntilMs: 0,
  lastLane: 'f',
  deadLetters: new Map(),
  accepted: new Set(),
  delivered: new Set(),
  dropped: new Set(),
  erased: new Set(),
});

const isPast = (untilMs: number): boolean => untilMs <= Date.now();

/** Whether a batch is in flight. */
export const hasBatchInFlight = (s: MailboxState): boolean => s.window.some(({ isSettled }) => !isSettled);
export const isPaused = (s: MailboxState): boolean => !isPast(s.pausedUntilMs);
export const isParked = (s: MailboxState): boolean => !isPast(s.breaker.parkedUntilMs);
export const isGivenUp = (s: MailboxState): boolean => s.givenUpUntilMs > 0;
/** Whether a lane holds entries, frozen ones included. */
export const holdsEvents = (s: MailboxState): boolean => s.lanes.f.length + s.lanes.u.length > 0;
export const holdsAnything = (s: MailboxState): boolean => holdsEvents(s) || s.window.length > 0 || s.resends.size > 0;

/** The entries of a lane at its head that are frozen. */
export const frozenEntries = (s: MailboxState, lane: Lane): number =>
  s.window.filter((one) => one.lane === lane).reduce((sum, { entries }) => sum + entries, 0);

/** The entries of a lane that are not frozen. */
export const unfrozen = (s: MailboxState, lane: Lane): Entry[] => s.lanes[lane].slice(frozenEntries(s, lane));

/** Whether a lane holds entries that are not frozen. */
export const holdsNew = (s: MailboxState): boolean => unfrozen(s, 'f').length + unfrozen(s, 'u').length > 0;
