import type { Simulation } from './simulation.ts';

/** Longer than a command may take. */
const LONGEST_WAY_MS = 2400;

/** Steps of Redis's clock. */
const STEPS_MS = [2000, 600_000, 3_600_000, -2000, -3_600_000] as const;

export const SIMULATED_BUG = 'a simulated bug';

/** Where the key of a job, or its chunk, stands in the arguments of a call of `append`. */
const JOB_KEY_AT = 7;
const MARK_AT = 8;

/** What goes wrong in a run, and when. */
export class Faults {
  readonly #world: Simulation;
  readonly #bad = new Set<string>();
  #slowUntilMs = 0;
  #slowMs = 0;
  #isOver = false;
  #isLosing = false;

  constructor(world: Simulation) {
    this.#world = world;
  }

  /** One fault after the other, until a time. */
  start(untilMs: number): void {
    const { scheduler } = this.#world;
    const next = async (): Promise<void> => {
      await this.#happen(untilMs);
      plan();
    };
    const plan = (): void => {
      const atMs = scheduler.nowMs + scheduler.random.int(20, 400);
      if (atMs < untilMs) scheduler.at(atMs, undefined, 'io', next);
    };
    plan();
  }

  /** All faults are over. */
  async end(): Promise<void> {
    const { workers, receivers, settings, commands } = this.#world;
    this.#isOver = true;
    this.#slowUntilMs = 0;
    receivers.allWell();
    for (const { connection } of workers) connection.reconnect();
    // A step back makes a pause longer, which only a person can see.
    if (settings.hasClockSteps) for (const destination of settings.destinations) await commands.resume(destination);
  }

  isBad(chunk: string): boolean {
    return this.#bad.has(chunk);
  }

  markBad(chunk: string): void {
    this.#bad.add(chunk);
  }

  /** A bug that shows with the appends of some chunks. */
  refusal(args: readonly unknown[]): Error | undefined {
    if (this.#bad.size === 0 || args[0] !== 'FCALL') return undefined;
    const chunk = String(args[MARK_AT]) || String(args[JOB_KEY_AT]).split(':').at(-1);
    if (!this.#bad.has(chunk ?? '')) return undefined;
    return new Error(`ERR user_function:1: ${SIMULATED_BUG} script: append, on @user_function:1.`);
  }

  delayMs(): number {
    const { scheduler, settings } = this.#world;
    const isSlow = scheduler.nowMs < this.#slowUntilMs;
    return scheduler.random.int(0, isSlow ? this.#slowMs : settings.delayMs);
  }

  async #happen(untilMs: number): Promise<void> {
    const world = this.#world;
    const { scheduler, settings, workers, receivers } = world;
    const { random } = scheduler;
    const [worker] = workers.length === 0 ? [] : [random.pick(workers)];
    if (worker === undefined) return;
    const destination = random.pick(settings.destinations);
    switch (random.int(0, settings.hasClockSteps ? 13 : 11)) {
      case 0:
      case 1: {
        worker.connection.break(scheduler.nowMs + random.int(0, 600), true);
        return;
      }
      case 2: {
        this.#kill(untilMs);
        return;
      }
      case 3:
        worker.process.stall(Math.min(untilMs, scheduler.nowMs + random.int(50, 4000)));
        // What it has sent may then come after the end of its lease.
        if (random.chance(0.3)) this.#slowDown(LONGEST_WAY_MS);
        scheduler.log?.(`${worker.name} stands still until ${worker.process.stalledUntilMs}`);
        return;
      case 4:
        this.#slowDown(random.pick([50, 500, LONGEST_WAY_MS]));
        return;
      case 5:
      case 6:
      case 7: {
        receivers.changeMood(destination, settings.hasShortages);
        return;
      }
      case 8:
        return this.#loseWrites(untilMs);
      case 9:
        await world.accept(world.someDestinations(), true);
        return;
      case 10:
        return world.saveDestination(destination, random.int(1, 20));
      case 11:
        scheduler.log?.(`${destination} is paused`);
        await world.commands.pause(destination, world.server.nowMs + random.int(100, 1000));
        return;
      case 12:
      case 13: {
        const ms = random.pick(STEPS_MS);
        world.server.stepClock(ms);
        scheduler.log?.(`the clock of Redis steps by ${ms} ms`);
        return;
      }
    }
  }

  #slowDown(ms: number): void {
    const { scheduler } = this.#world;
    this.#slowMs = ms;
    this.#slowUntilMs = scheduler.nowMs + scheduler.random.int(100, LONGEST_WAY_MS);
    scheduler.log?.(`each way to Redis takes up to ${ms} ms until ${this.#slowUntilMs}`);
  }

  #kill(untilMs: number): void {
    const { scheduler, workers } = this.#world;
    const { random } = scheduler;
    const at = random.int(0, workers.length - 1);
    const [worker] = workers.splice(at, 1);
    if (worker === undefined) return;
    worker.process.isDead = true;
    scheduler.log?.(`${worker.name} dies`);
    scheduler.at(Math.min(untilMs, scheduler.nowMs + random.int(0, 1500)), undefined, 'io', () =>
      this.#world.startWorker(),
    );
  }

  /** Redis returns to a state of some time before. All connections break. */
  async #loseWrites(untilMs: number): Promise<void> {
    const { scheduler, server, ledger } = this.#world;
    const { random } = scheduler;
    if (this.#isLosing) return;
    this.#isLosing = true;
    const fromMs = scheduler.nowMs;
    const snapshot = await server.snapshot();
    scheduler.log?.('from here on, writes will be lost');
    scheduler.at(Math.min(untilMs, fromMs + random.int(20, 1500)), undefined, 'io', async () => {
      this.#isLosing = false;
      await server.restore(snapshot);
      scheduler.log?.(`Redis has lost its writes since ${fromMs}`);
      ledger.forget(fromMs, scheduler.nowMs);
      const backMs = scheduler.nowMs + random.int(0, this.#isOver ? 0 : 800);
      for (const { connection } of this.#world.workers) connection.break(backMs, false);
    });
  }
}
