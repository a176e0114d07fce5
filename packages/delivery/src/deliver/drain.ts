import type { BreakerPolicy, BreakerState, SizeLimit } from '@mailhook/core';
import { breakerAfter, isAddressAtFault, isOutdated, limitsIn, NO_LIMITS, sizeLimitText } from '@mailhook/core';
import type { NextRequest } from '../mailbox/commands/engine.ts';
import type { DrainReply, FrozenBatch, SendTarget } from '../mailbox/replies.ts';
import { breakerOf, newEvents, sizeLimitOf } from '../mailbox/state.ts';
import type { RequestHandle } from '../receiver-client/exchange.ts';
import type { Attempt } from '../record/attempt.ts';
import { CATCH_UP_MS, HELD_FIRST_MS, HELD_MAX_MS, POLL_FIRST_MS, POLL_MAX_MS } from './limits.ts';
import type { PendingSettle } from './settle.ts';

/** A batch in flight or held. */
export interface Flight extends RequestHandle {
  readonly batch: FrozenBatch;
  readonly drain: Drain;
  startedMs: number;
}

/**
 * - draining: the worker freezes batches of the destination and sends them
 * - releasing: it freezes no more, and releases the destination when nothing is in flight
 * - giving up: it gives up the destination's events
 * - ended: it owns the destination no longer
 */
export type DrainPhase = 'draining' | 'releasing' | 'giving up' | 'ended';

/** What the pool does after a reply. */
export type Action = 'nothing' | 'ask' | 'give up' | 'give up expired' | 'park' | 'end';

/** What attempts have shown. The times are of the worker's clock. */
interface Learned {
  /** The breaker after the attempts, and the error of the last failure. */
  readonly breaker?: BreakerState & { readonly error: string };
  /** The receiver answered 410: why. */
  readonly gone?: string;
  /** The destination's size limit (`sizeLimitText`). */
  readonly size?: string;
}

/** The part of a call that one drain wrote, to be compared with what it has learned since. */
export interface Asked {
  readonly request: NextRequest;
  readonly learned: Learned | undefined;
}

/** What decides what an attempt changes. `nowMs`: when it ended, by the worker's clock. */
interface AttemptRules {
  readonly breaker: BreakerPolicy;
  readonly windowMax: number;
  readonly nowMs: number;
}

/**
 * One destination that this worker owns, while it owns it: a state machine without IO. The pool gives it replies,
 * attempts and ticks, and does what it returns.
 */
export class Drain {
  readonly destination: string;
  /** Fencing token. Redis refuses calls with this token once another worker owns the destination. */
  readonly token: string;
  readonly ownedSinceMs: number;
  /** In flight or held, oldest first. */
  readonly flights: Flight[] = [];
  lastStartMs: number;
  #phase: DrainPhase = 'draining';
  /** Whether a call failed or Redis has more batches than this worker, so that the next call must tell both. */
  #isLost = false;
  #target: SendTarget | undefined;
  #revision = 0;
  /** The size limit in the last reply. It may be older than `#sizeLimit`. */
  #sizeText = '';
  /** The largest request that the receiver takes, if known. */
  #sizeLimit: SizeLimit | undefined;
  /** Most batches of new events in flight, and most resends. A success doubles it, a failure sets it to 1. */
  #window = 1;
  /** Most batches in flight that the destination allows, 0 without a record. */
  #concurrency = 0;
  #breaker: BreakerState;
  /** What Redis does not know yet of the current version of the record. */
  #learned: Learned | undefined;
  #settles: PendingSettle[] = [];
  /** Frozen but not sent, because the lease was not fresh, because of a local fault, or to keep the pace. */
  #held: Flight[] = [];
  #heldUntilMs = 0;
  #heldMs = 0;
  /** Most requests per second, or undefined without a limit. */
  #limits = NO_LIMITS;
  /** Whether Redis has events to send that are not in flight, as far as this worker knows. */
  #isMoreWaiting = false;
  /** With a pace, when the next request may start. */
  #nextStartMs = 0;
  #pollAtMs: number;
  #pollMs = POLL_FIRST_MS;

  constructor(
    { destination, state, nowMs }: Pick<DrainReply, 'destination' | 'state' | 'nowMs'>,
    ownedSinceMs: number,
  ) {
    this.destination = destination;
    this.token = state.owner;
    this.ownedSinceMs = ownedSinceMs;
    this.lastStartMs = ownedSinceMs;
    this.#breaker = breakerOf(state, nowMs, ownedSinceMs);
    this.#pollAtMs = ownedSinceMs + POLL_FIRST_MS;
  }

  get phase(): DrainPhase {
    return this.#phase;
  }

  get account(): string {
    return this.#target?.account ?? '';
  }

  get target(): SendTarget | undefined {
    return this.#target;
  }

  get failures(): number {
    return this.#breaker.failures;
  }

  get settles(): readonly PendingSettle[] {
    return this.#settles;
  }

  get isHolding(): boolean {
    return this.#held.length > 0;
  }

  /**
   * Whether its next step only writes successes and, as far as this worker knows, finds nothing more to send. Then only
   * events that another worker appends meanwhile wait for the step.
   */
  get mayWait(): boolean {
    return (
      this.#phase === 'draining' &&
      this.flights.length === 0 &&
      !this.#isMoreWaiting &&
      !this.#isLost &&
      this.#learned === undefined &&
      this.#settles.length > 0 &&
      this.#settles.every(({ followUps }) => followUps.length === 0)
    );
  }

  /** This worker has appended events to its mailbox. */
  onAppended(): void {
    this.#isMoreWaiting = true;
  }

  /** This drain's part of the next call. Freezes nothing unless `mayFreeze`. */
  ask(mayFreeze: boolean, nowMs: number): Asked {
    const learned = this.#learned;
    const request: NextRequest = {
      destination: this.destination,
      account: this.account,
      token: this.token,
      version: this.#target?.version ?? 0,
      revision: this.#revision,
      // Settles that are added later belong to the next call.
      settles: this.#settles.slice(),
      window: this.#phase === 'releasing' || !mayFreeze ? 0 : this.#pacedWindow(),
      isReleasing: this.#phase === 'releasing',
      inFlight: this.flights.map(({ batch }) => batch.id),
      isLost: this.#isLost,
      learned: learned && { ...learned, breaker: learned.breaker && sentBreaker(learned.breaker, nowMs) },
    };
    return { request, learned };
  }

  /** A call has written this part. */
  onWritten({ request: { settles }, learned }: Asked): void {
    this.#settles = this.#settles.slice(settles.length);
    this.#isLost = false;
    if (this.#learned === learned) this.#learned = undefined;
  }

  /** A call failed. It may have been executed, so Redis may hold frozen batches that were not sent. */
  onFailedCall(): void {
    this.#isLost = true;
  }

  /**
   * Applies a reply. `flights`: what to send now. `isFull`: the worker has no room for more batches, but another one
   * may have.
   */
  onReply(
    reply: DrainReply,
    nowMs: number,
    isFull: boolean,
  ): { readonly flights: readonly Flight[]; readonly action: Action } {
    this.#applyTarget(reply, nowMs);
    const { dueResends, sendNow } = reply.state;
    this.#isMoreWaiting = newEvents(reply.state) + dueResends > 0 || sendNow !== '';
    if (reply.batches.length > 0) this.#resetPoll(nowMs);
    const flights: Flight[] = [];
    if (reply.status !== 'refused' && nowMs >= this.#heldUntilMs) flights.push(...this.#held.splice(0));
    for (const batch of reply.batches) flights.push(this.#newFlight(batch));
    return { flights, action: this.#actionAfter(reply.status, isFull) };
  }

  #actionAfter(status: DrainReply['status'], isFull: boolean): Action {
    if (this.#phase === 'ended') return 'end';
    switch (status) {
      case 'ok':
        return 'nothing';
      case 'again':
        if (isFull) this.release();
        return 'ask';
      case 'lost':
        this.#isLost = true;
        return 'ask';
      case 'give up':
      case 'expired':
        if (this.#phase === 'giving up') return 'nothing';
        this.#phase = 'giving up';
        return status === 'give up' ? 'give up' : 'give up expired';
      case 'parked':
        this.#phase = 'ended';
        return 'park';
      case 'idle':
      case 'released':
      case 'unknown':
      case 'refused':
        this.#phase = 'ended';
        return 'end';
    }
  }

  /** Freezes no more. The pool asks when nothing is in flight. */
  release(): void {
    if (this.#phase === 'draining') this.#phase = 'releasing';
  }

  /** The events are given up, or as many as Redis let this worker. */
  onGivenUp(isReleasing: boolean): void {
    if (this.#phase === 'giving up') this.#phase = isReleasing ? 'releasing' : 'draining';
  }

  /** Another claim of this worker has replaced it, or the worker forgets it. Returns the batches that it held. */
  end(): readonly Flight[] {
    this.#phase = 'ended';
    return this.#held.splice(0);
  }

  /** Removes a batch that is no longer in flight. */
  endFlight(flight: Flight): void {
    const at = this.flights.indexOf(flight);
    if (at >= 0) this.flights.splice(at, 1);
  }

  /**
   * The target to send a batch to now, or undefined: the drain then holds it. `isShort`: the pool saves what its
   * process or machine lacks.
   */
  targetFor(
    flight: Flight,
    nowMs: number,
    { isLeased, isShort }: { isLeased: boolean; isShort: boolean },
  ): SendTarget | undefined {
    if (this.#target === undefined || !isLeased || nowMs < this.#heldUntilMs) {
      this.#held.push(flight);
      return undefined;
    }
    if (isShort && this.#breaker.failures > 0 && this.#heldMs < HELD_MAX_MS) {
      this.onLocalFault(flight, nowMs);
      return undefined;
    }
    if (!this.#keepsPace(nowMs)) {
      this.#held.push(flight);
      this.#heldUntilMs = this.#nextStartMs;
      return undefined;
    }
    flight.startedMs = nowMs;
    this.lastStartMs = nowMs;
    return this.#target;
  }

  /** Holds a batch after a local fault. The pause doubles once per pause, not once per batch. */
  onLocalFault(flight: Flight, nowMs: number): void {
    this.#held.push(flight);
    if (nowMs < this.#heldUntilMs) return;
    this.#heldMs = Math.min(Math.max(this.#heldMs * 2, HELD_FIRST_MS), HELD_MAX_MS);
    this.#heldUntilMs = nowMs + this.#heldMs;
  }

  /**
   * Applies an attempt: its settle, the breaker, the window, the size limit and a 410. A blocked address shows nothing
   * about the receiver. An attempt with an older version of the record shows nothing about the current one.
   */
  onAttempt(attempt: Attempt, settle: PendingSettle, { breaker: policy, windowMax, nowMs }: AttemptRules): void {
    this.#heldMs = 0;
    this.#settles.push(settle);
    const { outcome } = attempt.sent;
    if (outcome.name === 'blocked' || attempt.target.version !== this.#target?.version) return;
    this.#learnSize(attempt);
    // A request that was too large shows nothing about the receiver's health.
    if (attempt.settlement.isHalved === true) return;
    const succeeded = outcome.name === 'delivered';
    const breaker = breakerAfter(this.#breaker, succeeded, policy, nowMs);
    if (!isSame(breaker, this.#breaker)) {
      this.#breaker = breaker;
      this.#learn({ breaker: { ...breaker, error: outcome.error?.packed ?? '' } });
    }
    this.#window = succeeded ? Math.min(this.#window * 2, this.#placesOf(windowMax)) : 1;
    if (isAddressAtFault(outcome)) this.#learn({ gone: outcome.error?.packed ?? '' });
  }

  /** Whether to ask for a step now: to send what was held, or to look for new events while requests are in flight. */
  onTick(nowMs: number, windowMax: number, isLeased: boolean): boolean {
    if (this.#held.length > 0 && nowMs >= this.#heldUntilMs && isLeased) return true;
    if (this.flights.length === 0 || this.#phase !== 'draining' || nowMs < this.#pollAtMs) return false;
    if (!this.hasPlace('any', windowMax)) return false;
    this.#pollMs = Math.min(this.#pollMs * 2, POLL_MAX_MS);
    this.#pollAtMs = nowMs + this.#pollMs;
    return true;
  }

  /** Whether the window has room for a new batch, or for any batch, beside those in flight. */
  hasPlace(kind: 'new' | 'any', windowMax: number): boolean {
    const { length } = this.flights;
    if (length >= this.#placesOf(windowMax)) return false;
    const window = this.#pacedWindow();
    let resends = 0;
    for (const { batch } of this.flights) if (batch.lane === 'x') resends += 1;
    return length - resends < window || (kind === 'any' && resends < window);
  }

  #placesOf(windowMax: number): number {
    return this.#concurrency === 0 ? windowMax : Math.min(windowMax, this.#concurrency);
  }

  /**
   * The window under the destination's pace. Few batches are frozen ahead for a slow pace, because a batch that was
   * frozen and not sent counts as an attempt if its worker dies.
   */
  #pacedWindow(): number {
    const { maxRequestsPerSecond: pace } = this.#limits;
    return pace === null ? this.#window : Math.min(this.#window, Math.ceil(pace / 4));
  }

  /**
   * Whether a request may start now under the destination's pace. If so, it counts. If not, `#nextStartMs` says when. A
   * worker waits for the pause of one request first, because the owner before it may just have sent one.
   */
  #keepsPace(nowMs: number): boolean {
    const { maxRequestsPerSecond: pace } = this.#limits;
    if (pace === null) return true;
    const pauseMs = 1000 / pace;
    if (this.#nextStartMs === 0) this.#nextStartMs = this.ownedSinceMs + pauseMs;
    if (nowMs < this.#nextStartMs) return false;
    this.#nextStartMs = Math.max(this.#nextStartMs, nowMs - CATCH_UP_MS) + pauseMs;
    return true;
  }

  /** A new version of the record starts with a new breaker. New settings leave the version as it is. */
  #applyTarget({ target, state, nowMs: redisNowMs, status }: DrainReply, nowMs: number): void {
    const known = this.#target;
    if (target !== undefined) {
      const { account, address, credentials } = target;
      const { version } = state;
      if (known?.credentials !== credentials) this.#limits = limitsIn(credentials);
      if (known !== undefined && known.version !== version) {
        this.#breaker = breakerOf(state, redisNowMs, nowMs);
        this.#learned = undefined;
        this.#sizeText = '';
        this.#sizeLimit = undefined;
      }
      this.#revision = state.revision;
      this.#target = { account, address, version, credentials };
    }
    if (status === 'refused') return;
    this.#concurrency = state.concurrency;
    if (state.size === this.#sizeText) return;
    this.#sizeText = state.size;
    this.#sizeLimit = sizeLimitOf(state);
  }

  #newFlight(batch: FrozenBatch): Flight {
    const flight: Flight = { drain: this, batch, startedMs: 0, cut: undefined, isInLine: false };
    this.flights.push(flight);
    return flight;
  }

  #resetPoll(nowMs: number): void {
    this.#pollMs = POLL_FIRST_MS;
    this.#pollAtMs = nowMs + POLL_FIRST_MS;
  }

  #learn(more: Learned): void {
    this.#learned = { ...this.#learned, ...more };
  }

  #learnSize({ settlement: { fittingBytes }, sent, endedAtMs }: Attempt): void {
    const known = this.#sizeLimit;
    if (fittingBytes !== undefined) this.#sizeLimit = { maxBytes: fittingBytes, sinceMs: endedAtMs };
    else if (known !== undefined && sent.outcome.name === 'delivered' && isOutdated(known, endedAtMs))
      this.#sizeLimit = undefined;
    if (this.#sizeLimit !== known) this.#learn({ size: sizeLimitText(this.#sizeLimit) });
  }
}

const isSame = (a: BreakerState, b: BreakerState): boolean =>
  a.failures === b.failures && a.parkMs === b.parkMs && a.parkedUntilMs === b.parkedUntilMs;

/** Times cross to Redis as remaining milliseconds, because its clock and a worker's differ. */
const sentBreaker = (
  { failures, parkMs, parkedUntilMs, error }: NonNullable<Learned['breaker']>,
  nowMs: number,
): NonNullable<NonNullable<NextRequest['learned']>['breaker']> => ({
  failures,
  parkMs,
  leftMs: parkedUntilMs === 0 ? undefined : Math.max(0, parkedUntilMs - nowMs),
  error,
});
