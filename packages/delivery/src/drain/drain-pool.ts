import type { DrainReply, FrozenBatch, SendTarget } from '../scripts/drain-reply.ts';
import { attemptBatch } from './attempt.ts';
import type { DrainPoolOptions } from './drain-pool-options.ts';
import type { Drain } from './drain.ts';
import { backOffPoll, HELD_MAX_MS, hold, newDrain, resetPoll } from './drain.ts';
import { learn } from './learn.ts';
import { NextCaller } from './next-caller.ts';
import { purgeAll } from './purge-all.ts';

/** A request that pends longer than this takes no slot any more. */
const LATE_MS = 200;
/** The same while others wait for a slot: a pending request costs no CPU, and a crowd of receivers that hang must not pass one by one. */
const LATE_WHEN_AWAITED_MS = 50;
const TICK_MS = 25;
/** How long a local fault counts as a shortage, in which receivers that failed last let the others go first. */
const SHORTAGE_MS = 5000;
/** Most destinations owned at once, the pending ones included: each holds a socket and a frozen batch. */
const OWNED_MAX = 4096;

/** The destinations that this worker owns. Everything it does to one is a step of Redis's, fenced by the destination's token. */
export class DrainPool {
  readonly #options: DrainPoolOptions;
  readonly #caller: NextCaller;
  readonly #drains = new Map<string, Drain>();
  readonly #timer: NodeJS.Timeout;
  #late = 0;
  #shortUntilMs = 0;
  #nextClaim = 1;
  #waiting = 0;
  #isTaking = false;
  #stopping = false;
  #whenEmpty: (() => void) | undefined;

  constructor(options: DrainPoolOptions) {
    this.#options = options;
    this.#caller = new NextCaller({
      scripts: options.scripts,
      batchMax: options.limits.batchMax,
      onReply: (drain, reply) => this.#onReply(drain, reply),
      onSettled: (drain, settles) => this.#onSettled(drain, settles),
      onGone: ({ destination, target }, gone) => options.onGone(destination, target?.account ?? '', gone),
      onError: options.onError,
    });
    this.#timer = setInterval(() => this.#tick(), TICK_MS);
  }

  /** How many more destinations this worker takes. */
  get room(): number {
    const busy = this.#drains.size - this.#late;
    const free = Math.min(this.#options.limits.slots - busy, OWNED_MAX - this.#drains.size);
    return this.#stopping ? 0 : Math.max(0, free);
  }

  owns(destination: string): boolean {
    return this.#drains.has(destination);
  }

  /** Claim numbers for a script call, so that no two claims of a worker are alike. */
  reserveClaims(atMost: number): number {
    const first = this.#nextClaim;
    this.#nextClaim += atMost;
    return first;
  }

  /** Destinations that a script has claimed for this worker. */
  adopt(replies: readonly DrainReply[]): void {
    for (const reply of replies) {
      const drain = newDrain(reply.destination, reply.token, reply.breaker, performance.now());
      // What was claimed while the worker was told to stop is handed over like the rest.
      drain.leaving = this.#stopping;
      const stale = this.#drains.get(reply.destination);
      if (stale !== undefined) this.#forget(stale);
      this.#drains.set(reply.destination, drain);
      this.#onReply(drain, reply);
    }
  }

  /** New mail for a destination that this worker owns: it leaves now when its window has room. */
  poke(destination: string): void {
    const drain = this.#drains.get(destination);
    if (drain !== undefined && drain.inFlight.size < drain.window) this.#caller.ask(drain);
  }

  /** Destinations wait for a worker: takes as many as there is room for. */
  offer(waiting: number): void {
    this.#waiting = Math.max(this.#waiting, waiting);
    void this.#take();
  }

  /** From now on no room, and every destination is handed over: nothing more is frozen. */
  leave(): void {
    this.#stopping = true;
    for (const drain of this.#drains.values()) this.#leave(drain);
  }

  /**
   * Leaves, and resolves when nothing is in flight and all is released, or after `timeoutMs`. Whoever else may claim for this pool must have
   * ended before: what is claimed later would be in flight when the lease is given up, and be sent twice.
   */
  async stop(timeoutMs: number): Promise<void> {
    this.leave();
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, timeoutMs);
      this.#whenEmpty = () => {
        clearTimeout(timer);
        resolve();
      };
      this.#tellWhenEmpty();
    });
    clearInterval(this.#timer);
  }

  /** A call that may claim is not over before its reply: its claims are this worker's already. */
  #tellWhenEmpty(): void {
    if (this.#drains.size === 0 && !this.#isTaking) this.#whenEmpty?.();
  }

  #leave(drain: Drain): void {
    drain.leaving = true;
    if (drain.inFlight.size === 0) this.#caller.ask(drain);
  }

  #forget(drain: Drain): void {
    this.#caller.forget(drain);
    if (this.#drains.get(drain.destination) !== drain) return;
    this.#drains.delete(drain.destination);
    if (drain.late) this.#late -= 1;
    this.#tellWhenEmpty();
    if (this.#waiting > 0) void this.#take();
  }

  #onReply(drain: Drain, reply: DrainReply): void {
    if (this.#drains.get(drain.destination) !== drain) return;
    this.#retarget(drain, reply);
    const isHeldDue = drain.held.length > 0 && performance.now() >= drain.heldUntilMs;
    const batches =
      isHeldDue && reply.status !== 'refused' ? drain.held.splice(0).concat(reply.batches) : reply.batches;
    if (batches.length > 0) resetPoll(drain, performance.now());
    for (const batch of batches) this.#start(drain, batch);
    switch (reply.status) {
      case 'ok':
        return;
      case 'again':
        return this.#caller.ask(drain);
      case 'lost':
        drain.resync = true;
        return this.#caller.ask(drain);
      case 'purge':
        return void this.#purge(drain);
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

  /** A changed record has had its breaker reset: what was seen of the old one counts no more. */
  #retarget(drain: Drain, { target, breaker }: DrainReply): void {
    if (target === undefined) return;
    if (drain.target !== undefined && drain.target.version !== target.version) {
      drain.breaker = breaker;
      drain.breakerChanged = false;
    }
    drain.target = target;
  }

  #start(drain: Drain, batch: FrozenBatch): void {
    const { target } = drain;
    drain.inFlight.set(batch.id, batch);
    const nowMs = performance.now();
    if (target === undefined || !this.#options.lease.isFresh || nowMs < drain.heldUntilMs) {
      drain.held.push(batch);
      return;
    }
    if (drain.breaker.failures > 0 && nowMs < this.#shortUntilMs && drain.heldMs < HELD_MAX_MS) {
      hold(drain, batch, nowMs);
      return;
    }
    drain.lastStartMs = nowMs;
    // One that failed just now is likely to pend again: it never takes a slot, so that many dead receivers cannot fill the pool.
    this.#setLate(drain, drain.breaker.failures > 0);
    void this.#send(drain, batch, target);
  }

  async #send(drain: Drain, batch: FrozenBatch, target: SendTarget): Promise<void> {
    const { sender, settlePolicy, onError, onLocalFault } = this.#options;
    const attempt = await attemptBatch({ sender, policy: settlePolicy, onError }, drain.destination, batch, target);
    if ('localFault' in attempt) {
      const nowMs = performance.now();
      hold(drain, batch, nowMs);
      this.#shortUntilMs = nowMs + SHORTAGE_MS;
      onLocalFault(attempt.localFault);
      return;
    }
    drain.heldMs = 0;
    drain.inFlight.delete(batch.id);
    this.#options.onAttempt(attempt);
    learn(drain, attempt, this.#options.breakerPolicy, this.#options.limits.windowMax);
    if (
      !drain.leaving &&
      this.#waiting > 0 &&
      this.room === 0 &&
      performance.now() - drain.ownedSinceMs > this.#options.limits.sliceMs
    )
      drain.leaving = true;
    this.#caller.ask(drain);
  }

  #onSettled(drain: Drain, settles: Drain['settles']): void {
    const followUps = settles.flatMap(({ tuple }) => tuple[2]);
    if (followUps.length > 0) this.#options.onFollowUps(drain.destination, drain.target?.account ?? '', followUps);
  }

  async #purge(drain: Drain): Promise<void> {
    if (drain.purging) return;
    drain.purging = true;
    await purgeAll(drain, this.#options);
    drain.purging = false;
    this.#caller.ask(drain);
  }

  async #take(): Promise<void> {
    const atMost = Math.min(this.room, 64);
    if (this.#isTaking || atMost === 0) return;
    this.#isTaking = true;
    try {
      const { scripts, worker, limits } = this.#options;
      const taken = await scripts.take(worker, this.reserveClaims(atMost), atMost, limits.batchMax);
      this.#waiting = taken.waiting;
      this.#isTaking = false;
      this.adopt(taken.replies);
    } catch (error) {
      this.#waiting = 0;
      this.#isTaking = false;
      this.#options.onError(error as Error);
    }
    this.#tellWhenEmpty();
    if (this.#waiting > 0) void this.#take();
  }

  #setLate(drain: Drain, late: boolean): void {
    if (drain.late === late) return;
    drain.late = late;
    this.#late += late ? 1 : -1;
  }

  #tick(): void {
    const nowMs = performance.now();
    const lateMs = this.#waiting > 0 ? LATE_WHEN_AWAITED_MS : LATE_MS;
    for (const drain of this.#drains.values()) {
      if (drain.held.length > 0 && nowMs >= drain.heldUntilMs && this.#options.lease.isFresh) this.#caller.ask(drain);
      if (drain.inFlight.size === 0) continue;
      if (nowMs - drain.lastStartMs > lateMs) this.#setLate(drain, true);
      if (drain.inFlight.size < drain.window && nowMs >= drain.pollAtMs && !drain.leaving) {
        backOffPoll(drain, nowMs);
        this.#caller.ask(drain);
      }
    }
    if (this.#waiting > 0) void this.#take();
  }
}
