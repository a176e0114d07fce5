import { engineKeys } from '../../../packages/delivery/src/keys.ts';
import type { DrainReply } from '../../../packages/delivery/src/scripts/drain-reply.ts';
import type { FollowUpTuple, Scripts, SettleTuple } from '../../../packages/delivery/src/scripts/scripts.ts';
import { bodyArgument, createScripts } from '../../../packages/delivery/src/scripts/scripts.ts';
import type { Redis } from '@mailhook/platform/redis';
import { uniqueName } from '@mailhook/testing';
import type { Entry, FollowUp, Lane, MailboxState, Name, Settle } from './model.ts';
import { BATCH_MAX, MailboxModel, MOST, must } from './model.ts';
import { readRealState } from './real-state.ts';

export const HOUR_MS = 3_600_000;
const LEASE_MS = 2500;
const BEAT_MS = 500;
export const LIMITS = { batchMax: BATCH_MAX, windowMax: MOST, maxAgeMs: 1000 * HOUR_MS };

/** A batch that a worker has sent and that is not answered. */
interface InFlight {
  readonly id: string;
  readonly lane: Lane | 'x';
  readonly attempt: number;
  readonly events: readonly Name[];
  readonly version: number;
}

/** One destination in a worker's memory, as the drain pool keeps it. */
export interface Drain {
  readonly token: string;
  readonly inFlight: Map<string, InFlight>;
  settles: Settle[];
  version: number;
  isResync: boolean;
  leaving: boolean;
  purging: boolean;
  breaker: { failures: number; parkMs: number; parkedUntilMs: number; version: number } | undefined;
}

export interface Worker {
  readonly name: string;
  claims: number;
  readonly drains: Map<string, Drain>;
}

interface Chunk {
  readonly job: string;
  readonly lane: Lane;
  readonly entries: readonly Entry[];
}

interface Snapshot {
  readonly dumps: ReadonlyMap<string, Buffer>;
  readonly state: MailboxState;
}

/** The scripts on a real Redis, the model beside them, and workers that call them as the product's do. */
export class World {
  readonly model = new MailboxModel();
  readonly workers: Worker[] = ['wa', 'wb', 'wc'].map((name) => ({ name, claims: 0, drains: new Map() }));
  readonly scripts: Scripts;
  readonly steps: string[] = [];
  readonly #redis: Redis;
  readonly #base: string;
  readonly #shared: string;
  #chunk: Chunk | undefined;
  #snapshot: Snapshot | undefined;
  #names = 0;
  #ids = 0;
  #crashes = 0;

  constructor(redis: Redis, scriptsOf: (redis: Redis) => Redis = (same) => same) {
    const keys = engineKeys(uniqueName('model'), 0, 'campaign');
    this.#redis = redis;
    this.#base = keys.base;
    this.#shared = keys.shared;
    this.scripts = createScripts(scriptsOf(redis), keys);
  }

  async start(): Promise<void> {
    await this.scripts.saveDestination('d', this.#record(1, true));
    for (const { name } of this.workers) await this.scripts.beat(name, LEASE_MS, BEAT_MS);
  }

  async compare(): Promise<void> {
    this.model.compare(await readRealState(this.#redis, this.#base, this.#shared));
  }

  /** Deletes everything that this world wrote. */
  async clear(): Promise<void> {
    const keys = await this.#redis.keys(`${this.#shared}*`);
    if (keys.length > 0) await this.#redis.del(...keys);
  }

  #record = (version: number, active: boolean) =>
    ['account', `http://127.0.0.1/${version}`, active ? '1' : '0', active ? '' : 'off', version, ''] as const;

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
    const job = `${this.#shared}job:${this.#names}`;
    await this.#redis.hset(job, 'data', '');
    this.#chunk = { job, lane, entries };
    const expected = this.model.append(lane, entries, room);
    const reply = await this.#append(worker, this.#chunk, room);
    must(typeof reply !== 'string', `the append answers ${String(reply)}`);
    must(reply.dropped === (expected === 'dropped' ? count : 0), 'the append drops the wrong number of events');
    must(reply.claims === (expected === 'claimed' ? 1 : 0), `the append claims ${reply.claims} for ${expected}`);
    must(
      reply.mine.length === (expected === 'owned' && this.model.s.owner.startsWith(`${worker.name}.`) ? 1 : 0),
      'mine',
    );
    const [claimed] = reply.replies;
    if (claimed !== undefined) this.#claimed(worker, claimed, isHeard);
  }

  /** The same chunk once more, as a stalled job's second run appends it; `gone`: its job is done meanwhile. */
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
    this.#heard(worker, drain, reply);
  }

  #heard(worker: Worker, drain: Drain, reply: DrainReply): void {
    if (reply.target !== undefined) drain.version = Number(reply.target.version);
    for (const { id, lane, attempt, content } of reply.batches) {
      drain.inFlight.set(id, { id, lane, attempt, events: content.split('\n'), version: drain.version });
    }
    if (reply.status === 'lost') drain.isResync = true;
    else if (reply.status === 'purge') drain.purging = true;
    else if (!['ok', 'again'].includes(reply.status)) worker.drains.delete(drain.token);
  }

  /** A step of a drain: it settles what has been answered, and asks for more. */
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
    this.#heard(worker, drain, reply);
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
    const given: Name[][] = [];
    if (s.resends.size > 0) {
      given.push(...[...s.resends.values()].map(({ events }) => [...events]));
      s.resends.clear();
    } else {
      s.due = [];
      for (const lane of ['u', 'f'] as const) {
        const list = s.lanes[lane];
        const isKept = ({ atMs }: Entry): boolean => s.record.active && atMs > s.givenUpUntilMs;
        const kept = list.findIndex(isKept);
        const some = list.splice(0, kept === -1 ? list.length : kept).flatMap(({ events }) => events);
        if (some.length > 0) given.push(some);
      }
    }
    if (s.record.deleted) for (const event of given.flat()) s.dropped.add(event);
    const letters = await Promise.all(purged.letters.map(async ({ id }) => [id, await this.#letter(id)] as const));
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

  async #letter(id: string): Promise<Name[]> {
    const state = await readRealState(this.#redis, this.#base, this.#shared);
    return [...(state.deadLetters.get(id) ?? [])];
  }

  async beat(worker: Worker): Promise<void> {
    const dead = await this.#redis.zrangebyscore(`${this.#base}workers`, '-inf', Date.now() - 1);
    const inTurn = await this.#redis.zrange(`${this.#base}due`, '0', '-1');
    const reply = await this.scripts.beat(worker.name, LEASE_MS, BEAT_MS);
    const { s } = this.model;
    const owner = s.owner.split('.')[0] ?? '';
    // Time does not end leases here: those of living workers last through every step of the clock.
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

  /** The leases of all others end, while this worker beats. */
  async endOtherLeases({ name }: Worker): Promise<void> {
    for (const worker of await this.#redis.zrange(`${this.#base}workers`, '0', '-1'))
      if (worker !== name) await this.#redis.zadd(`${this.#base}workers`, Date.now() - 60_000, worker);
    await this.#redis.set(`${this.#base}beat`, Date.now());
  }

  /** A worker dies: it knows nothing any more, and its lease ends while the others beat. */
  async crash(worker: Worker): Promise<void> {
    worker.drains.clear();
    await this.#redis.zadd(`${this.#base}workers`, 'XX', Date.now() - 60_000, worker.name);
    await this.#redis.set(`${this.#base}beat`, Date.now());
    const at = this.workers.indexOf(worker);
    this.workers[at] = { name: `w${'xyz'[at] ?? ''}${(this.#crashes += 1)}`, claims: 0, drains: new Map() };
  }

  /** What Redis believes a worker to own, but the worker does not know: put back. */
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

  async pause(untilMs: number): Promise<void> {
    const { s } = this.model;
    const reply = await this.scripts.pause('d', untilMs);
    const expected = s.record.deleted ? 'unknown' : s.record.active ? 'paused' : 'inactive';
    must(reply === expected, `pause answers ${reply}`);
    if (reply !== 'paused') return;
    s.pausedUntilMs = untilMs;
    this.model.queueReady();
  }

  async resume(): Promise<void> {
    const { s } = this.model;
    const reply = await this.scripts.resume('d');
    const expected = s.record.deleted ? 'unknown' : this.model.isPaused ? 'resumed' : 'not paused';
    must(reply === expected, `resume answers ${reply}`);
    if (reply !== 'resumed') return;
    s.pausedUntilMs = 0;
    this.model.queueReady();
  }

  async giveUp(): Promise<void> {
    const { s } = this.model;
    const reply = await this.scripts.drop('d');
    const expected = s.record.deleted
      ? 'unknown'
      : !s.record.active
        ? 'inactive'
        : this.model.holdsAnything
          ? 'dropped'
          : 'empty';
    must(reply === expected, `giving up answers ${reply}`);
    if (reply !== 'dropped') return;
    s.givenUpUntilMs = Number(await this.#redis.hget(`${this.#base}d:d`, 'drop'));
    this.model.queueReady();
  }

  async save(active: boolean, isNewAddress: boolean): Promise<void> {
    const { s } = this.model;
    const version = s.record.version + 1;
    const record = isNewAddress ? this.#record(version, active) : [...this.#record(version, active)];
    if (!isNewAddress) (record as unknown[])[1] = await this.#redis.hget(`${this.#base}d:d`, 'address');
    await this.scripts.saveDestination('d', record);
    if (s.record.deleted) return;
    const isSwitched = s.record.active !== active;
    s.record = { active, deleted: false, version };
    if (!isSwitched && !isNewAddress) return;
    s.breaker = { failures: 0, parkMs: 0, parkedUntilMs: 0 };
    if (isSwitched) {
      s.pausedUntilMs = 0;
      s.givenUpUntilMs = 0;
    }
    const holds = this.model.holdsEvents || s.due.length > 0 || s.window.length > 0 || (!active && s.resends.size > 0);
    if (holds) this.model.queueReady();
  }

  /** A record of an earlier version arrives late. */
  async saveOld(): Promise<void> {
    const { s } = this.model;
    if (s.record.version > 1)
      await this.scripts.saveDestination('d', this.#record(s.record.version - 1, !s.record.active));
  }

  async remove(): Promise<void> {
    const { s } = this.model;
    await this.scripts.removeDestination('d');
    s.record = { ...s.record, active: false, deleted: true };
    if (this.model.holdsAnything) this.model.queueReady();
  }

  async redrive(at: number): Promise<void> {
    const { s } = this.model;
    const [id, events] = [...s.deadLetters][at % Math.max(1, s.deadLetters.size)] ?? [];
    if (id === undefined || events === undefined) return;
    const type = await this.#redis.hget(`${this.#base}dl:${id}`, 'type');
    const attempts = Number(await this.#redis.hget(`${this.#base}dl:${id}`, 'attempts'));
    const lane = (await this.#redis.hget(`${this.#base}dl:${id}`, 'lane')) as Lane | null;
    const entries = (await this.#redis.lrange(`${this.#base}dlm:${id}`, 0, -1)).map(entryOf);
    const resend = this.newId();
    const isDone = await this.scripts.redrive(id, resend);
    must(isDone === s.record.active, 'a dead letter is redriven to a destination that is off, or not at all');
    if (!isDone) return;
    s.deadLetters.delete(id);
    if (type === 'mail' && lane !== null) {
      s.lanes[lane].push(...entries);
    } else {
      this.model.see(resend, events);
      s.resends.set(resend, { events, attempt: attempts, place: 'due', dueAtMs: 0 });
      s.due.push(resend);
    }
    if (!this.model.isPaused && (!this.model.isParked || type !== 'mail')) this.model.queueReady();
  }

  /** Redis's clock jumps: everything that was written before lies that much further back, or ahead. */
  async clockStep(byMs: number): Promise<void> {
    const { s } = this.model;
    for (const key of ['due', 'parked', 'paused', 'workers', 'busy']) {
      for (const member of await this.#redis.zrange(`${this.#base}${key}`, '0', '-1'))
        await this.#redis.zincrby(`${this.#base}${key}`, -byMs, member);
    }
    const beat = await this.#redis.get(`${this.#base}beat`);
    if (beat !== null) await this.#redis.set(`${this.#base}beat`, Number(beat) - byMs);
    for (const field of ['bu', 'paused']) {
      const value = Number((await this.#redis.hget(`${this.#base}d:d`, field)) ?? 0);
      if (value > 0) await this.#redis.hset(`${this.#base}d:d`, field, value - byMs);
    }
    if (s.breaker.parkedUntilMs > 0) s.breaker = { ...s.breaker, parkedUntilMs: s.breaker.parkedUntilMs - byMs };
    if (s.pausedUntilMs > 0) s.pausedUntilMs -= byMs;
    for (const resend of s.resends.values()) resend.dueAtMs -= byMs;
  }

  async takeSnapshot(): Promise<void> {
    const keys = await this.#redis.keys(`${this.#shared}*`);
    const dumps = await Promise.all(keys.map(async (key) => [key, await this.#redis.dumpBuffer(key)] as const));
    this.#snapshot = {
      dumps: new Map(dumps.filter((pair): pair is [string, Buffer] => pair[1] !== null)),
      state: structuredClone(this.model.s),
    };
  }

  /** Redis loses its last writes: what was true at the snapshot is true again. The workers know what they knew. */
  async loseWrites(): Promise<void> {
    if (this.#snapshot === undefined) return;
    await this.clear();
    for (const [key, dump] of this.#snapshot.dumps) await this.#redis.restore(key, 0, dump);
    this.model.s = structuredClone(this.#snapshot.state);
    this.#chunk = undefined;
  }
}

const TIME_CHARS = 8;
const HEAD_CHARS = 12;
const elementOf = ({ atMs, events }: Entry): string =>
  `${atMs.toString(36).padStart(TIME_CHARS, '0')}${String(events.length).padStart(4, '0')}${events.join('\n')}`;
const entryOf = (element: string): Entry => ({
  atMs: parseInt(element.slice(0, TIME_CHARS), 36),
  events: element.slice(HEAD_CHARS).split('\n'),
});

/** A settle as it travels; bodies are appended to `bodies`. */
function tupleOf({ id, attempt, delivered, followUps, version, judgesAddress }: Settle, bodies: string[]): SettleTuple {
  const tuples = followUps.map((followUp): FollowUpTuple => followUpTuple(followUp, attempt, bodies));
  const isDead = followUps.some(({ type }) => type === 'd');
  const settle: SettleTuple = [id, delivered.length, tuples, attempt];
  if (isDead) settle.push([`http://127.0.0.1/${version}`, String(version), judgesAddress ? 1 : 0]);
  return settle;
}

function followUpTuple({ type, id, events, waitMs }: FollowUp, attempt: number, bodies: string[]): FollowUpTuple {
  bodies.push(events.join('\n'));
  return [
    type,
    id,
    `msg_${id}`,
    1,
    0,
    '',
    events.length,
    attempt,
    'no',
    waitMs,
    bodyArgument(bodies.length - 1),
    '00000000',
    '',
  ];
}
