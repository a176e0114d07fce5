import type { DrainReply, FrozenBatch, SendTarget } from '../mailbox/replies.ts';
import type { ByRecord } from '../mailbox/commands.ts';
import { attemptBatch } from './attempt.ts';
import { batchIds } from './batch-ids.ts';
import type { DrainPoolOptions } from './drain-pool-options.ts';
import type { Drain, Flight } from './drain.ts';
import { backOffPoll, hasPlace, HELD_MAX_MS, hold, newDrain, resetPoll, retarget } from './drain.ts';
import { flightsToCut } from './requests-to-cut.ts';
import { applyAttempt } from './apply-attempt.ts';
import { Load, NO_ROOM } from './load.ts';
import { NextCaller } from './next-caller.ts';
import { purgeAll } from './purge-all.ts';
import { reportRefused, reportSettled } from './report-settles.ts';
import { WaitingTaker } from './waiting-taker.ts';

/** A destination gives up its slot when its requests have been in flight for this long. */
const LATE_MS = 200;
/** The same while others wait for a slot. Waiting costs no CPU, and hanging receivers must not take the slots one after the other. */
const LATE_WHEN_AWAITED_MS = 50;
const TICK_MS = 25;
/** For this long after a local fault, destinations with a failed last attempt let the others go first. */
const SHORTAGE_MS = 5000;

/** The destinations that this worker owns. A script in Redis makes each change to a destination, fenced by its token. */
export class DrainPool {
  readonly #options: DrainPoolOptions;
  readonly #caller: NextCaller;
  readonly #taker: WaitingTaker;
  readonly #drains = new Map<string, Drain>();
  readonly #newId: () => string;
  readonly #timer: NodeJS.Timeout;
  readonly #load: Load;
  /** Requests in flight, oldest first. */
  readonly #flights = new Set<Flight>();
  #shortUntilMs = 0;
  #nextClaim = 1;
  #stopping = false;
  #whenEmpty: (() => void) | undefined;

  constructor(options: DrainPoolOptions) {
    this.#options = options;
    this.#newId = batchIds(options.worker);
    this.#load = new Load(options.limits);
    this.#caller = new NextCaller({
      commands: options.commands,
      limits: options.limits,
      mayFreeze: () => !this.#load.isFull,
      onReply: (drain, reply) => this.#onReply(drain, reply),
      onSettled: (drain, settles, follow) => reportSettled(drain, settles, follow, options),
      onRefused: (settles) => reportRefused(settles, options),
      onGone: ({ destination, target }, gone) => options.onGone(destination, target?.account ?? '', gone),
      onError: options.onError,
    });
    this.#taker = new WaitingTaker({
      commands: options.commands,
      worker: options.worker,
      limits: options.limits,
      room: () => this.room,
      reserveClaims: (atMost) => this.reserveClaims(atMost),
      onTaken: (replies) => this.adopt(replies),
      onEnd: () => this.#resolveWhenEmpty(),
      onError: options.onError,
    });
    this.#timer = setInterval(() => this.#tick(), TICK_MS);
  }

  /** How many more destinations this worker takes. Without a fresh lease it could not send their events. */
  get room(): ByRecord {
    return this.#stopping || !this.#options.lease.isFresh ? NO_ROOM : this.#load.room;
  }

  owns(destination: string): boolean {
    return this.#drains.has(destination);
  }

  /** Reserves claim numbers for a script call and returns the first, so that no two claims of a worker have the same token. */
  reserveClaims(atMost: number): number {
    const first = this.#nextClaim;
    this.#nextClaim += atMost;
    return first;
  }

  /** Starts to drain destinations that a script has claimed for this worker. */
  adopt(replies: readonly DrainReply[]): void {
    for (const reply of replies) {
      const drain = newDrain(reply.destination, reply.token, reply.breaker, performance.now());
      // A destination claimed during the stop is released like the others.
      drain.leaving = this.#stopping;
      const stale = this.#drains.get(reply.destination);
      if (stale !== undefined) this.#forget(stale);
      drain.isProven = reply.target?.isProven === true;
      this.#drains.set(reply.destination, drain);
      this.#load.add(drain);
      this.#onReply(drain, reply);
    }
  }

  /** Sends new events of an owned destination now, if its window has room. */
  poke(destination: string): void {
    const drain = this.#drains.get(destination);
    if (drain !== undefined && hasPlace(drain, 'new', this.#options.limits.windowMax)) this.#caller.ask(drain);
  }

  /** Reports that at least this many destinations wait for a worker. The pool takes as many as it has room for. */
  offer(waiting: ByRecord): void {
    this.#taker.offer(waiting);
  }

  /** Stops taking destinations and freezing batches. Releases each destination when no request to it is in flight. */
  leave(): void {
    this.#stopping = true;
    for (const drain of this.#drains.values()) this.#leave(drain);
  }

  /**
   * Releases every destination (see `leave`). Resolves when all are released, or after `timeoutMs`. The caller must first stop everything that may
   * claim for this pool. The batch of a later claim could be in flight when the lease ends, and would be sent twice.
   */
  async stop(timeoutMs: number): Promise<void> {
    this.leave();
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, timeoutMs);
      this.#whenEmpty = () => {
        clearTimeout(timer);
        resolve();
      };
      this.#resolveWhenEmpty();
    });
    clearInterval(this.#timer);
    this.#caller.stop();
  }

  /** While a take is in progress, Redis may already have claimed destinations for this worker. */
  #resolveWhenEmpty(): void {
    if (this.#drains.size === 0 && !this.#taker.isTaking) this.#whenEmpty?.();
  }

  #leave(drain: Drain): void {
    drain.leaving = true;
    if (drain.inFlight.size === 0) this.#caller.ask(drain);
  }

  #forget(drain: Drain): void {
    this.#caller.forget(drain);
    if (this.#drains.get(drain.destination) !== drain) return;
    this.#drains.delete(drain.destination);
    for (const flight of drain.held.splice(0)) this.#land(flight);
    this.#load.remove(drain);
    this.#resolveWhenEmpty();
    void this.#taker.take();
  }

  #onReply(drain: Drain, reply: DrainReply): void {
    if (this.#drains.get(drain.destination) !== drain) return;
    retarget(drain, reply);
    if (reply.batches.length > 0) resetPoll(drain, performance.now());
    if (reply.status !== 'refused' && performance.now() >= drain.heldUntilMs)
      for (const flight of drain.held.splice(0)) this.#start(flight);
    for (const batch of reply.batches) this.#start(this.#newFlight(drain, batch));
    switch (reply.status) {
      case 'ok':
        return;
      case 'again':
        // This worker has no room for more batches, but another one may have.
        if (this.#load.isFull) drain.leaving = true;
        return this.#caller.ask(drain);
      case 'lost':
        drain.resync = true;
        return this.#caller.ask(drain);
      case 'purge':
      case 'expired':
        return void this.#purge(drain, reply.status);
      case 'parked':
        this.#options.onParked(drain.destination, reply.breaker.parkedUntilMs);
        return this.#forget(drain);
      case 'idle':
      case 'left':
      case 'unknown':
      case 'refused':
        return this.#forget(drain);
    }
  }

  #newFlight(drain: Drain, batch: FrozenBatch): Flight {
    const flight: Flight = { drain, batch, startedMs: 0, cut: undefined };
    drain.inFlight.set(batch.id, flight);
    this.#load.addChars(drain, batch.content.length);
    return flight;
  }

  /** Removes a batch that is no longer in flight. */
  #land({ drain, batch }: Flight): void {
    drain.inFlight.delete(batch.id);
    this.#load.addChars(drain, -batch.content.length);
  }

  #start(flight: Flight): void {
    const { drain } = flight;
    const { target } = drain;
    const nowMs = performance.now();
    if (target === undefined || !this.#options.lease.isFresh || nowMs < drain.heldUntilMs) {
      drain.held.push(flight);
      return;
    }
    if (drain.breaker.failures > 0 && nowMs < this.#shortUntilMs && drain.heldMs < HELD_MAX_MS) {
      hold(flight, nowMs);
      return;
    }
    flight.startedMs = nowMs;
    drain.lastStartMs = nowMs;
    // After a failure the receiver is likely to hang again. Its destination takes no slot, so that dead receivers cannot fill the pool.
    this.#load.setLate(drain, drain.breaker.failures > 0);
    void this.#send(flight, target);
  }

  async #send(flight: Flight, target: SendTarget): Promise<void> {
    const { drain, batch } = flight;
    const { destination } = drain;
    const { sender, settlePolicy, onError, onLocalFault } = this.#options;
    this.#flights.add(flight);
    const attempt = await attemptBatch(
      { sender, policy: settlePolicy, onError },
      { destination, batch, target },
      flight,
    );
    this.#flights.delete(flight);
    flight.cut = undefined;
    if ('localFault' in attempt) {
      const nowMs = performance.now();
      this.#shortUntilMs = nowMs + SHORTAGE_MS;
      if (this.#drains.get(destination) === drain) hold(flight, nowMs);
      else this.#land(flight);
      onLocalFault(attempt.localFault);
      return;
    }
    this.#land(flight);
    drain.heldMs = 0;
    applyAttempt(drain, attempt, this.#options.breakerPolicy, this.#options.limits.windowMax, this.#newId);
    this.#load.setProven(drain, drain.breaker.failures === 0);
    if (drain.settles.at(-1)?.unreported === undefined) this.#options.onAttempt(attempt);
    if (!drain.leaving && this.#isSliceOver(drain)) drain.leaving = true;
    this.#caller.ask(drain);
  }

  /** Whether the drain's time slice has ended while other destinations of this kind wait without room. */
  #isSliceOver({ isProven, ownedSinceMs }: Drain): boolean {
    const kind = isProven ? 'proven' : 'others';
    const isAwaited = this.#taker.isWaiting(kind) && this.#load.room[kind] === 0;
    return isAwaited && performance.now() - ownedSinceMs > this.#options.limits.sliceMs;
  }

  async #purge(drain: Drain, status: 'purge' | 'expired'): Promise<void> {
    if (drain.purging) return;
    drain.purging = true;
    await purgeAll(drain, status, this.#options);
    drain.purging = false;
    this.#caller.ask(drain);
  }

  #tick(): void {
    const nowMs = performance.now();
    const isAwaited = this.#taker.isAnyWaiting;
    const lateMs = isAwaited ? LATE_WHEN_AWAITED_MS : LATE_MS;
    let isAnyHeld = false;
    for (const drain of this.#drains.values()) {
      if (drain.held.length > 0) {
        isAnyHeld = true;
        if (nowMs >= drain.heldUntilMs && this.#options.lease.isFresh) this.#caller.ask(drain);
      }
      if (drain.inFlight.size === 0) continue;
      if (nowMs - drain.lastStartMs > lateMs) this.#load.setLate(drain, true);
      if (nowMs >= drain.pollAtMs && !drain.leaving && hasPlace(drain, 'any', this.#options.limits.windowMax)) {
        backOffPoll(drain, nowMs);
        this.#caller.ask(drain);
      }
    }
    const isShort = isAnyHeld && nowMs < this.#shortUntilMs;
    if (isShort || (isAwaited && this.#load.isCrowded)) this.#cutSome(nowMs);
    void this.#taker.take();
  }

  #cutSome(nowMs: number): void {
    for (const flight of flightsToCut(this.#flights, nowMs)) flight.cut?.();
  }
}
