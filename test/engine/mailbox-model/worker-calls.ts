import type { DrainReply } from '../../../packages/delivery/src/mailbox/replies.ts';
import { giveUpNext, inFlightToResends } from './give-up.ts';
import { HEARTBEAT_MS, HOUR_MS, LATE_MS, LEASE_MS, LIMITS } from './limits.ts';
import { hasBatchInFlight, holdsEvents, isGivenUp } from './mailbox-state.ts';
import type { Entry, Lane, MailboxState } from './mailbox-state.ts';
import { entryTextOf, settleOf } from './script-arguments.ts';
import type { Settle } from './settle.ts';
import { must } from './violation.ts';
import { takeOver } from './workers.ts';
import type { Drain, Worker } from './workers.ts';
import type { WorldParts } from './world-parts.ts';

interface Chunk {
  readonly job: string;
  readonly lane: Lane;
  readonly entries: readonly Entry[];
}

/** Whether a worker may try the short path: the only batch of the drain was delivered, and its breaker stays closed. */
function isOnlyBatchDelivered({ settles, inFlight, isResync, isReleasing }: Drain, { breaker }: MailboxState): boolean {
  const [settle] = settles;
  if (settle === undefined || settles.length > 1 || settle.followUps.length > 0) return false;
  return inFlight.size === 0 && !isResync && !isReleasing && breaker.failures === 0 && breaker.parkedUntilMs === 0;
}

/** Calls of the scripts that workers make, with replies that may get lost. */
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

  async append(worker: Worker, lane: Lane, sizes: readonly number[], room: boolean, isHeard: boolean): Promise<void> {
    const { redis, keyspace, model } = this.#parts;
    const atMs = Date.now();
    const entries = sizes.map((size) => ({
      atMs,
      events: Array.from({ length: size }, () => `e${(this.#names += 1)}`),
    }));
    const count = sizes.reduce((sum, size) => sum + size, 0);
    const job = `${keyspace.shared}job:${this.#names}`;
    await redis.hset(job, 'data', '');
    this.#chunk = { job, lane, entries };
    const expected = model.append(lane, entries, room);
    const reply = await this.#append(worker, this.#chunk, room);
    must(typeof reply !== 'string', `the append answers ${JSON.stringify(reply)}`);
    must(reply.dropped === (expected === 'dropped' ? count : 0), 'the append drops the wrong number of events');
    must(reply.claims === (expected === 'claimed' ? 1 : 0), `the append claims ${reply.claims} for ${expected}`);
    must(reply.mine.length === (expected === 'owned' && model.s.owner.startsWith(`${worker.name}_`) ? 1 : 0), 'mine');
    const [claimed] = reply.replies;
    if (claimed !== undefined) this.#claimed(worker, claimed, isHeard);
  }

  /** Appends the last chunk again, like the second run of a stalled job. With `gone`, the job is done by then. */
  async appendAgain(worker: Worker, gone: boolean): Promise<void> {
    if (this.#chunk === undefined) return;
    if (gone) await this.#parts.redis.del(this.#chunk.job);
    const isThere = (await this.#parts.redis.exists(this.#chunk.job)) === 1;
    const reply = await this.#append(worker, this.#chunk, true);
    must(reply === (isThere ? 'again' : 'gone'), `a second append answers ${JSON.stringify(reply)}`);
  }

  #append(worker: Worker, { job, lane, entries }: Chunk, room: boolean) {
    return this.#parts.commands.append({
      ...{
        worker: worker.name,
        firstClaim: (worker.claims += 1),
        room: { proven: room ? 1 : 0, others: room ? 1 : 0 },
      },
      ...{ jobKey: job, mark: '', slice: 1, limits: LIMITS },
      groups: [
        {
          ...{ destination: 'd', account: 'account', lane },
          events: entries.reduce((sum, { events }) => sum + events.length, 0),
          entries: entries.map(entryTextOf),
        },
      ],
    });
  }

  async take(worker: Worker, isHeard: boolean): Promise<void> {
    const { s } = this.#parts.model;
    const { replies } = await this.#parts.commands.take(
      worker.name,
      (worker.claims += 1),
      { proven: 1, others: 1 },
      LIMITS,
    );
    const [reply] = replies;
    must(
      (reply !== undefined) === (s.ready && s.owner === ''),
      'a destination is taken that is not ready, or not taken',
    );
    s.ready = false;
    if (reply !== undefined) this.#claimed(worker, reply, isHeard);
  }

  #claimed(worker: Worker, reply: DrainReply, isHeard: boolean): void {
    const { model } = this.#parts;
    must(model.s.owner === '', 'a destination is claimed that has an owner');
    model.claim(reply.token);
    if (!model.s.record.active || isGivenUp(model.s)) {
      inFlightToResends(model.s);
      model.serve(reply, { window: 0, isReleasing: false });
    } else {
      model.serve(reply, { window: 1, isReleasing: false, known: new Set() });
    }
    if (!isHeard) return;
    const drain: Drain = {
      ...{ token: reply.token, inFlight: new Map(), settles: [], version: model.s.record.version },
      ...{ isResync: false, isReleasing: false, isGivingUp: false, breaker: undefined },
    };
    worker.drains.set(reply.token, drain);
    takeOver(worker, drain, reply);
  }

  /** A step of a drain: settles attempts and gets new batches. A drain whose only batch was delivered tries to end on the short path first. */
  async next(worker: Worker, drain: Drain, window: number, isHeard: boolean): Promise<void> {
    if (isOnlyBatchDelivered(drain, this.#parts.model.s)) {
      const { isDone } = await this.#nextSingle(worker, drain, isHeard);
      if (isDone) return;
    }
    const { model } = this.#parts;
    const settles = drain.settles.map(settleOf);
    const known = new Set(drain.inFlight.keys());
    const { breaker } = drain;
    const { replies, follow } = await this.#parts.commands.next(
      [
        {
          ...{
            destination: 'd',
            token: drain.token,
            settles,
            window: drain.isReleasing ? 0 : window,
            isReleasing: drain.isReleasing,
          },
          breaker: breaker === undefined ? undefined : { ...breaker, version: String(breaker.version), error: '' },
          gone: undefined,
          inFlight: drain.isResync ? [...known] : known.size,
        },
      ],
      LIMITS,
    );
    const reply = replies[0] as DrainReply;
    if (model.s.owner !== drain.token) {
      must(reply.status === 'refused', `another worker's destination answers ${reply.status}`);
    } else {
      must(reply.status !== 'refused', 'the owner is refused');
      const followed = model.settle(drain.settles);
      must([...followed].sort().join() === [...follow].sort().join(), 'other batches follow the new address');
      if (breaker?.version === model.s.record.version) model.s.breaker = { ...breaker };
      const open = model.s.window.filter(({ isDone }) => !isDone).length;
      if (!drain.isResync && open > known.size)
        must(reply.status === 'lost', `a lost reply is answered ${reply.status}`);
      else
        model.serve(reply, {
          window: drain.isReleasing ? 0 : window,
          isReleasing: drain.isReleasing,
          ...(drain.isResync ? { known } : {}),
        });
    }
    if (!isHeard) {
      drain.isResync = true;
      return;
    }
    drain.settles = [];
    drain.isResync = false;
    drain.breaker = undefined;
    takeOver(worker, drain, reply);
  }

  /** `isDone`: no call of the long path must follow. */
  async #nextSingle(worker: Worker, drain: Drain, isHeard: boolean): Promise<{ readonly isDone: boolean }> {
    const { model, commands } = this.#parts;
    const { s } = model;
    const [settle] = drain.settles as [Settle];
    const { token } = drain;
    const [reply = 'unchanged'] = await commands.nextSingle(
      [
        {
          ...{ destination: 'd', account: 'account', token },
          batch: settle.id,
          attempt: settle.attempt,
          version: String(settle.version),
          credentials: '',
        },
      ],
      LIMITS,
    );
    const isUsual = s.record.active && s.pausedUntilMs === 0 && s.givenUpUntilMs === 0;
    const [batch, ...others] = s.window;
    const isNamed = batch?.id === settle.id && batch.attempt === settle.attempt && others.length === 0;
    const isFresh = batch?.lane !== 'x';
    if (s.owner !== token || !isUsual || !isNamed || !isFresh) {
      must(reply === 'unchanged', `a destination that needs the long path is ${JSON.stringify(reply)}`);
    } else {
      must(reply !== 'unchanged', 'the owner may not settle on the short path');
      model.settle(drain.settles);
      if (typeof reply !== 'string' && reply.status === 'ok') {
        const isDue = s.due.some((id) => s.resends.has(id));
        must(!isDue && settle.version === s.record.version, 'a new batch leaves on the short path');
        model.serve(reply, { window: 1, isReleasing: false });
      } else {
        // The due list of the model may contain ids of deleted resends, which Redis has removed or not.
        const holdsMore = holdsEvents(s) || s.due.some((id) => s.resends.has(id));
        must(
          reply === 'settled' ? holdsMore || s.due.length > 0 : !holdsMore,
          'a destination is released too soon or late',
        );
        if (reply !== 'settled') model.finish(reply.status, false);
      }
    }
    if (!isHeard) {
      drain.isResync = true;
      return { isDone: true };
    }
    if (reply !== 'unchanged') [drain.settles, drain.breaker] = [[], undefined];
    if (typeof reply !== 'string') takeOver(worker, drain, reply);
    return { isDone: typeof reply !== 'string' };
  }

  async giveUpStep(worker: Worker, drain: Drain): Promise<void> {
    const { model } = this.#parts;
    const { s } = model;
    const givenUp = await this.#parts.commands.giveUpStep({
      destination: 'd',
      token: drain.token,
      idPrefix: `p${this.#parts.newId()}-`,
      reason: '',
    });
    drain.isGivingUp = false;
    if (s.owner !== drain.token || hasBatchInFlight(s)) {
      must(
        givenUp === undefined,
        'a destination is givenUp by a worker that does not own it, or with batches in flight',
      );
      return;
    }
    must(givenUp !== undefined, 'the owner may not give up its events');
    if (s.record.active && !isGivenUp(model.s)) {
      must(givenUp.dead + givenUp.dropped === 0, 'events are given up although the destination is on');
      return;
    }
    const given = giveUpNext(s);
    const deadLetters = await Promise.all(
      givenUp.deadLetters.map(async ({ id }) => [id, await this.#parts.keyspace.deadLetter(id)] as const),
    );
    must(
      deadLetters
        .map(([, events]) => events.join())
        .sort()
        .join(';') ===
        (s.record.deleted
          ? ''
          : given
              .map((events) => events.join())
              .sort()
              .join(';')),
      'the dead deadLetters hold other events than were given up',
    );
    for (const [id, events] of deadLetters) s.deadLetters.set(id, events);
    must(givenUp.again === given.length > 0, 'giving up ends too soon, or never');
    if (!givenUp.again) s.givenUpUntilMs = 0;
    else drain.isGivingUp = true;
    if (!drain.isGivingUp) await this.next(worker, drain, 1, true);
  }

  /** A heartbeat, which also puts back the destinations of dead workers and wakes due resends. */
  async heartbeat(worker: Worker): Promise<void> {
    const { redis, keyspace, commands, model, workers } = this.#parts;
    const { s } = model;
    const dead = await redis.zrangebyscore(`${keyspace.base}workers`, '-inf', Date.now() - 1);
    const inTurn = await redis.zrange(`${keyspace.base}due`, '0', '-1', 'WITHSCORES');
    const reply = await commands.heartbeat(worker.name, LEASE_MS, HEARTBEAT_MS);
    const owner = s.owner.split('_')[0] ?? '';
    // In the model, time ends no leases, and the leases of living workers survive every step of the clock.
    const isReaped =
      owner !== '' && !workers.some(({ name }) => name === owner) && dead.includes(owner) && reply.moved > 0;
    must(reply.moved > 0 === isReaped, 'destinations of a living worker are put back');
    if (isReaped) {
      model.release();
      model.queueReady();
    }
    // By the times of Redis. A slow machine makes the same decision a few milliseconds later.
    for (let i = 0; i < inTurn.length; i += 2) {
      const [id = '', dueAt] = inTurn.slice(i, i + 2);
      const resend = s.resends.get(id);
      if (resend === undefined) continue;
      must(Math.abs(resend.dueAtMs - Number(dueAt)) < HOUR_MS / 2, 'a resend is due at another time');
      if (Number(dueAt) <= reply.clock.nowMs - LATE_MS) model.wake(id);
    }
    const isOverdue = [s.breaker.parkedUntilMs, s.pausedUntilMs].some((at) => at > 0 && at <= Date.now() - LATE_MS);
    if (isOverdue && (await redis.hget(`${keyspace.base}d:d`, 'ready')) === '1') s.ready = true;
  }
}
