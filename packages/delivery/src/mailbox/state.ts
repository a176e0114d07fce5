import type { BreakerState, SizeLimit } from '@mailhook/core';
import { readSizeLimit } from '@mailhook/core';

/** `f` fresh, `u` unsubscribes, `x` a resend. */
export type Lane = 'f' | 'u' | 'x';

/** A batch of the window: frozen, and not trimmed yet. */
export interface WindowBatch {
  readonly id: string;
  readonly lane: Lane;
  readonly isSettled: boolean;
  /** Entries at the head of its lane, after those of the batches before it. None for a resend. */
  readonly entries: number;
  readonly events: number;
  /** Freezings for a send, this one included. */
  readonly attempt: number;
  readonly bytes: number;
}

/**
 * The state of a mailbox, as `lua/includes/state.lua` packs it. Times are Unix milliseconds by the time of the
 * commands, 0 for none.
 */
export interface MailboxState {
  /** IDLE, READY, OWNED or WAITING. */
  readonly status: number;
  /** UNKNOWN to DELETED. */
  readonly record: number;
  readonly lastLane: 'f' | 'u';
  readonly wasResendLast: boolean;
  readonly isProven: boolean;
  /** Whether it is in the set `backlog`. */
  readonly isListed: boolean;
  /** Events that are not frozen. */
  readonly fresh: number;
  readonly unsubscribes: number;
  /** Of the record. */
  readonly version: number;
  readonly revision: number;
  readonly holdsEventsSinceMs: number;
  /** The owner's token, '' without one. */
  readonly owner: string;
  /** Whether the first entry of the lane f is in the hash `heads`. */
  readonly hasHead: boolean;
  readonly window: readonly WindowBatch[];
  /** Of the resends, those that are due. */
  readonly dueResends: number;
  readonly resends: number;
  readonly failures: number;
  readonly parkMs: number;
  readonly parkedUntilMs: number;
  readonly pausedUntilMs: number;
  /** BY_CUSTOMER or BY_OPERATOR. */
  readonly pausedBy: number;
  /** Events that were accepted until then are given up. */
  readonly giveUpUntilMs: number;
  /** As `sizeLimitText` writes it. */
  readonly size: string;
  readonly sendNow: string;
  /** Of the last failure, while `failures` is not 0. */
  readonly error: string;
}

const HAS_RARE = 1;
const IS_LISTED = 2;
const HAS_HEAD = 4;
const NO_BATCHES: readonly WindowBatch[] = [];
const LANES: Readonly<Record<number, Lane>> = { 102: 'f', 117: 'u', 120: 'x' };

/** Where the owner's token begins; its length precedes it. */
const OWNER_AT = 31;

/** The part of a state that most mailboxes do not need. */
const NOTHING_RARE = {
  dueResends: 0,
  resends: 0,
  failures: 0,
  parkMs: 0,
  parkedUntilMs: 0,
  pausedUntilMs: 0,
  pausedBy: 0,
  giveUpUntilMs: 0,
  size: '',
  sendNow: '',
  error: '',
};

/** Reads a packed state. The state of a mailbox that has none is `NO_STATE`. */
export function readState(bytes: Buffer): MailboxState {
  const [status = 0, record = 0, last, turn, proven, parts = 0] = bytes;
  let at = OWNER_AT + (bytes[OWNER_AT - 1] ?? 0);
  const owner = bytes.toString('latin1', OWNER_AT, at);
  const count = bytes[at] ?? 0;
  at += 1;
  let window = NO_BATCHES as WindowBatch[];
  if (count > 0) window = [];
  for (let i = 0; i < count; i += 1) {
    const end = at + 13 + (bytes[at + 12] ?? 0);
    window.push({
      id: bytes.toString('latin1', at + 13, end),
      lane: LANES[bytes[at] ?? 0] ?? 'f',
      isSettled: bytes[at + 1] === 1,
      entries: bytes.readUInt16BE(at + 2),
      events: bytes.readUInt16BE(at + 4),
      attempt: bytes.readUInt16BE(at + 6),
      bytes: bytes.readUInt32BE(at + 8),
    });
    at = end;
  }
  const rare = (parts & HAS_RARE) === 0 ? NOTHING_RARE : readRare(bytes, at);
  // No spread: it makes objects several times as large.
  return {
    status,
    record,
    lastLane: last === 1 ? 'u' : 'f',
    wasResendLast: turn === 1,
    isProven: proven === 1,
    isListed: (parts & IS_LISTED) !== 0,
    fresh: bytes.readUInt32BE(6),
    unsubscribes: bytes.readUInt32BE(10),
    version: bytes.readUIntBE(14, 6),
    revision: bytes.readUInt32BE(20),
    holdsEventsSinceMs: bytes.readUIntBE(24, 6),
    owner,
    hasHead: (parts & HAS_HEAD) !== 0,
    window,
    dueResends: rare.dueResends,
    resends: rare.resends,
    failures: rare.failures,
    parkMs: rare.parkMs,
    parkedUntilMs: rare.parkedUntilMs,
    pausedUntilMs: rare.pausedUntilMs,
    pausedBy: rare.pausedBy,
    giveUpUntilMs: rare.giveUpUntilMs,
    size: rare.size,
    sendNow: rare.sendNow,
    error: rare.error,
  };
}

function readRare(bytes: Buffer, at: number): typeof NOTHING_RARE {
  const sizeAt = at + 34;
  const sendNowAt = sizeAt + (bytes[sizeAt - 1] ?? 0) + 1;
  const errorAt = sendNowAt + (bytes[sendNowAt - 1] ?? 0) + 2;
  return {
    dueResends: bytes.readUInt32BE(at),
    resends: bytes.readUInt32BE(at + 4),
    failures: bytes.readUInt16BE(at + 8),
    parkMs: bytes.readUInt32BE(at + 10),
    parkedUntilMs: bytes.readUIntBE(at + 14, 6),
    pausedUntilMs: bytes.readUIntBE(at + 20, 6),
    pausedBy: bytes[at + 26] ?? 0,
    giveUpUntilMs: bytes.readUIntBE(at + 27, 6),
    size: bytes.toString('latin1', sizeAt, sendNowAt - 1),
    sendNow: bytes.toString('latin1', sendNowAt, errorAt - 2),
    error: bytes.toString('utf8', errorAt, errorAt + bytes.readUInt16BE(errorAt - 2)),
  };
}

/** The state of a mailbox that holds, waits for and remembers nothing. Its record is in the record only. */
export const NO_STATE: MailboxState = {
  status: 0,
  record: 0,
  lastLane: 'f',
  wasResendLast: false,
  isProven: false,
  isListed: false,
  fresh: 0,
  unsubscribes: 0,
  version: 0,
  revision: 0,
  holdsEventsSinceMs: 0,
  owner: '',
  hasHead: false,
  window: NO_BATCHES,
  ...NOTHING_RARE,
};

/**
 * The breaker of a state, with times of the reader's clock. `redisNowMs` and `nowMs`: the time of the commands when it
 * was read, and the reader's.
 */
export const breakerOf = (state: MailboxState, redisNowMs: number, nowMs: number): BreakerState => ({
  failures: state.failures,
  parkMs: state.parkMs,
  // A past time stays a time, because a probe depends on it.
  parkedUntilMs: state.parkedUntilMs === 0 ? 0 : nowMs + Math.max(0, state.parkedUntilMs - redisNowMs),
});

/** How long a parked mailbox waits until it is woken. `nowMs`: the time of the commands when it was read. */
export const waitOf = ({ parkedUntilMs, pausedUntilMs }: MailboxState, nowMs: number): number =>
  Math.max(0, (pausedUntilMs > nowMs ? pausedUntilMs : parkedUntilMs) - nowMs);

export const sizeLimitOf = ({ size }: MailboxState): SizeLimit | undefined => readSizeLimit(size);

/** Batches that are frozen and not settled. */
export const inFlightOf = ({ window }: MailboxState): readonly WindowBatch[] =>
  window.filter(({ isSettled }) => !isSettled);

/** Whether the mailbox holds new events, those in flight included. */
export const holdsEvents = ({ fresh, unsubscribes, window }: MailboxState): boolean =>
  fresh + unsubscribes > 0 || window.length > 0;
