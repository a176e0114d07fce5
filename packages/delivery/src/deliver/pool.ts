import { coded } from '@mailhook/core';
import type { BreakerPolicy, SettlePolicy } from '@mailhook/core';
import type { AppendGroup } from '../mailbox/entry.ts';
import type { CountsByProven, FreezeLimits, MailboxCommands } from '../mailbox/commands/engine.ts';
import type { DrainReply, SendTarget } from '../mailbox/replies.ts';
import { waitOf } from '../mailbox/state.ts';
import type { LoadLimits } from './admission.ts';
import { Admission, NO_ROOM, slotsOf } from './admission.ts';
import { AppendCalls, NextCalls, TakeCalls } from './calls.ts';
import type { ChunkSlice } from './chunk-worker.ts';
import type { Asked, Flight, Action } from './drain.ts';
import { Drain } from './drain.ts';
import type { Lease } from './lease.ts';
import { SHORT_MS, TICK_MS } from './limits.ts';
import type { EngineObserver } from './observer.ts';
import type { Runtime, Timer } from './runtime.ts';
import type { Sender } from './send.ts';
import { sendBatch } from './send.ts';
import { batchIds, buildSettle, reportSettles } from './settle.ts';

export interface PoolLimits extends FreezeLimits, LoadLimits {
  /** After this time, a destination goes to the back of the queue if others wait. */
  readonly sliceMs: number;
}

export interface PoolDeps {
  readonly commands: Pick<MailboxCommands, 'append' | 'next' | 'take' | 'giveUpStep'>;
  readonly runtime: Runtime;
  readonly worker: string;
  readonly lease: Pick<Lease, 'isFresh' | 'isLogOn'>;
  readonly sender: Sender;
  readonly settlePolicy: SettlePolicy;
  readonly breakerPolicy: BreakerPolicy;
  readonly limits: PoolLimits;
  readonly observer: EngineObserver;
}

/** Error text of dead letters with expired events. */
export const TOO_OLD = coded('too-old').packed;

/**
 * A prefix for the ids of dead letters. Random, so that two steps never share one, even after Redis has lost writes.
 */
export const deadLetterPrefix = (runtime: Pick<Runtime, 'id'>): string => `p${runtime.id(8)}-`;

/**
 * The destinations that this worker owns, each a `Drain`. It appends, takes, sends and settles; a command in Redis
 * makes each change to a mailbox, fenced by its token.
 */
export class DrainPool {
  readonly #deps: PoolDeps;
  readonly #calls: NextCalls;
  readonly #takes: TakeCalls;
  readonly #appends: AppendCalls;
  readonly #admission: Admission;
  readonly #drains = new Map<string, Drain>();
  readonly #newId: () => string;
  #timer: Timer | undefined;
  /** Requests in flight, oldest first. */
  readonly #requests = new Set<Flight>();
  #shortUntilMs = 0;
  #nextClaim = 1;
  #lostClaims = 0;
  #isReleasing = false;
  #isStopped = false;
  #whenEmpty: (() => void) | undefined;

  constructor(deps: PoolDeps) {
    const { commands, runtime, worker, limits, observer } = deps;
    const onError = (error: Error): void => observer.error(error);
    this.#deps = deps;
    this.#newId = batchIds(worker);
    this.#admission = new Admission(limits);
    this.#calls = new NextCalls({
      commands,
      limits,
      runtime,
      mayFreeze: () => !this.#admission.isFull,
      isAwaited: () => this.#takes.isAnyWaiting,
      onReply: (drain, asked, reply, follow) => this.#onStepped(drain, asked, reply, follow),
      onError,
    });
    this.#takes = new TakeCalls({
      take: (atMost, othersFirst) =>
        this.#claim(atMost, atMost.proven + atMost.others, (firstClaim) =>
          commands.take(worker, firstClaim, atMost, limits, othersFirst),
        ),
      room: () => this.#room,
      onEnd: () => this.#resolveWhenEmpty(),
      onError,
    });
    this.#appends = new AppendCalls({
      hasRoom: (destinations) => Math.min(this.#room.proven, this.#room.others) >= destinations,
      mayWait: (groups) => this.#mayWait(groups),
    });
  }

  /**
   * Appends a slice of a chunk to its mailboxes, claims those that are idle while there is room, and sends their
   * events. Resolves with the events that were dropped, because their destination is deleted. Rejects with what ioredis
   * rejects with; the same slice can be appended again.
   */
  append(slice: ChunkSlice): Promise<number> {
    return this.#appends.run(slice.groups, () => this.#append(slice));
  }

  async #append({ number, ...slice }: ChunkSlice): Promise<number> {
    const { commands, worker, limits } = this.#deps;
    const call = { ...slice, worker, slice: number, limits };
    const { length } = slice.groups;
    const room = this.#appendRoom(slice.groups);
    const atMost = { proven: Math.min(room.proven, length), others: Math.min(room.others, length) };
    const most = Math.min(atMost.proven + atMost.others, length);
    const reply = await this.#claim(atMost, most, (firstClaim) => commands.append({ ...call, firstClaim, room }));
    if (reply === 'gone' || reply === 'again') return 0;
    for (const destination of reply.mine) {
      const drain = this.#drains.get(destination);
      // The worker has released it meanwhile, for instance to park it, or Redis has lost the release.
      if (drain === undefined) this.suspectClaims();
      drain?.onAppended();
      if (drain?.hasPlace('new', limits.windowMax) === true) this.#calls.ask(drain);
    }
    return reply.dropped;
  }

  /** Grows whenever Redis may hold a claim of this worker that the pool does not have. */
  get lostClaims(): number {
    return this.#lostClaims;
  }

  /** Redis may hold a claim that the pool does not have: a reply was lost, or Redis has lost a release. */
  suspectClaims(): void {
    this.#lostClaims += 1;
  }

  /** Whether a claim is known. After lost writes, Redis may name an earlier claim of a destination than the pool. */
  owns(destination: string, token: string): boolean {
    return this.#drains.get(destination)?.token === token;
  }

  /** Reports that at least this many destinations wait for a worker. The pool takes as many as it has room for. */
  noteWaiting(waiting: CountsByProven): void {
    this.#takes.noteWaiting(waiting);
    this.#startTicking();
  }

  /** Stops taking destinations and freezing batches. Releases each destination when no request to it is in flight. */
  startReleasing(): void {
    this.#isReleasing = true;
    this.#appends.startSome();
    for (const drain of this.#drains.values()) {
      drain.release();
      if (drain.flights.length === 0) this.#calls.ask(drain);
    }
  }

  /**
   * Resolves when all destinations are released, or after `timeoutMs`. Call it after the end of all appends: the batch
   * of a later claim could be in flight when the lease ends, and would be sent twice.
   */
  async stop(timeoutMs: number): Promise<void> {
    const { runtime } = this.#deps;
    this.startReleasing();
    await new Promise<void>((resolve) => {
      const timer = runtime.later(resolve, timeoutMs);
      this.#whenEmpty = () => {
        runtime.cancel(timer);
        resolve();
      };
      this.#resolveWhenEmpty();
    });
    this.#isStopped = true;
    runtime.cancel(this.#timer);
    this.#calls.stop();
  }

  /** How many more destinations this worker takes. Without a fresh lease it could not send their events. */
  get #room(): CountsByProven {
    return this.#isReleasing || !this.#deps.lease.isFresh ? NO_ROOM : this.#admission.room;
  }

  /**
   * How many idle destinations an append may claim. Those with many events per request leave the room to destinations
   * that wait, so that their events gather in the mailboxes.
   */
  #appendRoom(groups: readonly AppendGroup[]): CountsByProven {
    const { proven, others } = this.#room;
    const { waiting } = this.#takes;
    const singles = groups.filter(({ isSingle }) => isSingle).length;
    return {
      proven: Math.min(proven, Math.max(0, proven - waiting.proven) + singles),
      others: Math.min(others, Math.max(0, others - waiting.others) + singles),
    };
  }

  /**
   * Makes a call that may claim `atMost` destinations of each kind, `most` in all, and starts to drain those that it
   * claimed. Meanwhile their room is reserved. The call gets the first of its claim numbers; no two claims of a worker
   * have the same token.
   */
  async #claim<Reply extends string | { readonly replies: readonly DrainReply[] }>(
    atMost: CountsByProven,
    most: number,
    call: (firstClaim: number) => Promise<Reply>,
  ): Promise<Reply> {
    const firstClaim = this.#nextClaim;
    this.#nextClaim += most;
    const endReservation = this.#admission.reserve(atMost, most);
    try {
      let reply: Reply;
      try {
        reply = await call(firstClaim);
      } finally {
        endReservation();
      }
      if (typeof reply !== 'string') this.#drainClaimed(reply.replies);
      return reply;
    } catch (error) {
      this.suspectClaims();
      throw error;
    } finally {
      this.#appends.startSome();
    }
  }

  /**
   * Whether an append waits for room. Not if some of its events should gather in the mailboxes: those of destinations
   * with many events per request, and those of destinations that this worker owns.
   */
  #mayWait(groups: readonly AppendGroup[]): boolean {
    if (this.#isReleasing || !this.#deps.lease.isFresh || this.#takes.isAnyWaiting) return false;
    if (!this.#admission.expectsRoom(groups.length)) return false;
    return groups.every(({ isSingle, destination }) => isSingle && !this.#drains.has(destination));
  }

  /** Starts to drain destinations that a call has claimed for this worker. */
  #drainClaimed(replies: readonly DrainReply[]): void {
    if (replies.length > 0) this.#startTicking();
    for (const reply of replies) {
      const stale = this.#drains.get(reply.destination);
      if (stale !== undefined) this.#forget(stale);
      const drain = new Drain(reply, this.#deps.runtime.now());
      // A destination claimed during the stop is released like the others.
      if (this.#isReleasing) drain.release();
      this.#drains.set(reply.destination, drain);
      this.#admission.enter(drain, reply.state.isProven, slotsOf(reply.state.maxEvents));
      this.#onReply(drain, reply);
    }
  }

  /** A call has written a drain's settles. Its jobs and reports can follow. */
  #onStepped(drain: Drain, { request, learned }: Asked, reply: DrainReply, follow: ReadonlySet<string>): void {
    const { observer } = this.#deps;
    const { settles, version, isLost, account } = request;
    // After a lost reply, "refused" may mean that the previous call settled and released the destination.
    const isRefused = reply.status === 'refused' && !isLost;
    reportSettles(drain, settles, { follow, isRefused }, observer);
    if (reply.status !== 'refused' && learned?.gone !== undefined)
      observer.gone(drain.destination, account, { version, reason: learned.gone });
    this.#onReply(drain, reply);
  }

  #onReply(drain: Drain, reply: DrainReply): void {
    if (this.#drains.get(drain.destination) !== drain) return;
    const { flights, action } = drain.onReply(reply, this.#deps.runtime.now(), this.#admission.isFull);
    for (const { fragments } of reply.batches) this.#admission.addChars(drain, fragments.length);
    for (const flight of flights) this.#start(flight);
    this.#do(action, drain, reply);
  }

  #do(action: Action, drain: Drain, { state, nowMs }: DrainReply): void {
    switch (action) {
      case 'nothing':
        return;
      case 'ask':
        return this.#calls.ask(drain);
      case 'give up':
      case 'give up expired':
        return void this.#giveUp(drain, action);
      case 'park':
        this.#deps.observer.parked(drain.destination, waitOf(state, nowMs));
        return this.#forget(drain);
      case 'end':
        return this.#forget(drain);
    }
  }

  #forget(drain: Drain): void {
    this.#calls.forget(drain);
    if (this.#drains.get(drain.destination) !== drain) return;
    this.#drains.delete(drain.destination);
    for (const flight of drain.end()) this.#endFlight(flight);
    this.#admission.leave(drain);
    this.#resolveWhenEmpty();
    void this.#takes.take();
    this.#appends.startSome();
  }

  /** While a take is in progress, Redis may already have claimed destinations for this worker. */
  #resolveWhenEmpty(): void {
    if (this.#drains.size === 0 && !this.#takes.isTaking) this.#whenEmpty?.();
  }

  #start(flight: Flight): void {
    const { drain } = flight;
    const nowMs = this.#deps.runtime.now();
    const target = drain.targetFor(flight, nowMs, {
      isLeased: this.#deps.lease.isFresh,
      isShort: nowMs < this.#shortUntilMs,
    });
    if (target === undefined) return;
    this.#admission.onStart(drain);
    void this.#send(flight, target);
  }

  /** Sends a batch and settles it. A local fault uses up no attempt: the batch is held and sent later. */
  async #send(flight: Flight, target: SendTarget): Promise<void> {
    const { drain, batch } = flight;
    const { destination } = drain;
    const { sender, runtime, settlePolicy, breakerPolicy, limits, observer } = this.#deps;
    const onError = (error: Error): void => observer.error(error);
    this.#requests.add(flight);
    const deps = { sender, runtime, policy: settlePolicy, onError };
    const attempt = await sendBatch(deps, { destination, batch, target }, flight);
    this.#requests.delete(flight);
    flight.cut = undefined;
    if ('localFault' in attempt) {
      const nowMs = runtime.now();
      // A missing key concerns some destinations only, and nothing that could be saved.
      if (attempt.localFault.cause !== 'secrets-key') this.#shortUntilMs = nowMs + SHORT_MS;
      if (this.#drains.get(destination) === drain) drain.onLocalFault(flight, nowMs);
      else this.#endFlight(flight);
      observer.localFault(attempt.localFault);
      return;
    }
    this.#endFlight(flight);
    const settle = buildSettle(attempt, this.#newId, this.#deps.lease.isLogOn);
    drain.onAttempt(attempt, settle, { breaker: breakerPolicy, windowMax: limits.windowMax, nowMs: runtime.now() });
    this.#admission.onAttempt(drain);
    if (settle.unreported === undefined) observer.attempt(attempt);
    if (this.#isSliceOver(drain)) drain.release();
    this.#calls.ask(drain);
  }

  /** Removes a batch that is no longer in flight. */
  #endFlight(flight: Flight): void {
    flight.drain.endFlight(flight);
    this.#admission.addChars(flight.drain, -flight.batch.fragments.length);
  }

  /** Whether the drain's time slice has ended while other destinations of this kind wait without room. */
  #isSliceOver(drain: Drain): boolean {
    const kind = this.#admission.isProven(drain) ? 'proven' : 'others';
    const isAwaited = this.#takes.waiting[kind] > 0 && this.#admission.room[kind] === 0;
    return isAwaited && this.#deps.runtime.now() - drain.ownedSinceMs > this.#deps.limits.sliceMs;
  }

  /**
   * Gives up all events of a destination, or only the expired ones, in small steps, and reports each step. Ends early
   * if another worker owns the destination or Redis is away. The next step of the drain finds the rest.
   */
  async #giveUp(drain: Drain, action: 'give up' | 'give up expired'): Promise<void> {
    const { commands, limits, observer } = this.#deps;
    const { destination, token } = drain;
    const expired = action === 'give up expired' ? { olderThanMs: limits.maxAgeMs, reason: TOO_OLD } : { reason: '' };
    try {
      for (let again = true; again;) {
        const idPrefix = deadLetterPrefix(this.#deps.runtime);
        const givenUp = await commands.giveUpStep({ destination, token, idPrefix, ...expired });
        if (givenUp === undefined) break;
        observer.givenUp(destination, givenUp);
        again = givenUp.again;
      }
    } catch (error) {
      observer.error(error as Error);
    }
    drain.onGivenUp(this.#isReleasing);
    this.#calls.ask(drain);
  }

  /** Ticks while there is anything to look after. */
  #startTicking(): void {
    if (this.#isStopped || this.#timer !== undefined) return;
    const { runtime } = this.#deps;
    this.#timer = runtime.later(() => {
      // After the I/O of this turn, so that replies that arrived while this process was busy do not count as late.
      runtime.immediate(() => {
        this.#timer = undefined;
        this.#tick();
        const isAnyWaiting = this.#takes.isAnyWaiting || this.#appends.isAnyWaiting;
        if (this.#drains.size + this.#requests.size > 0 || isAnyWaiting) this.#startTicking();
      });
    }, TICK_MS);
  }

  #tick(): void {
    const nowMs = this.#deps.runtime.now();
    const { lease, limits } = this.#deps;
    const isAwaited = this.#takes.isAnyWaiting || this.#appends.isAnyWaiting;
    this.#admission.onTick(nowMs, isAwaited);
    let isAnyHeld = false;
    for (const drain of this.#drains.values()) {
      isAnyHeld ||= drain.isHolding;
      if (drain.onTick(nowMs, limits.windowMax, lease.isFresh)) this.#calls.ask(drain);
    }
    const isShort = isAnyHeld && nowMs < this.#shortUntilMs;
    if (isShort || (isAwaited && this.#admission.isCrowded)) {
      for (const flight of this.#admission.toCut(this.#requests, nowMs)) flight.cut?.();
    }
    void this.#takes.take();
    this.#appends.startSome();
  }
}
