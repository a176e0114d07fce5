import { LEASE_MS } from './limits.ts';
import type { MailboxState } from './mailbox-state.ts';
import { must } from './violation.ts';
import type { Worker } from './workers.ts';
import type { WorldParts } from './world-parts.ts';

interface Snapshot {
  readonly dumps: ReadonlyMap<string, Buffer>;
  readonly state: MailboxState;
}

/** Faults of workers and of Redis, and the clock. */
export class FaultSteps {
  readonly #parts: WorldParts;
  readonly #onLostWrites: () => void;
  #snapshot: Snapshot | undefined;
  #crashes = 0;
  #ends = 0;
  #beatAtStep: string | null | undefined;

  /** `onLostWrites` runs after Redis has lost its last writes. */
  constructor(parts: WorldParts, onLostWrites: () => void) {
    this.#parts = parts;
    this.#onLostWrites = onLostWrites;
  }

  /** Ends the leases of all other workers, while this one sends heartbeats. */
  async endOtherLeases({ name }: Worker): Promise<void> {
    const { redis, keyspace } = this.#parts;
    for (const worker of await redis.zrange(keyspace.keys.workers, '0', '-1'))
      if (worker !== name) await redis.zadd(keyspace.keys.workers, Date.now() - 60_000, worker);
    await this.#beat();
  }

  /** A worker dies and forgets everything. The others keep sending heartbeats until its lease has ended. */
  async crash(worker: Worker): Promise<void> {
    const { workers } = this.#parts;
    await this.away(worker);
    worker.drains.clear();
    const at = workers.indexOf(worker);
    const name = `${worker.name}x${(this.#crashes += 1)}`;
    workers[at] = { name, claims: 0, drains: new Map(), isAway: false };
  }

  /** A worker sends no heartbeat until its lease has ended, and goes on later. */
  async away(worker: Worker): Promise<void> {
    const { redis, keyspace, workers } = this.#parts;
    worker.isAway = true;
    const till = Date.now() + LEASE_MS;
    for (const { name, isAway } of workers) if (!isAway) await redis.zadd(keyspace.keys.workers, 'XX', till, name);
    // No two leases end in the same millisecond.
    await redis.zadd(keyspace.keys.workers, 'XX', Date.now() - 60_000 + (this.#ends += 1), worker.name);
    await this.#beat();
  }

  async #beat(): Promise<void> {
    const { redis, keyspace } = this.#parts;
    await redis.set(`${keyspace.keys.base}beat`, Date.now());
  }

  /** Puts back a destination that a worker owns in Redis but not in its memory. */
  async returnOrphans(): Promise<void> {
    const { commands, model, workers, keyspace } = this.#parts;
    const { s } = model;
    const worker = workers.find(({ name }) => s.owner.startsWith(`${name}_`));
    if (worker === undefined || worker.drains.has(s.owner)) return;
    must(await commands.abandon(keyspace.destination, s.owner), 'an orphan is not put back');
    model.queueReady();
  }

  /**
   * The clock of Redis jumps, so all stored times move by this much. After a jump, does nothing until the next
   * heartbeat. Heartbeats come twice per second and cannot notice two jumps between them that cancel each other out.
   */
  async clockStep(byMs: number): Promise<void> {
    const { redis, keyspace, model } = this.#parts;
    const { s } = model;
    const lastBeat = () => redis.get(`${keyspace.keys.base}beat`);
    if (this.#beatAtStep !== undefined && this.#beatAtStep === (await lastBeat())) return;
    await keyspace.shiftTimes(byMs);
    this.#beatAtStep = await lastBeat();
    if (s.breaker.parkedUntilMs > 0) s.breaker = { ...s.breaker, parkedUntilMs: s.breaker.parkedUntilMs - byMs };
    if (s.pausedUntilMs > 0) s.pausedUntilMs -= byMs;
    for (const resend of s.resends.values()) resend.dueAtMs -= byMs;
  }

  async takeSnapshot(): Promise<void> {
    const { keyspace, model } = this.#parts;
    this.#snapshot = { dumps: await keyspace.dump(), state: structuredClone(model.s) };
  }

  /**
   * Redis loses its last writes and returns to the snapshot. As after a restart or a full resynchronization, it has
   * loaded its functions anew. The workers keep their memory.
   */
  async loseWrites(): Promise<void> {
    const { keyspace, model, redis, workers } = this.#parts;
    if (this.#snapshot === undefined) return;
    await keyspace.restore(this.#snapshot.dumps);
    await redis.call('FUNCTION', 'RESTORE', (await redis.callBuffer('FUNCTION', 'DUMP')) as Buffer, 'REPLACE');
    model.s = structuredClone(this.#snapshot.state);
    for (const worker of workers) {
      const till = await redis.zscore(keyspace.keys.workers, worker.name);
      worker.isAway = till !== null && Number(till) <= Date.now();
    }
    this.#onLostWrites();
  }
}
