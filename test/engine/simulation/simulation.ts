import { SHAPES, VERSION_1_REQUESTS } from '@mailhook/core';
import type { Mechanism } from '@mailhook/core';
import type { Redis } from '@mailhook/platform/redis';
import {
  CHECKS_PER_RECONCILIATION,
  HELD_MAX_MS,
  LOST_CLAIMS_CHECK_MS,
  SHORT_MS,
} from '../../../packages/delivery/src/deliver/limits.ts';
import { allCommands } from '../../../packages/delivery/src/mailbox/commands/all.suite.ts';
import type { AllCommands } from '../../../packages/delivery/src/mailbox/commands/all.suite.ts';
import { newRecord } from '../../../packages/delivery/src/mailbox/mailbox-rig.suite.ts';
import { workerOf } from '../../../packages/delivery/src/mailbox/keys.ts';
import { holdsEvents, readState } from '../../../packages/delivery/src/mailbox/state.ts';
import { readSums } from '../../../packages/delivery/src/mailbox/sums.ts';
import type { Accepted } from './chunk-jobs.ts';
import { ChunkJobs } from './chunk-jobs.ts';
import { Faults } from './faults.ts';
import { Ledger } from './ledger.ts';
import { checkMailboxes, readDeadEvents, readLive } from './mailbox-checks.ts';
import { takeReached } from './marks.ts';
import { Random } from './random.ts';
import { Receivers } from './receivers.ts';
import { Scheduler } from './scheduler.ts';
import { ACCOUNTS, accountOf, settingsOf } from './settings.ts';
import type { Settings } from './settings.ts';
import type { SimulatedRedis } from './simulated-redis.ts';
import { must, Violation } from './violation.ts';
import { SimulatedWorker } from './worker.ts';

/** Time between two checks of all mailboxes. */
const CHECK_MS = 300;
/** More events come this long after the last fault, at most. */
const PROBED_MS = 1000;
/**
 * After the last fault, some event of each destination with events must arrive within this time. A search through all
 * mailboxes takes longer, so nothing may wait for one.
 */
const STUCK_MS = 5000;
/** After being short of resources, batches may be held for a pause of `HELD_MAX_MS` when `SHORT_MS` is over. */
const STUCK_AFTER_SHORT_MS = STUCK_MS + SHORT_MS + HELD_MAX_MS;
const REST_MS = 30_000;
/** The reconciler visits a mailbox in this time. */
const VISIT_MS = CHECKS_PER_RECONCILIATION * LOST_CLAIMS_CHECK_MS;

/** The shortest and the longest pause between two requests of producers. */
const PAUSES_MS = [
  [5, 60],
  [50, 400],
  [200, 1500],
] as const;

export interface RunReport {
  readonly steps: number;
  readonly accepted: number;
  readonly restMs: number;
  /** Of `MARKS`. */
  readonly reached: readonly string[];
}

/** One run of the engine, by its seed: workers, receivers and producers around a real Redis. */
export class Simulation {
  readonly scheduler: Scheduler;
  readonly settings: Settings;
  readonly server: SimulatedRedis;
  readonly ledger = new Ledger();
  readonly receivers: Receivers;
  readonly jobs: ChunkJobs;
  readonly commands: AllCommands;
  readonly workers: SimulatedWorker[] = [];
  readonly #kind: Mechanism;
  readonly #faults: Faults;
  #events = 0;
  #chunks = 0;

  constructor(server: SimulatedRedis, kind: Mechanism, seed: number, log?: (line: string) => void) {
    const random = new Random(seed);
    this.scheduler = new Scheduler(random, log);
    this.settings = settingsOf(random);
    this.server = server;
    this.#kind = kind;
    this.receivers = new Receivers(this.scheduler, this.ledger, kind);
    this.commands = allCommands(directly(server), server.keys);
    this.jobs = new ChunkJobs(server, kind, this.commands);
    this.#faults = new Faults(this);
  }

  /** Plays the run. Rejects with a Violation if the engine did what it must not do. */
  async play(): Promise<RunReport> {
    const { scheduler, settings } = this;
    await this.server.begin(scheduler);
    for (const destination of settings.destinations) await this.saveDestination(destination, 1);
    for (let i = 0; i < settings.workers; i += 1) this.startWorker();
    const calmMs = scheduler.nowMs + settings.busyMs;
    this.#produce(calmMs);
    this.#putJobsBack();
    this.#checkOften();
    if (settings.hasFaults) this.#faults.start(calmMs);
    await scheduler.run(calmMs);
    scheduler.log?.('the faults end');
    await this.#faults.end();
    const restMs = await this.#rest();
    await this.#checkEnd();
    const reached = [...scheduler.reached, ...(await takeReached(this.server.redis))];
    return { steps: scheduler.steps, accepted: this.ledger.accepted, restMs, reached };
  }

  startWorker(): void {
    const { scheduler } = this;
    const worker = new SimulatedWorker({
      scheduler,
      server: this.server,
      settings: this.settings,
      receivers: this.receivers,
      jobs: this.jobs,
      delayMs: () => this.#faults.delayMs(),
      refusal: (args) => this.#faults.refusal(args),
      onWakeJob: (destination, resend, waitMs) => this.#addWakeJob(destination, resend, waitMs),
      onStart: (by, destination) => scheduler.checkNow(() => this.#checkOwner(by, destination)),
      onLostWrites: () => scheduler.checkNow(() => must(this.ledger.hasForgotten, 'no writes were lost')),
      onViolation: (what) => scheduler.checkNow(() => must(false, what)),
      onJobFailed: (id) => {
        scheduler.checkNow(() => must(this.#faults.isBad(id), `chunk ${id} has failed`));
      },
    });
    this.workers.push(worker);
    scheduler.log?.(`worker ${worker.name} starts`);
    worker.start();
  }

  async saveDestination(destination: string, version: number): Promise<void> {
    const { random } = this.scheduler;
    const { shape } = VERSION_1_REQUESTS[this.#kind];
    const record = {
      account: accountOf(destination),
      address: destination,
      version,
      // The events are of version 1, which leave as the specification says in every shape.
      shape: SHAPES.indexOf(shape),
      maxEvents: random.pick([1, 2, 1000]),
      concurrency: random.pick([1, 2, 16]),
    };
    await this.commands.saveDestination(destination, newRecord(record));
  }

  someDestinations(): readonly string[] {
    const { random } = this.scheduler;
    const some = this.settings.destinations.filter(() => random.chance(0.4));
    return some.length === 0 ? [random.pick(this.settings.destinations)] : some;
  }

  /** A producer's events, in one chunk. */
  async accept(destinations: readonly string[], isBad = false): Promise<void> {
    const { random } = this.scheduler;
    const id = `c${(this.#chunks += 1)}`;
    const accepted = destinations.map((destination): Accepted => {
      const lane = this.#kind === 'campaign' && random.chance(0.2) ? 'u' : 'f';
      const events = Array.from({ length: random.int(1, 3) }, () => `e${(this.#events += 1)}`);
      return { destination, lane, events };
    });
    const isRepeatable = random.chance(0.3) || undefined;
    // A failed job counts until it is removed, or a recount finds the queues empty.
    const isCounted = (!isBad && this.#chunks % 2 === 0) || undefined;
    await this.jobs.add(id, accepted, { isRepeatable, isCounted });
    const texts = accepted.map(({ destination, lane, events }) => `${events.join(' ')} for ${destination} ${lane}`);
    this.scheduler.log?.(`chunk ${id}${isBad ? ', which fails' : ''}: ${texts.join(', ')}`);
    if (isBad) this.#faults.markBad(id);
    else
      for (const { destination, events } of accepted)
        for (const event of events) this.ledger.accept(event, destination, this.scheduler.nowMs);
    this.#offerJobs();
  }

  /** A job waits: some worker fetches it. */
  #offerJobs(): void {
    const { scheduler } = this;
    const worker = this.#anyWorker();
    if (worker !== undefined) scheduler.at(scheduler.nowMs, worker.process, 'io', () => worker.fetch());
  }

  #anyWorker(): SimulatedWorker | undefined {
    return this.workers.length === 0 ? undefined : this.scheduler.random.pick(this.workers);
  }

  #produce(untilMs: number): void {
    const { scheduler } = this;
    const { random } = scheduler;
    const next = async (): Promise<void> => {
      await this.accept(this.someDestinations());
      plan();
    };
    const pauses = random.pick(PAUSES_MS);
    const plan = (): void => {
      const atMs = scheduler.nowMs + random.int(pauses[0], pauses[1]);
      if (atMs < untilMs) scheduler.at(atMs, undefined, 'io', next);
    };
    plan();
  }

  /** As BullMQ's check for stalled jobs. */
  #putJobsBack(): void {
    this.scheduler.after(500, async () => {
      const waiting = await this.jobs.putBack((id) => this.workers.some((worker) => worker.isRunning(id)));
      if (waiting > 0) this.#offerJobs();
      this.#putJobsBack();
    });
  }

  #addWakeJob(destination: string, resend: string, waitMs: number): void {
    const { scheduler } = this;
    // A lost job. Heartbeats do its work.
    if (scheduler.random.chance(this.settings.hasFaults ? 0.2 : 0)) return;
    scheduler.after(waitMs + scheduler.random.int(0, 20), () => {
      const worker = this.#anyWorker();
      if (worker !== undefined)
        scheduler.at(scheduler.nowMs, worker.process, 'io', () => worker.wake(destination, resend));
    });
  }

  #checkOften(): void {
    this.scheduler.after(CHECK_MS, async () => {
      await checkMailboxes(this.server, this.receivers.eventsOf);
      await this.#checkAsTheApiDoes();
      this.#checkOften();
    });
  }

  /** The checks of the api correct what cannot be, so they must find nothing. */
  async #checkAsTheApiDoes(): Promise<void> {
    const found = await this.commands.recoverEntries(this.settings.destinations);
    must(found === 0, `${found} events are counted by no state`);
    for (const account of ACCOUNTS) {
      const excess = await this.commands.recountEvents(account, []);
      must(excess === 0, `the sum of ${account} counts ${excess} events, and no mailbox has them`);
      const sums = readSums(await this.server.redis.hgetBuffer(this.server.keys.sums, account));
      const { events, bytes } = await this.jobs.queuedOf(account);
      const isAsQueued = sums.queuedEvents === events && sums.queuedBytes === bytes;
      must(isAsQueued, `${account} has ${events} queued events, and its sum says ${sums.queuedEvents}`);
    }
  }

  /** A request may begin only while its worker owns the destination. */
  async #checkOwner(worker: SimulatedWorker, destination: string): Promise<void> {
    const bytes = await this.server.redis.hgetBuffer(this.server.keys.live, destination);
    const owner = bytes === null ? '' : workerOf(readState(bytes).owner);
    must(owner === worker.name, `${worker.name} sends to ${destination}, which ${owner || 'nobody'} owns`);
  }

  /** Everything accepted arrives or becomes dead letters, and no mailbox keeps an owner. */
  async #rest(): Promise<number> {
    const { scheduler, ledger, settings } = this;
    // What was sent while Redis was slow still keeps its order.
    const calmMs = Math.max(scheduler.nowMs, ...this.workers.map(({ connection }) => connection.quietMs));
    const probeMs = scheduler.nowMs + scheduler.random.int(0, PROBED_MS);
    scheduler.at(probeMs, undefined, 'io', async () => {
      // A bug may stay, but other chunks must not wait for it.
      if (settings.hasFaults && scheduler.random.chance(0.3)) await this.accept(this.someDestinations(), true);
      await this.accept(settings.destinations);
    });
    const visitsMs = settings.hasClockSteps ? (settings.destinations.length + 1) * VISIT_MS : 0;
    while (scheduler.nowMs - calmMs <= REST_MS + visitsMs) {
      await scheduler.run(scheduler.nowMs + 200);
      if (scheduler.nowMs > probeMs && (await this.#isAtRest())) return scheduler.nowMs - calmMs;
      const stuckMs = (settings.hasShortages ? STUCK_AFTER_SHORT_MS : STUCK_MS) + visitsMs;
      const stuckSinceMs = scheduler.nowMs - stuckMs;
      const stuck = stuckSinceMs < calmMs ? [] : ledger.stuckSince(stuckSinceMs);
      if (stuck.length === 0) continue;
      const dead = await readDeadEvents(this.server, this.receivers.eventsOf);
      const waiting = stuck.filter((event) => !dead.events.has(event));
      must(waiting.length === 0, `${waiting.join(' ')} do not arrive: ${await this.#describe()}`);
    }
    throw new Violation(`it does not come to rest: ${await this.#describe()}`);
  }

  async #isAtRest(): Promise<boolean> {
    if ((await this.jobs.count()) > 0) return false;
    const states = await readLive(this.server);
    return [...states.values()].every((state) => !holdsEvents(state) && state.resends === 0 && state.owner === '');
  }

  async #describe(): Promise<string> {
    const states = [...(await readLive(this.server))].map(
      ([d, { status, owner, fresh, unsubscribes, window, resends, dueResends, parkedUntilMs, pausedUntilMs }]) =>
        `${d}: status ${status}, owner ${owner}, ${fresh}+${unsubscribes} events, ${window.length} batches, ` +
        `${resends} resends, ${dueResends} due, parked ${parkedUntilMs - this.server.nowMs}, ` +
        `paused ${pausedUntilMs - this.server.nowMs}`,
    );
    return `${await this.jobs.count()} chunk jobs are left and ${states.join('; ')}`;
  }

  async #checkEnd(): Promise<void> {
    await checkMailboxes(this.server, this.receivers.eventsOf);
    const { redis, keys } = this.server;
    const dead = await readDeadEvents(this.server, this.receivers.eventsOf);
    const missing = this.ledger.missing().filter((event) => !dead.events.has(event));
    must(missing.length === 0, `lost: ${missing.join(', ')}`);
    for (const account of ACCOUNTS) {
      const { bytes } = readSums(await redis.hgetBuffer(keys.sums, account));
      const expected = dead.bytes.get(account) ?? 0;
      must(bytes === expected, `account ${account} has ${expected} bytes of dead letters, and its sum says ${bytes}`);
    }
    if (!this.settings.hasFaults) {
      const repeated = this.ledger.repeated();
      must(repeated.length === 0, `twice without a fault: ${repeated.join(', ')}`);
    }
  }
}

/** A client without a connection of its own: each call runs now. */
const directly = (server: SimulatedRedis): Redis =>
  new Proxy({} as Redis, {
    get:
      (_target, name) =>
      async (...args: readonly unknown[]) => {
        const reply = await server.run(String(name), args);
        if ('error' in reply) throw reply.error;
        return reply.value;
      },
  });
