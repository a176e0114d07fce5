import type { Runtime, Timer } from '../../../packages/delivery/src/deliver/runtime.ts';
import type { WorkerMark } from './marks.ts';
import type { Random } from './random.ts';

/** At one moment a process runs its timers, then its I/O, then what waits for the end of the turn, as Node does. */
export type Phase = 'timer' | 'io' | 'immediate';
const RANKS: Readonly<Record<Phase, number>> = { timer: 0, io: 1, immediate: 2 };

/** A simulated process: it may stand still for a time, or die with all that it was to do. */
export class Process {
  isDead = false;
  #stalledUntilMs = 0;
  /** How far its wall clock is ahead. */
  readonly wallAheadMs: number;

  constructor(wallAheadMs: number) {
    this.wallAheadMs = wallAheadMs;
  }

  get stalledUntilMs(): number {
    return this.#stalledUntilMs;
  }

  /** It stands still until a time. Never a shorter one than before, because what comes meanwhile keeps its order. */
  stall(untilMs: number): void {
    this.#stalledUntilMs = Math.max(this.#stalledUntilMs, untilMs);
  }
}

interface Entry {
  atMs: number;
  readonly rank: number;
  readonly order: number;
  /** Undefined for the world outside of the processes: Redis, receivers, the plan of the run. */
  readonly process: Process | undefined;
  readonly run: () => unknown;
  isCanceled: boolean;
}

const isBefore = (a: Entry, b: Entry): boolean =>
  a.atMs !== b.atMs ? a.atMs < b.atMs : a.rank !== b.rank ? a.rank < b.rank : a.order < b.order;

/** Unix milliseconds of the simulated time 0. Later than any run, so that Redis removes no key of its own accord. */
export const EPOCH_MS = 2_000_000_000_000;

/**
 * Owns the time and the order of a run. One step runs at a time, with all that follows from it without I/O. Calls that
 * wait for Redis or a receiver go on in a later step.
 */
export class Scheduler {
  readonly random: Random;
  /** Gets what happens, for a run that is looked at. */
  readonly log: ((what: string) => void) | undefined;
  /** What the workers have reached (marks.ts). */
  readonly reached = new Set<WorkerMark>();
  nowMs = 1000;
  #steps = 0;
  #order = 0;
  readonly #heap: Entry[] = [];
  /** What the steps so far have left to check before the next one. */
  readonly #checks: (() => unknown)[] = [];

  constructor(random: Random, log?: (line: string) => void) {
    this.random = random;
    this.log = log && ((what) => log(`${this.nowMs} ${what}`));
  }

  get steps(): number {
    return this.#steps;
  }

  /** Runs `run` at a time, in a process or outside. A dead process does not run it, and a stalled one runs it later. */
  at(atMs: number, process: Process | undefined, phase: Phase, run: () => unknown): Entry {
    const entry = { atMs, rank: RANKS[phase], order: (this.#order += 1), process, run, isCanceled: false };
    this.#push(entry);
    return entry;
  }

  /** Runs `run` outside of the processes after a time. */
  after(ms: number, run: () => unknown): void {
    this.at(this.nowMs + ms, undefined, 'timer', run);
  }

  /** Runs a check after this step and before the next one. */
  checkNow(check: () => unknown): void {
    this.#checks.push(check);
  }

  runtimeOf(process: Process): Runtime {
    const { random } = this;
    return {
      now: () => this.nowMs,
      wall: () => EPOCH_MS + this.nowMs + process.wallAheadMs,
      later: (callback, ms) => {
        const entry = this.at(this.nowMs + Math.max(1, Math.ceil(ms)), process, 'timer', callback);
        return Object.assign(entry, { unref: () => entry }) as unknown as Timer;
      },
      cancel: (timer) => {
        if (timer !== undefined) (timer as unknown as Entry).isCanceled = true;
      },
      immediate: (callback) => void this.at(this.nowMs, process, 'immediate', callback),
      id: (bytes) => random.hex(bytes),
      random: () => random.next(),
    };
  }

  /** Runs steps until a time. */
  async run(untilMs: number): Promise<void> {
    for (;;) {
      const [first] = this.#heap;
      if (first === undefined || first.atMs > untilMs) break;
      this.#pop();
      await this.#step(first);
    }
    this.nowMs = Math.max(this.nowMs, untilMs);
  }

  async #step(entry: Entry): Promise<void> {
    const { process } = entry;
    if (entry.isCanceled || process?.isDead === true) return;
    if (process !== undefined && process.stalledUntilMs > entry.atMs) {
      entry.atMs = process.stalledUntilMs;
      this.#push(entry);
      return;
    }
    this.nowMs = entry.atMs;
    this.#steps += 1;
    const result = entry.run();
    if (result instanceof Promise) await result;
    // Everything that follows from the step without I/O.
    await new Promise((resolve) => void setImmediate(resolve));
    for (const check of this.#checks.splice(0)) await check();
  }

  #push(entry: Entry): void {
    const heap = this.#heap;
    let at = heap.length;
    heap.push(entry);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBefore(entry, heap[parent] as Entry)) break;
      heap[at] = heap[parent] as Entry;
      at = parent;
    }
    heap[at] = entry;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1] as Entry, heap[child] as Entry)) child += 1;
      if (!isBefore(heap[child] as Entry, last)) break;
      heap[at] = heap[child] as Entry;
      at = child;
    }
    heap[at] = last;
  }
}
