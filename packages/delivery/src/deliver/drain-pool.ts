import type { DrainReply, FrozenBatch, SendTarget } from '../mailbox/replies.ts';
import type { CountsByProven } from '../mailbox/commands.ts';
import type { ChunkSlice } from './chunk-worker.ts';
import { sendBatch } from './send-batch.ts';
import { breakerOf, waitEndOf } from '../mailbox/state.ts';
import { batchIds } from './batch-ids.ts';
import type { DrainPoolDeps } from './drain-pool-deps.ts';
import type { Drain, Flight } from './drain.ts';
import { applyTarget, backOffPoll, hasPlace, HELD_MAX_MS, hold, keepsPace, newDrain, resetPoll } from './drain.ts';
import { flightsToCut } from './requests-to-cut.ts';
import { applyAttempt } from './apply-attempt.ts';
import { Load, NO_ROOM } from './load.ts';
import { NextCaller } from './next-caller.ts';
import { giveUpAll } from './give-up-all.ts';
import { reportRefused, reportSettled } from './report-settles.ts';
import { WaitingTaker } from './waiting-taker.ts';

/** A destination gives up its slot when its requests have been in flight for this long. */
const LATE_MS = 200;
/** The same while others wait for a slot. Waiting costs no CPU, and hanging receivers must not take the slots one after the other. */
const LATE_WHEN_AWAITED_MS = 50;
const TICK_MS = 25;
/** For this long after a destination without a successful last attempt has waited for `LATE_MS`, such destinations get fewer slots. */
const OTHERS_SLOW_MS = 5000;
/**
 * For this long after a local fault, the pool saves file descriptors, ports and memory. It holds a batch whose destination has failures in a row,
 * until the pause of that destination has grown to `HELD_MAX_MS`. While any batch is held, it cuts requests that are old enough (see `flightsToCut`).
 */
const SHORTAGE_MS = 5000;

/** The destinations that this worker owns. A script in Redis makes each change to a destination, fenced by its token. */
export class DrainPool {
  readonly #deps: DrainPoolDeps;
  readonly #caller: NextCaller;
  readonly #taker: WaitingTaker;
  readonly #drains = new Map<string, Drain>();
  readonly #newId: () => string;
  readonly #timer: NodeJS.Timeout;
  readonly #load: Load;
  /** Requests in flight, oldest first. */
  readonly #flights = new Set<Flight>();
  #shortUntilMs = 0;
  #othersSlowUntilMs = 0;
  #nextClaim = 1;
  #failedClaims = 0;
  #isReleasing = false;
  #whenEmpty: (() => void) | undefined;

  constructor(deps: DrainPoolDeps) {
    this.#deps = deps;
    this.#newId = batchIds(deps.worker);
    this.#load = new Load(deps.limits);
    this.#caller = new NextCaller({
      commands: deps.commands,
      limits: deps.limits,
      mayFreeze: () => !this.#load.isFull,
      onReply: (drain, reply) => this.#onReply(drain, reply),
      onSettled: (drain, settles, follow) => reportSettled(drain, settles, follow, deps),
      onRefused: (settles) => reportRefused(settles, deps),
      onGone: ({ destination, target }, gone) => deps.onGone(destination, target?.account ?? '', gone),
      onError: deps.onError,
    });
    this.#taker = new WaitingTaker({
      commands: { take: (...args) => this.#claiming(deps.commands.take(...args)) },
      worker: deps.worker,
      limits: deps.limits,
      room: () => this.room,
      reserveClaims: (atMost) => this.#reserveClaims(atMost),
      onTaken: (replies) => this.#drainClaimed(replies),
      onEnd: () => this.#resolveWhenEmpty(),
      onError: deps.onError,
    });
    // After the I/O of this turn, so that replies that arrived while this process was busy do not count as late.
    this.#timer = setInterval(() => setImmediate(() => this.#tick()), TICK_MS);
  }

  /** How many more destinations this worker takes. */
  get room(): CountsByProven {
    return this.#mayClaim ? this.#load.room : NO_ROOM;
  }

  /** How many idle destinations an append may claim. For campaigns, not the room that waiting destinations will take (docs/decisions/0030). */
  get #appendRoom(): CountsByProven {
    const { proven, others } = this.room;
    if (this.#deps.limits.batchMax === 1) return { proven, others };
    const { waiting } = this.#taker;
    return { proven: Math.max(0, proven - waiting.proven), others: Math.max(0, others - waiting.others) };
  }

  /** Without a fresh lease the worker could not send events. */
  get #mayClaim(): boolean {
    return !this.#isReleasing && this.#deps.lease.isFresh;
  }

  owns(destination: string): boolean {
    return this.#drains.has(destination);
  }

  /**
   * Appends a slice of a chunk to its mailboxes, claims those that are idle while there is room, and sends their events.
   * Resolves with the events that were dropped, because their destination is deleted. Rejects with what ioredis rejects
   * with; the same slice can be appended again.
   */
  async append({ jobKey, mark, number, groups }: ChunkSlice): Promise<number> {
    const { commands, worker, limits } = this.#deps;
    const call = { worker, jobKey, mark, slice: number, limits, groups };
    const reply = await this.#claiming(
      commands.append({ ...call, firstClaim: this.#reserveClaims(groups.length), room: this.#appendRoom }),
    );
    if (typeof reply === 'string') return 0;
    this.#drainClaimed(reply.replies);
    for (const destination of reply.mine) this.#sendNewEvents(destination);
    return reply.dropped;
  }

  /** How many calls that may claim have failed. Their claims, if any, are unknown to this pool. */
  get failedClaims(): number {
    return this.#failedClaims;
  }

  async #claiming<Reply>(call: Promise<Reply>): Promise<Reply> {
    try {
      return await call;
    } catch (error) {
      this.#failedClaims += 1;
      throw error;
    }
  }

  /** Reserves claim numbers for a call and returns the first, so that no two claims of a worker have the same token. */
  #reserveClaims(atMost: number): number {
    const first = this.#nextClaim;
    this.#nextClaim += atMost;
    return first;
  }

  /** Starts to drain destinations that a script has claimed for this worker. */
  #drainClaimed(replies: readonly DrainReply[]): void {
    for (const reply of replies) {
      const { destination, state, nowMs } = reply;
      const drain = newDrain(destination, state.owner, breakerOf(state, nowMs), performance.now());
      // A destination claimed during the stop is released like the others.
      drain.isReleasing = this.#isReleasing;
      const stale = this.#drains.get(destination);
      if (stale !== undefined) this.#forget(stale);
      drain.isProven = state.isProven;
      this.#drains.set(destination, drain);
      this.#load.add(drain);
      this.#onReply(drain, reply);
    }
  }

  /** Sends new events of an owned destination now, if its window has room. */
  #sendNewEvents(destination: string): void {
    const drain = this.#drains.get(destination);
    if (drain !== undefined && hasPlace(drain, 'new', this.#deps.limits.windowMax)) this.#caller.ask(drain);
  }

  /** Reports that at least this many destinations wait for a worker. The pool takes as many as it has room for. */
  offer(waiting: CountsByProven): void {
    this.#taker.offer(waiting);
  }

  /** Stops taking destinations and freezing batches. Releases each destination when no request to it is in flight. */
  startReleasing(): void {
    this.#isReleasing = true;
    for (const drain of this.#drains.values()) this.#markForRelease(drain);
  }

  /**
   * Releases every destination (see `startReleasing`). Resolves when all are released, or after `timeoutMs`. The caller must first stop everything
   * that may claim for this pool. The batch of a later claim could be in flight when the lease ends, and would be sent twice.
   */
  async stop(timeoutMs: number): Promise<void> {
    this.startReleasing();
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

  #markForRelease(drain: Drain): void {
    drain.isReleasing = true;
    if (drain.inFlight.length === 0) this.#caller.ask(drain);
  }

  #forget(drain: Drain): void {
    this.#caller.forget(drain);
    if (this.#drains.get(drain.destination) !== drain) return;
    this.#drains.delete(drain.destination);
    for (const flight of drain.held.splice(0)) this.#endFlight(flight);
    this.#load.remove(drain);
    this.#resolveWhenEmpty();
    void this.#taker.take();
  }

  #onReply(drain: Drain, reply: DrainReply): void {
    if (this.#drains.get(drain.destination) !== drain) return;
    applyTarget(drain, reply);
    if (reply.batches.length > 0) resetPoll(drain, performance.now());
    if (reply.status !== 'refused' && performance.now() >= drain.heldUntilMs)
      for (const flight of drain.held.splice(0)) this.#start(flight);
    for (const batch of reply.batches) this.#start(this.#newFlight(drain, batch));
    switch (reply.status) {
      case 'ok':
        return;
      case 'again':
        // This worker has no room for more batches, but another one may have.
        if (this.#load.isFull) drain.isReleasing = true;
        return this.#caller.ask(drain);
      case 'lost':
        drain.resync = true;
        return this.#caller.ask(drain);
      case 'give up':
      case 'expired':
        return void this.#giveUp(drain, reply.status);
      case 'parked':
        this.#deps.onParked(drain.destination, waitEndOf(reply.state, reply.nowMs));
        return this.#forget(drain);
      case 'idle':
      case 'released':
      case 'unknown':
      case 'refused':
        return this.#forget(drain);
    }
  }

  #newFlight(drain: Drain, batch: FrozenBatch): Flight {
    const flight: Flight = { drain, batch, startedMs: 0, cut: undefined };
    drain.inFlight.push(flight);
    this.#load.addChars(drain, batch.content.length);
    return flight;
  }

  /** Removes a batch that is no longer in flight. */
  #endFlight(flight: Flight): void {
    const { drain, batch } = flight;
    const at = drain.inFlight.indexOf(flight);
    if (at >= 0) drain.inFlight.splice(at, 1);
    this.#load.addChars(drain, -batch.content.length);
  }

  #start(flight: Flight): void {
    const { drain } = flight;
    const { target } = drain;
    const nowMs = performance.now();
    if (target === undefined || !this.#deps.lease.isFresh || nowMs < drain.heldUntilMs) {
      drain.held.push(flight);
      return;
    }
    if (drain.breaker.failures > 0 && nowMs < this.#shortUntilMs && drain.heldMs < HELD_MAX_MS) {
      hold(flight, nowMs);
      return;
    }
    if (!keepsPace(drain, nowMs)) {
      drain.held.push(flight);
      drain.heldUntilMs = drain.nextStartMs;
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
    const { sender, settlePolicy, onError, onLocalFault } = this.#deps;
    this.#flights.add(flight);
    const attempt = await sendBatch({ sender, policy: settlePolicy, onError }, { destination, batch, target }, flight);
    this.#flights.delete(flight);
    flight.cut = undefined;
    if ('localFault' in attempt) {
      const nowMs = performance.now();
      // A missing key concerns some destinations only, and nothing that could be saved.
      if (attempt.localFault.cause !== 'secrets-key') this.#shortUntilMs = nowMs + SHORTAGE_MS;
      if (this.#drains.get(destination) === drain) hold(flight, nowMs);
      else this.#endFlight(flight);
      onLocalFault(attempt.localFault);
      return;
    }
    this.#endFlight(flight);
    drain.heldMs = 0;
    applyAttempt(drain, attempt, this.#deps.breakerPolicy, this.#deps.limits.windowMax, this.#newId);
    this.#load.setProven(drain, drain.breaker.failures === 0);
    if (drain.settles.at(-1)?.unreported === undefined) this.#deps.onAttempt(attempt);
    if (!drain.isReleasing && this.#isSliceOver(drain)) drain.isReleasing = true;
    this.#caller.ask(drain);
  }

  /** Whether the drain's time slice has ended while other destinations of this kind wait without room. */
  #isSliceOver({ isProven, ownedSinceMs }: Drain): boolean {
    const kind = isProven ? 'proven' : 'others';
    const isAwaited = this.#taker.waiting[kind] > 0 && this.#load.room[kind] === 0;
    return isAwaited && performance.now() - ownedSinceMs > this.#deps.limits.sliceMs;
  }

  async #giveUp(drain: Drain, status: 'give up' | 'expired'): Promise<void> {
    if (drain.isGivingUp) return;
    drain.isGivingUp = true;
    await giveUpAll(drain, status, this.#deps);
    drain.isGivingUp = false;
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
        if (nowMs >= drain.heldUntilMs && this.#deps.lease.isFresh) this.#caller.ask(drain);
      }
      if (drain.inFlight.length === 0) continue;
      const waitedMs = nowMs - drain.lastStartMs;
      if (waitedMs > lateMs) this.#load.setLate(drain, true);
      if (waitedMs > LATE_MS && !drain.isProven) this.#othersSlowUntilMs = nowMs + OTHERS_SLOW_MS;
      if (nowMs >= drain.pollAtMs && !drain.isReleasing && hasPlace(drain, 'any', this.#deps.limits.windowMax)) {
        backOffPoll(drain, nowMs);
        this.#caller.ask(drain);
      }
    }
    this.#load.areOthersSlow = nowMs < this.#othersSlowUntilMs;
    const isShort = isAnyHeld && nowMs < this.#shortUntilMs;
    if (isShort || (isAwaited && this.#load.isCrowded)) this.#cutSome(nowMs);
    void this.#taker.take();
  }

  #cutSome(nowMs: number): void {
    for (const flight of flightsToCut(this.#flights, nowMs)) flight.cut?.();
  }
}
