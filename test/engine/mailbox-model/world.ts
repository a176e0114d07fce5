import type { DrainReply } from '../../../packages/delivery/src/scripts/drain-reply.ts';
import type { Scripts } from '../../../packages/delivery/src/scripts/scripts.ts';
import { createScripts } from '../../../packages/delivery/src/scripts/scripts.ts';
import type { Redis } from '@mailhook/platform/redis';
import { compareWithRedis } from './compare-with-redis.ts';
import { Keyspace } from './keyspace.ts';
import type { Entry, Lane, MailboxState } from './mailbox-state.ts';
import { BATCH_MAX, MailboxModel, MOST } from './model.ts';
import { OperatorSteps, recordOf } from './operator-steps.ts';
import { elementOf, tupleOf } from './script-arguments.ts';
import { must } from './violation.ts';
import { takeOver } from './workers.ts';
import type { Drain, Worker } from './workers.ts';

export const HOUR_MS = 3_600_000;
/** Longer than a run, so that only steps end leases. */
const LEASE_MS = 250_000;
const BEAT_MS = 50_000;
export const LIMITS = { batchMax: BATCH_MAX, windowMax: MOST, maxAgeMs: 1000 * HOUR_MS };

interface Chunk {
  readonly job: string;
  readonly lane: Lane;
  readonly entries: readonly Entry[];
}

interface Snapshot {
  readonly dumps: ReadonlyMap<string, Buffer>;
  readonly state: MailboxState;
}

/** The scripts on a real Redis, the model, and workers that call the scripts like the product's workers. */
export class World {
  readonly model = new MailboxModel();
  readonly workers: Worker[] = ['wa', 'wb', 'wc'].map((name) => ({ name, claims: 0, drains: new Map() }));
  readonly scripts: Scripts;
  readonly steps: string[] = [];
  readonly operator: OperatorSteps;
  readonly #keyspace: Keyspace;
  readonly #redis: Redis;
  readonly #base: string;
  #chunk: Chunk | undefined;
  #snapshot: Snapshot | undefined;
  #names = 0;
  #ids = 0;
  #crashes = 0;

  constructor(redis: Redis, scriptsOf: (redis: Redis) => Redis = (same) => same) {
    this.#keyspace = new Keyspace(redis);
    this.#redis = redis;
    this.#base = this.#keyspace.base;
    this.scripts = createScripts(scriptsOf(redis), this.#keyspace.keys);
    this.operator = new OperatorSteps(this.#keyspace, this.scripts, this.model, () => this.newId());
  }

  async start(): Promise<void> {
    await this.scripts.saveDestination('d', recordOf(1, true));
    for (const { name } of this.workers) await this.scripts.beat(name, LEASE_MS, BEAT_MS);
  }

  async compare(): Promise<void> {
    compareWithRedis(this.model.s, await this.#keyspace.read());
  }

  /** Deletes everything that this world wrote. */
  clear(): Promise<void> {
    return this.#keyspace.clear();
  }

  newId(): string {
    return `${this.workers[0]?.name ?? ''}-${(this.#ids += 1)}`;
  }

  drains(): [Worker, Drain][] {
    return this.workers.flatMap((worker) =>
      [...worker.drains.values()].map((drain): [Worker, Drain] => [worker, drain]),
    );
  }

  async append(worker: Worker, lane: Lane, sizes: readonly number[], room: boolean, isHeard: boolean): Promise<void> {
    const atMs = Date.now();
    const entries = sizes.map((size) => ({
      atMs,
      events: Array.from({ length: size }, () => `e${(this.#names += 1)}`),
    }));
    const count = sizes.reduce((sum, size) => sum + size, 0);
    const job = `${this.#keyspace.shared}job:${this.#names}`;
    await this.#redis.hset(job, 'data', '');
    this.#chunk = { job, lane, entries };
    const expected = this.model.append(lane, entries, room);
    const reply = await this.#append(worker, this.#chunk, room);
    must(typeof reply !== 'string', `the append answers ${JSON.stringify(reply)}`);
    must(reply.dropped === (expected === 'dropped' ? count : 0), 'the append drops the wrong number of events');
    must(reply.claims === (expected === 'claimed' ? 1 : 0), `the append claims ${reply.claims} for ${expected}`);
    must(
      reply.mine.length === (expected === 'owned' && this.model.s.owner.startsWith(`${worker.name}.`) ? 1 : 0),
      'mine',
    );
    const [claimed] = reply.replies;
    if (claimed !== undefined) this.#claimed(worker, claimed, isHeard);
  }

  /** Appends the last chunk again, like the second run of a stalled job. `gone`: the job is done meanwhile. */
  async appendAgain(worker: Worker, gone: boolean): Promise<void> {
    if (this.#chunk === undefined) return;
    if (gone) await this.#redis.del(this.#chunk.job);
    const isThere = (await this.#redis.exists(this.#chunk.job)) === 1;
    const reply = await this.#append(worker, this.#chunk, true);
    must(reply === (isThere ? 'again' : 'gone'), `a second append answers ${JSON.stringify(reply)}`);
  }

  #append(worker: Worker, { job, lane, entries }: Chunk, room: boolean) {
    return this.scripts.append({
      ...{
        worker: worker.name,
        firstClaim: (worker.claims += 1),
        room: { proven: room ? 1 : 0, others: room ? 1 : 0 },
      },
      ...{ jobKey: job, mark: '', part: 1, limits: LIMITS },
      groups: [
        {
          ...{ destination: 'd', account: 'account', lane },
          events: entries.reduce((sum, { events }) => sum + events.length, 0),
          elements: entries.map(elementOf),
        },
      ],
    });
  }

  async take(worker: Worker, isHeard: boolean): Promise<void> {
    const { s } = this.model;
    const { replies } = await this.scripts.take(worker.name, (worker.claims += 1), { proven: 1, others: 1 }, LIMITS);
    const [reply] = replies;
    must(
      (reply !== undefined) === (s.ready && s.owner === ''),
      'a destination is taken that is not ready, or not taken',
    );
    s.ready = false;
    if (reply !== undefined) this.#claimed(worker, reply, isHeard);
  }

  #claimed(worker: Worker, reply: DrainReply, isHeard: boolean): void {
    const { model } = this;
    must(model.s.owner === '', 'a destination is claimed that has an owner');
    model.claim(reply.token);
    if (!model.s.record.active || model.isGivenUp) {
      model.unfreeze();
      model.serve(reply, { window: 0, leaving: false });
    } else {
      model.serve(reply, { window: 1, leaving: false, known: new Set() });
    }
    if (!isHeard) return;
    const drain: Drain = {
      ...{ token: reply.token, inFlight: new Map(), settles: [], version: model.s.record.version },
      ...{ isResync: false, leaving: false, purging: false, breaker: undefined },
    };
    worker.drains.set(reply.token, drain);
    takeOver(worker, drain, reply);
  }

  /** A step of a drain: settles attempts and gets new batches. */
  async next(worker: Worker, drain: Drain, window: number, isHeard: boolean): Promise<void> {
    const { model } = this;
    const bodies: string[] = [];
    const settles = drain.settles.map((settle) => tupleOf(settle, bodies));
    const known = new Set(drain.inFlight.keys());
    const { breaker } = drain;
    const { replies, follow } = await this.scripts.next(
      [
        {
          ...{
            destination: 'd',
            token: drain.token,
            settles,
            window: drain.leaving ? 0 : window,
            leaving: drain.leaving,
          },
          breaker: breaker === undefined ? undefined : { ...breaker, version: String(breaker.version) },
          gone: undefined,
          inFlight: drain.isResync ? [...known] : known.size,
        },
      ],
      bodies,
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
          window: drain.leaving ? 0 : window,
          leaving: drain.leaving,
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

  async purge(worker: Worker, drain: Drain): Promise<void> {
    const { model } = this;
    const { s } = model;
    const purged = await this.scripts.purge({
      destination: 'd',
      token: drain.token,
      idPrefix: `p${this.newId()}-`,
      reason: '',
    });
    drain.purging = false;
    if (s.owner !== drain.token || model.isOpen) {
      must(purged === undefined, 'a destination is purged by a worker that does not own it, or with batches in flight');
      return;
    }
    must(purged !== undefined, 'the owner may not purge');
    if (s.record.active && !model.isGivenUp) {
      must(purged.dead + purged.dropped === 0, 'events are given up although the destination is on');
      return;
    }
    const given = model.giveUpNext();
    const letters = await Promise.all(
      purged.letters.map(async ({ id }) => [id, await this.#keyspace.deadLetter(id)] as const),
    );
    must(
      letters
        .map(([, events]) => events.join())
        .sort()
        .join(';') ===
        (s.record.deleted
          ? ''
          : given
              .map((events) => events.join())
              .sort()
              .join(';')),
      'the dead letters hold other events than were given up',
    );
    for (const [id, events] of letters) s.deadLetters.set(id, events);
    must(purged.again === given.length > 0, 'the purge is over too soon, or never');
    if (!purged.again) s.givenUpUntilMs = 0;
    else drain.purging = true;
    if (!drain.purging) await this.next(worker, drain, 1, true);
  }

  async beat(worker: Worker): Promise<void> {
    const dead = await this.#redis.zrangebyscore(`${this.#base}workers`, '-inf', Date.now() - 1);
    const inTurn = await this.#redis.zrange(`${this.#base}due`, '0', '-1');
    const reply = await this.scripts.beat(worker.name, LEASE_MS, BEAT_MS);
    const { s } = this.model;
    const owner = s.owner.split('.')[0] ?? '';
    // Here time ends no leases, and leases of living workers survive every step of the clock.
    const isReaped =
      owner !== '' && !this.workers.some(({ name }) => name === owner) && dead.includes(owner) && reply.moved > 0;
    must(reply.moved > 0 === isReaped, 'destinations of a living worker are put back');
    if (isReaped) {
      this.model.release();
      this.model.queueReady();
    }
    for (const id of inTurn) {
      if ((s.resends.get(id)?.dueAtMs ?? Infinity) <= Date.now() - 250) this.model.wake(id);
    }
    const isOverdue = [s.breaker.parkedUntilMs, s.pausedUntilMs].some((at) => at > 0 && at <= Date.now() - 250);
    if (isOverdue && (await this.#redis.hget(`${this.#base}d:d`, 'ready')) === '1') s.ready = true;
  }

  /** Ends the leases of all other workers, while this one sends heartbeats. */
  async endOtherLeases({ name }: Worker): Promise<void> {
    for (const worker of await this.#redis.zrange(`${this.#base}workers`, '0', '-1'))
      if (worker !== name) await this.#redis.zadd(`${this.#base}workers`, Date.now() - 60_000, worker);
    await this.#redis.set(`${this.#base}beat`, Date.now());
  }

  /** A worker dies and forgets everything. The others keep sending heartbeats until its lease has ended. */
  async crash(worker: Worker): Promise<void> {
    worker.drains.clear();
    for (const { name } of this.workers)
      await this.#redis.zadd(`${this.#base}workers`, 'XX', Date.now() + LEASE_MS, name);
    await this.#redis.zadd(`${this.#base}workers`, 'XX', Date.now() - 60_000, worker.name);
    await this.#redis.set(`${this.#base}beat`, Date.now());
    const at = this.workers.indexOf(worker);
    this.workers[at] = { name: `w${'xyz'[at] ?? ''}${(this.#crashes += 1)}`, claims: 0, drains: new Map() };
  }

  /** Puts back a destination that a worker owns in Redis without knowing it. */
  async returnOrphans(): Promise<void> {
    const { s } = this.model;
    const worker = this.workers.find(({ name }) => s.owner.startsWith(`${name}.`));
    if (worker === undefined || worker.drains.has(s.owner)) return;
    must(await this.scripts.abandon('d', s.owner), 'an orphan is not put back');
    this.model.release();
    this.model.queueReady();
  }

  async jobWakes(id: string): Promise<void> {
    await this.scripts.wake('d', id);
    this.model.wake(id);
  }

  /** Redis's clock jumps, so all stored times move by this much. */
  async clockStep(byMs: number): Promise<void> {
    const { s } = this.model;
    await this.#keyspace.shiftTimes(byMs);
    if (s.breaker.parkedUntilMs > 0) s.breaker = { ...s.breaker, parkedUntilMs: s.breaker.parkedUntilMs - byMs };
    if (s.pausedUntilMs > 0) s.pausedUntilMs -= byMs;
    for (const resend of s.resends.values()) resend.dueAtMs -= byMs;
  }

  async takeSnapshot(): Promise<void> {
    this.#snapshot = { dumps: await this.#keyspace.dump(), state: structuredClone(this.model.s) };
  }

  /** Redis loses its last writes and returns to the snapshot. The workers keep their memory. */
  async loseWrites(): Promise<void> {
    if (this.#snapshot === undefined) return;
    await this.#keyspace.restore(this.#snapshot.dumps);
    this.model.s = structuredClone(this.#snapshot.state);
    this.#chunk = undefined;
  }
}
