import type { DrainReply } from '../../../packages/delivery/src/mailbox/replies.ts';
import { giveUpNext, inFlightToResends } from './give-up.ts';
import { HEARTBEAT_MS, HOUR_MS, LATE_MS, LEASE_MS, LIMITS } from './limits.ts';
import { hasBatchInFlight, isGivenUp } from './mailbox-state.ts';
import type { Entry, Lane } from './mailbox-state.ts';
import { entryTextOf, settleOf } from './script-arguments.ts';
import { must } from './violation.ts';
import { takeOver } from './workers.ts';
import type { Drain, Worker } from './workers.ts';
import type { WorldParts } from './world-parts.ts';

interface Chunk {
  readonly job: string;
  /** Entries of a group for each of its lanes. */
  readonly groups: readonly { readonly lane: Lane; readonly entries: readonly Entry[] }[];
}

/** Calls of the commands that workers make, with replies that may get lost. */
export class WorkerCalls {
  readonly #parts: WorldParts;
  #chunk: Chunk | undefined;
  #names = 0;

  constructor(parts: WorldParts) {
    this.#parts = parts;
  }

  /** Redis has lost the last chunk. */
  forgetChunk(): void {
    this.#chunk = undefined;
  }

  /** One group for each of the lanes, all with entries of these sizes. */
  async append(
    worker: Worker,
    lanes: readonly Lane[],
    sizes: readonly number[],
    room: boolean,
    isHeard: boolean,
  ): Promise<void> {
    const { redis, keyspace, model } = this.#parts;
    const atMs = Date.now();
    const groups = lanes.map((lane) => ({
      lane,
      entries: sizes.map((size) => ({
        atMs,
        events: Array.from({ length: size }, () => `e${(this.#names += 1)}`),
      })),
    }));
    const job = `${keyspace.keys.shared}job:${this.#names}`;
    await redis.hset(job, 'name', 'chunk');
    this.#chunk = { job, groups };
    const mayClaim = room && (await this.#mayClaim(worker));
    const reply = await this.#append(worker, this.#chunk, room);
    must(typeof reply !== 'string', `the append answers ${JSON.stringify(reply)}`);
    const replies = [...reply.replies];
    let dropped = 0;
    let mine = 0;
    for (const { lane, entries } of groups) {
      const expected = model.append(lane, entries, mayClaim);
      if (expected === 'dropped') dropped += entries.reduce((sum, { events }) => sum + events.length, 0);
      if (expected === 'owned' && model.s.owner.startsWith(`${worker.name}_`)) mine += 1;
      if (expected !== 'claimed') continue;
      const claimed = replies.shift();
      must(claimed !== undefined, 'the append does not claim an idle mailbox');
      this.#claimed(worker, claimed, isHeard);
    }
    must(replies.length === 0, 'the append claims a mailbox that it may not claim');
    must(reply.dropped === dropped, 'the append drops the wrong number of events');
    must(
      reply.mine.length === mine,
      `the append names ${reply.mine.length} groups of mailboxes that it owns, not ${mine}`,
    );
  }

  /** Appends the last chunk again, like the second run of a stalled job. With `gone`, the job is done by then. */
  async appendAgain(worker: Worker, gone: boolean): Promise<void> {
    if (this.#chunk === undefined) return;
    if (gone) await this.#parts.redis.del(this.#chunk.job);
    const isThere = (await this.#parts.redis.exists(this.#chunk.job)) === 1;
    const reply = await this.#append(worker, this.#chunk, true);
    must(reply === (isThere ? 'again' : 'gone'), `a second append answers ${JSON.stringify(reply)}`);
  }

  #append(worker: Worker, { job, groups }: Chunk, room: boolean) {
    const places = room ? 1 : 0;
    worker.claims += 1;
    return this.#parts.commands.append({
      worker: worker.name,
      firstClaim: worker.claims,
      room: { proven: places, others: places },
      jobKey: job,
      progress: '',
      slice: 1,
      limits: LIMITS,
      groups: groups.map(({ lane, entries }) => ({
        destination: this.#parts.keyspace.destination,
        account: 'account',
        lane,
        events: entries.reduce((sum, { events }) => sum + events.length, 0),
        entries: entries.map(entryTextOf),
      })),
    });
  }

  /** Whether its lease has not ended. A worker that is not known gets one with its first claim. */
  async #mayClaim({ name }: Worker): Promise<boolean> {
    const { redis, keyspace } = this.#parts;
    const till = await redis.zscore(keyspace.keys.workers, name);
    return till === null || Number(till) > Date.now();
  }

  async take(worker: Worker, isHeard: boolean): Promise<void> {
    const { s } = this.#parts.model;
    worker.claims += 1;
    const mayClaim = await this.#mayClaim(worker);
    const { replies } = await this.#parts.commands.take(worker.name, worker.claims, { proven: 9, others: 9 }, LIMITS);
    const [reply, ...others] = replies;
    must(others.length === 0, 'a destination is taken twice');
    must((reply !== undefined) === (mayClaim && s.status === 'ready'), 'a destination is taken wrongly, or not taken');
    if (reply !== undefined) this.#claimed(worker, reply, isHeard);
  }

  #claimed(worker: Worker, reply: DrainReply, isHeard: boolean): void {
    const { model } = this.#parts;
    const { s } = model;
    must(s.owner === '', 'a destination is claimed that has an owner');
    must(reply.target !== undefined, 'a claim returns no target');
    const token = `${worker.name}_${worker.claims}`;
    must(reply.state.owner === token || reply.state.owner === '', `the claim is ${reply.state.owner}, not ${token}`);
    model.claim(token);
    if (!s.record.active || isGivenUp(s)) {
      inFlightToResends(s);
      model.serve(reply, { window: 0, isReleasing: false });
    } else {
      model.serve(reply, { window: 1, isReleasing: false, known: new Set() });
    }
    if (!isHeard) return;
    const drain: Drain = {
      token,
      inFlight: new Map(),
      settles: [],
      version: 0,
      revision: 0,
      isLost: false,
      isReleasing: false,
      isGivingUp: false,
      breaker: undefined,
    };
    worker.drains.set(token, drain);
    takeOver(worker, drain, reply);
    // A drain that has ended sends nothing.
    const isOver = !worker.drains.has(token);
    must(isOver || drain.version === s.record.version, 'a claim returns an old record');
  }

  /** A step of a drain: settles attempts and gets new batches. */
  async next(worker: Worker, drain: Drain, window: number, isHeard: boolean): Promise<void> {
    const { model } = this.#parts;
    const known = new Set(drain.inFlight.keys());
    const breaker = drain.breaker?.version === drain.version ? drain.breaker : undefined;
    const { replies, follow } = await this.#parts.commands.next(
      [
        {
          destination: this.#parts.keyspace.destination,
          account: 'account',
          token: drain.token,
          version: drain.version,
          revision: drain.revision,
          settles: drain.settles.map(settleOf),
          window: drain.isReleasing ? 0 : window,
          isReleasing: drain.isReleasing,
          inFlight: [...known],
          isLost: drain.isLost,
          learned: breaker && { breaker: sentBreaker(breaker) },
        },
      ],
      LIMITS,
    );
    const reply = replies[0] as DrainReply;
    const isOwner = model.s.owner === drain.token;
    if (!isOwner) {
      must(reply.status === 'refused', `another worker's destination answers ${reply.status}`);
    } else {
      must(reply.status !== 'refused', 'the owner is refused');
      const followed = model.settle(drain.settles);
      must([...followed].sort().join() === [...follow].sort().join(), 'other batches follow the new address');
      if (breaker?.version === model.s.record.version) model.s.breaker = { ...breaker };
      this.#served(drain, reply, drain.isReleasing ? 0 : window, known);
      // A mailbox that ends has no state.
      if (reply.state.owner !== '') await this.#sameState(reply);
    }
    if (!isHeard) {
      drain.isLost = true;
      return;
    }
    drain.settles = [];
    drain.isLost = false;
    drain.breaker = undefined;
    takeOver(worker, drain, reply);
    const isOver = !isOwner || !worker.drains.has(drain.token);
    must(isOver || drain.version === model.s.record.version, 'a step does not return the new record');
  }

  #served(drain: Drain, reply: DrainReply, window: number, known: ReadonlySet<string>): void {
    const { model } = this.#parts;
    const { isLost, isReleasing } = drain;
    const open = model.s.window.filter(({ isSettled }) => !isSettled).length;
    if (!isLost && open > known.size) {
      must(reply.status === 'lost', `a lost reply is answered ${reply.status}`);
      must(reply.batches.length === 0, 'a lost reply is answered with batches');
    } else if (isLost) {
      model.serve(reply, { window, isReleasing, known });
    } else {
      model.serve(reply, { window, isReleasing });
    }
  }

  async #sameState(reply: DrainReply): Promise<void> {
    const { state } = await this.#parts.keyspace.read();
    must(JSON.stringify(reply.state) === JSON.stringify(state), 'the reply has another state than Redis');
  }

  async giveUpStep(worker: Worker, drain: Drain): Promise<void> {
    const { model } = this.#parts;
    const { s } = model;
    const givenUp = await this.#parts.commands.giveUpStep({
      destination: this.#parts.keyspace.destination,
      token: drain.token,
      idPrefix: `p${this.#parts.newId()}-`,
      reason: '',
    });
    drain.isGivingUp = false;
    if (s.owner !== drain.token || hasBatchInFlight(s)) {
      must(
        givenUp === undefined,
        'events are given up by a worker that does not own the destination, or with batches in flight',
      );
      return;
    }
    must(givenUp !== undefined, 'the owner may not give up its events');
    if (s.record.active && !isGivenUp(s)) {
      must(givenUp.dead + givenUp.dropped === 0, 'events are given up although the destination is on');
      return;
    }
    const given = giveUpNext(s);
    const deadLetters = await Promise.all(
      givenUp.deadLetters.map(async ({ id }) => [id, await this.#parts.keyspace.deadLetter(id)] as const),
    );
    const texts = (lists: readonly (readonly string[])[]): string =>
      lists
        .map((events) => events.join())
        .sort()
        .join(';');
    const found = texts(deadLetters.map(([, events]) => events));
    must(found === (s.record.deleted ? '' : texts(given)), 'the dead letters hold other events than were given up');
    for (const [id, events] of deadLetters) s.deadLetters.set(id, events);
    must(givenUp.again === given.length > 0, 'giving up ends too soon, or never');
    if (!givenUp.again) s.givenUpUntilMs = 0;
    else drain.isGivingUp = true;
    if (!drain.isGivingUp) await this.next(worker, drain, 1, true);
  }

  /**
   * A heartbeat, which also puts back destinations of dead workers, a page per call, and wakes due resends. Resolves
   * with whether no dead worker is left.
   */
  async heartbeat(worker: Worker): Promise<boolean> {
    const { redis, keyspace, commands, model, workers } = this.#parts;
    const { s } = model;
    const inTurn = await redis.zrange(keyspace.keys.due, '0', '-1', 'WITHSCORES');
    const beforeMs = Date.now();
    const reply = await commands.heartbeat(worker.name, LEASE_MS, HEARTBEAT_MS, { last: worker.last });
    worker.last = reply.heartbeat;
    must(reply.violations.length === 0, `an invariant is violated: ${JSON.stringify(reply.violations)}`);
    worker.isAway = false;
    const owner = s.owner.split('_')[0] ?? '';
    if (reply.moved > 0) {
      // In the model, time ends no leases, and the leases of living workers survive every step of the clock.
      const isAlive = workers.some(({ name, isAway }) => name === owner && !isAway);
      must(reply.moved === 1 && owner !== '' && !isAlive, 'destinations of a living worker are put back');
      model.queueReady();
    }
    const left = new Set(await redis.zrange(keyspace.keys.due, '0', '-1'));
    for (let i = 0; i < inTurn.length; i += 2) {
      const [id = '', dueAt] = inTurn.slice(i, i + 2);
      const resend = s.resends.get(id);
      if (resend === undefined) continue;
      must(Math.abs(resend.dueAtMs - Number(dueAt)) < HOUR_MS / 2, 'a resend is due at another time');
      if (left.has(id)) {
        must(Number(dueAt) > beforeMs - LATE_MS, 'an overdue resend is not woken');
        continue;
      }
      must(Number(dueAt) <= Date.now() - LATE_MS, 'a heartbeat wakes a resend that is not overdue');
      model.wake(id);
    }
    const isOverdue = [s.breaker.parkedUntilMs, s.pausedUntilMs].some((at) => at > 0 && at <= Date.now() - LATE_MS);
    if (isOverdue) await this.#followWaking();
    return reply.whole;
  }

  /** Whether a heartbeat has woken a destination whose wait is over depends on the set `parked`. */
  async #followWaking(): Promise<void> {
    const { model, keyspace } = this.#parts;
    if (model.s.status !== 'idle' && model.s.status !== 'waiting') return;
    const before = structuredClone(model.s);
    model.wake('');
    const { status } = (await keyspace.read()).state;
    const names = ['idle', 'ready', 'owned', 'waiting'] as const;
    if (names[status] === before.status) model.s = before;
  }
}

const sentBreaker = ({ failures, parkMs, parkedUntilMs }: NonNullable<Drain['breaker']>) => ({
  failures,
  parkMs,
  leftMs: parkedUntilMs === 0 ? undefined : Math.max(0, parkedUntilMs - Date.now()),
  error: 'no',
});
