import type { BreakerState, SizeLimit } from '@mailhook/core';
import { paceOf, sizeLimitText } from '@mailhook/core';
import type { RequestHandle } from '../receiver-client/exchange.ts';
import type { DrainReply, FrozenBatch, SendTarget } from '../mailbox/replies.ts';
import type { Learned, NextRequest } from '../mailbox/commands.ts';
import { breakerOf, sizeLimitOf } from '../mailbox/state.ts';
import type { PendingSettle } from './build-settle.ts';

/** A batch in flight or held. */
export interface Flight extends RequestHandle {
  readonly batch: FrozenBatch;
  readonly drain: Drain;
  startedMs: number;
}

/** One destination that this worker owns, while it owns it. */
export interface Drain {
  readonly destination: string;
  /** Fencing token. Redis refuses calls with this token once another worker owns the destination. */
  readonly token: string;
  readonly ownedSinceMs: number;
  /** Most batches of new events in flight, and most resends. A success doubles it, a failure sets it to 1. */
  window: number;
  readonly inFlight: Flight[];
  /** Frozen but not sent, because the lease was not fresh, because of a local fault, or to keep the pace. */
  held: Flight[];
  /** After a local fault, or to keep the pace, nothing is sent to this destination before this time. */
  heldUntilMs: number;
  heldMs: number;
  /** Most requests per second, or undefined without a limit. */
  pace: number | undefined;
  /** With a pace, when the next request may start. */
  nextStartMs: number;
  settles: PendingSettle[];
  target: SendTarget | undefined;
  /** The revision of the record that `target` is of. */
  revision: number;
  /** The size limit of `target` as a text. */
  sizeText: string;
  breaker: BreakerState;
  breakerChanged: boolean;
  /** The error of the last failure that the breaker counted. */
  lastError: string;
  /** The size limit that this worker learned, for one version of the record. Undefined while the stored limit is the newest one. */
  size: { readonly version: number; readonly limit: SizeLimit | undefined } | undefined;
  sizeChanged: boolean;
  gone: { readonly version: number; readonly reason: string } | undefined;
  /** The worker freezes no more batches and releases the destination when none is in flight. */
  isReleasing: boolean;
  isGivingUp: boolean;
  /** The reply to the last call was lost, so Redis may hold frozen batches that were not sent. */
  resync: boolean;
  lastStartMs: number;
  /** Whether the last attempt succeeded. */
  isProven: boolean;
  /** Characters of the batches in flight and held. */
  chars: number;
  /** Whether the destination takes no slot, because its last attempt failed or its requests have been in flight for long. */
  late: boolean;
  /** When to check for new events while requests are in flight. */
  pollAtMs: number;
  pollMs: number;
}

/** First and longest pause between two checks for new events while requests are in flight. */
export const POLL_FIRST_MS = 25;
const POLL_MAX_MS = 200;

export function newDrain(destination: string, token: string, breaker: BreakerState, nowMs: number): Drain {
  return {
    destination,
    token,
    ownedSinceMs: nowMs,
    window: 1,
    inFlight: [],
    held: [],
    heldUntilMs: 0,
    heldMs: 0,
    pace: undefined,
    nextStartMs: 0,
    settles: [],
    target: undefined,
    revision: 0,
    sizeText: '',
    breaker,
    breakerChanged: false,
    lastError: '',
    size: undefined,
    sizeChanged: false,
    gone: undefined,
    isReleasing: false,
    isGivingUp: false,
    resync: false,
    lastStartMs: nowMs,
    isProven: false,
    chars: 0,
    late: false,
    pollAtMs: nowMs + POLL_FIRST_MS,
    pollMs: POLL_FIRST_MS,
  };
}

/** A drain's part of the next call. Freezes nothing unless `mayFreeze`. */
export function requestOf(drain: Drain, mayFreeze = true): NextRequest {
  return {
    destination: drain.destination,
    account: drain.target?.account ?? '',
    token: drain.token,
    version: drain.target?.version ?? 0,
    revision: drain.revision,
    settles: drain.settles,
    window: drain.isReleasing || !mayFreeze ? 0 : windowOf(drain),
    isReleasing: drain.isReleasing,
    inFlight: drain.inFlight.map(({ batch }) => batch.id),
    isRepeated: drain.resync,
    learned: learnedBy(drain),
  };
}

/** What the drain has learned about the current version of the record and Redis does not know yet. */
function learnedBy({
  breaker,
  breakerChanged,
  lastError,
  size,
  sizeChanged,
  gone,
  target,
}: Drain): Learned | undefined {
  if (!breakerChanged && !sizeChanged && gone === undefined) return undefined;
  return {
    breaker: breakerChanged ? { ...breaker, error: lastError } : undefined,
    gone: gone?.version === target?.version ? gone?.reason : undefined,
    size: size !== undefined && sizeChanged && size.version === target?.version ? sizeLimitText(size.limit) : undefined,
  };
}

/** Whether the window has room for a new batch, or for any batch, beside those in flight. */
export function hasPlace(drain: Drain, kind: 'new' | 'any', windowMax: number): boolean {
  const { inFlight } = drain;
  if (inFlight.length >= windowMax) return false;
  const window = windowOf(drain);
  let resends = 0;
  for (const { batch } of inFlight) if (batch.lane === 'x') resends += 1;
  return inFlight.length - resends < window || (kind === 'any' && resends < window);
}

/**
 * The window under the destination's pace. Few batches are frozen ahead for a slow pace, because a batch that was frozen and not sent counts as an
 * attempt if its worker dies.
 */
function windowOf({ window, pace }: Drain): number {
  return pace === undefined ? window : Math.min(window, Math.ceil(pace / 4));
}

/**
 * Applies a reply: its record, if it has one, with the pace and, if the version is new, the breaker, and its size limit.
 * New settings leave the version as it is.
 */
export function applyTarget(drain: Drain, { target, state, nowMs, status }: DrainReply): void {
  if (target !== undefined) {
    const { account, address, credentials } = target;
    const { version } = state;
    if (drain.target?.credentials !== credentials) drain.pace = paceOf(credentials);
    if (drain.target !== undefined && drain.target.version !== version) {
      drain.breaker = breakerOf(state, nowMs);
      drain.breakerChanged = false;
    }
    drain.revision = state.revision;
    drain.sizeText = state.size;
    drain.target = { account, address, version, credentials, sizeLimit: sizeLimitOf(state) };
  } else if (drain.target !== undefined && state.size !== drain.sizeText && status !== 'refused') {
    drain.sizeText = state.size;
    drain.target = { ...drain.target, sizeLimit: sizeLimitOf(state) };
  }
}

/** Forgets the settles that a successful call has written. */
export function forgetWritten(drain: Drain, settles: number): void {
  drain.settles = drain.settles.slice(settles);
  drain.resync = false;
}

/** Doubles the pause before the next check for new events. */
export function backOffPoll(drain: Drain, nowMs: number): void {
  drain.pollMs = Math.min(drain.pollMs * 2, POLL_MAX_MS);
  drain.pollAtMs = nowMs + drain.pollMs;
}

export function resetPoll(drain: Drain, nowMs: number): void {
  drain.pollMs = POLL_FIRST_MS;
  drain.pollAtMs = nowMs + POLL_FIRST_MS;
}

/** How late a request of a paced destination may start without slowing the next ones down. Longer than a tick of the pool. */
const CATCH_UP_MS = 50;

/**
 * Whether a request may start now under the destination's pace. If so, it counts. If not, `nextStartMs` says when. A worker waits for the pause of
 * one request first, because the owner before it may just have sent one.
 */
export function keepsPace(drain: Drain, nowMs: number): boolean {
  if (drain.pace === undefined) return true;
  const pauseMs = 1000 / drain.pace;
  if (drain.nextStartMs === 0) drain.nextStartMs = drain.ownedSinceMs + pauseMs;
  if (nowMs < drain.nextStartMs) return false;
  drain.nextStartMs = Math.max(drain.nextStartMs, nowMs - CATCH_UP_MS) + pauseMs;
  return true;
}

/** First and longest pause after a local fault. */
const HELD_FIRST_MS = 250;
export const HELD_MAX_MS = 5000;

/** Holds a batch after a local fault. The pause doubles once per pause, not once per batch. */
export function hold(flight: Flight, nowMs: number): void {
  const { drain } = flight;
  drain.held.push(flight);
  if (nowMs < drain.heldUntilMs) return;
  drain.heldMs = Math.min(Math.max(drain.heldMs * 2, HELD_FIRST_MS), HELD_MAX_MS);
  drain.heldUntilMs = nowMs + drain.heldMs;
}
