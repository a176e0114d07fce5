import { engineQueues, mechanism } from '@mailhook/core';
import type { Queue } from 'bullmq';
import { Job } from 'bullmq';
import { JOB_FIELDS, queueKeys } from '@mailhook/platform/queue';
import type { Redis } from '@mailhook/platform/redis';
import { restoreBoardJobs } from './restore-board-jobs.ts';
import { FAILED_CHUNKS_READ, LIVE_PAGE, READY_READ_MAX, WALK_RUNS } from './limits.ts';
import type { EngineObserver } from './observer.ts';
import type { DrainPool } from './pool.ts';
import { deadLetterPrefix, TOO_OLD } from './pool.ts';
import type { EngineJobs } from './jobs.ts';
import type { Runtime } from './runtime.ts';
import type { Repair } from '../record/metrics.ts';
import type { EngineKeys } from '../mailbox/keys.ts';
import { workerOf } from '../mailbox/keys.ts';
import { GONE, OWNED, READY, UNKNOWN } from '../mailbox/constants.ts';
import { countLive, readMailboxes, scanLive } from '../mailbox/records.ts';
import type { MailboxState } from '../mailbox/state.ts';
import type { MailboxCommands } from '../mailbox/commands/engine.ts';
import { NO_RECOUNT } from '../mailbox/commands/publish.ts';

export interface ReconcilerDeps {
  readonly runtime: Runtime;
  readonly redis: Redis;
  /** Chunk jobs of this mechanism and shard. */
  readonly chunks: Queue;
  readonly keys: EngineKeys;
  readonly worker: string;
  readonly commands: MailboxCommands;
  readonly pool: Pick<DrainPool, 'owns' | 'lostClaims'>;
  readonly jobs: Pick<EngineJobs, 'addDeactivation' | 'addDeadLetters'>;
  readonly waitingMaxAgeMs: number;
  readonly observer: Pick<EngineObserver, 'repaired' | 'givenUp'>;
}

/** What the visits of a page compare with. */
interface Seen {
  readonly nowMs: number;
  readonly workers: ReadonlySet<string>;
  /** Destinations on a ready list. */
  readonly inLine: ReadonlySet<string>;
}

/**
 * Finds what a crash or a lost job left behind, repairs it and counts the repairs. All workers may run it at the same
 * time, because each repair checks again.
 */
export class Reconciler {
  readonly #deps: ReconcilerDeps;
  readonly #restoreBoardJobs: (nowMs: number) => Promise<number>;
  #cursor = '0';
  #recount = NO_RECOUNT;
  #lostClaims = 0;
  #scans = 0;

  constructor(deps: ReconcilerDeps) {
    this.#deps = deps;
    this.#restoreBoardJobs = restoreBoardJobs(deps);
  }

  /** Runs every step, even after a failure. Then rejects with the first failure. */
  async run(): Promise<void> {
    const nowMs = await this.#deps.commands.nowMs();
    const steps = await Promise.allSettled([
      this.returnLostClaims(),
      this.#visitMailboxes(nowMs),
      this.#retryChunks(),
      this.#recountQueued(),
      this.#reportDeactivations(),
      this.#restoreBoardJobs(nowMs).then((count) => this.#count('dead-letter', count)),
    ]);
    for (const step of steps) if (step.status === 'rejected') throw step.reason;
  }

  #count(repair: Repair, count: number): void {
    if (count > 0) this.#deps.observer.repaired(repair, count);
  }

  /**
   * Puts back mailboxes that this worker owns in Redis but not in its pool: the reply to a claim was lost, or Redis
   * lost a release. When the pool knows of one, Redis looks through all live mailboxes, a page per call, and returns
   * those of this worker. It does so once more at the next check, because a claim whose connection was lost may be
   * executed late.
   */
  async returnLostClaims(): Promise<void> {
    const { pool, commands, worker } = this.#deps;
    if (pool.lostClaims !== this.#lostClaims) this.#scans = 2;
    this.#lostClaims = pool.lostClaims;
    if (this.#scans === 0) return;
    let cursor = '0';
    do {
      const page = await commands.owned(worker, cursor, LIVE_PAGE);
      await this.#afterReplies();
      for (const [destination, token] of page.owned) await this.#returnIfLost(destination, token);
      cursor = page.next;
    } while (cursor !== '0');
    // Not before, because a scan that fails has shown nothing.
    this.#scans -= 1;
  }

  /**
   * Redis answers a connection in order, so the replies to all claims that a page may show have come; a turn later, the
   * pool has read them.
   */
  #afterReplies(): Promise<void> {
    return new Promise((resolve) => this.#deps.runtime.immediate(resolve));
  }

  async #returnIfLost(destination: string, token: string): Promise<void> {
    const { worker, pool, commands } = this.#deps;
    if (token === '' || workerOf(token) !== worker || pool.owns(destination, token)) return;
    if (await commands.abandon(destination, token)) this.#count('ownership', 1);
  }

  /**
   * Visits the next live mailboxes, as many as let `WALK_RUNS` runs visit all of them. Wakes those that nothing else
   * would wake, and gives up expired events.
   */
  async #visitMailboxes(nowMs: number): Promise<void> {
    const { redis, keys, commands } = this.#deps;
    const live = await countLive(redis, keys);
    if (live === 0) return;
    const [workers, ...lists] = await Promise.all([
      redis.zrange(keys.workers, '0', '-1'),
      ...keys.readyLists.map((list) => redis.lrange(list, 0, READY_READ_MAX - 1)),
    ]);
    const seen = { nowMs, workers: new Set(workers), inLine: new Set(lists.flat()) };
    let visited = 0;
    do {
      const { next, states } = await scanLive(redis, keys, this.#cursor, LIVE_PAGE);
      await this.#afterReplies();
      const waiting: (readonly [destination: string, untilMs: number])[] = [];
      for (const [destination, state] of states) {
        const untilMs = await this.#visit(destination, state, seen);
        if (untilMs > 0) waiting.push([destination, untilMs]);
      }
      await commands.restoreParkings(waiting);
      this.#cursor = next;
      visited += states.length;
    } while (this.#cursor !== '0' && visited < live / WALK_RUNS);
  }

  /** Resolves with the end of its wait if the mailbox is parked or paused, else with 0. */
  async #visit(destination: string, state: MailboxState, { nowMs, workers, inLine }: Seen): Promise<number> {
    const { commands, waitingMaxAgeMs } = this.#deps;
    const { holdsEventsSinceMs: sinceMs } = state;
    if (state.status === OWNED) await this.#visitOwned(destination, state.owner, workers);
    // It may have joined a list since they were read, or have a worker.
    const isMissing = state.status === READY && inLine.size < READY_READ_MAX && !inLine.has(destination);
    if (isMissing && (await commands.restoreReady(destination))) this.#count('mail', 1);
    if (state.status === OWNED || state.status === READY) return 0;
    if (state.record === UNKNOWN || (sinceMs === 0 && state.dueResends === 0)) return 0;
    if (sinceMs > 0 && nowMs - sinceMs > waitingMaxAgeMs) await this.#expire(destination);
    const waitsUntilMs = Math.max(state.parkedUntilMs, state.pausedUntilMs);
    // Otherwise Redis's clock went back.
    const isAsLong = state.parkedUntilMs <= nowMs + state.parkMs;
    // Its job or a heartbeat wakes it in time.
    if (waitsUntilMs > nowMs && isAsLong) return waitsUntilMs;
    if (await commands.wake(destination)) this.#count('mail', 1);
    return 0;
  }

  async #visitOwned(destination: string, token: string, workers: ReadonlySet<string>): Promise<void> {
    const { redis, keys, worker, commands } = this.#deps;
    const owner = workerOf(token);
    if (owner === worker) return this.#returnIfLost(destination, token);
    // While the set of workers lists the owner, even with an expired lease, heartbeats put its mailboxes back.
    if (workers.has(owner)) return;
    // The owner may have started since the set was read. A claim takes a lease in the same call.
    if ((await redis.zscore(keys.workers, owner)) !== null) return;
    if (await commands.abandon(destination, token)) this.#count('ownership', 1);
  }

  async #expire(destination: string): Promise<void> {
    const { commands, observer, runtime, waitingMaxAgeMs: olderThanMs } = this.#deps;
    for (let again = true; again;) {
      const givenUp = await commands.giveUpStep({
        destination,
        token: '',
        idPrefix: deadLetterPrefix(runtime),
        olderThanMs,
        reason: TOO_OLD,
      });
      if (givenUp === undefined) return;
      observer.givenUp(destination, givenUp);
      again = givenUp.again;
    }
  }

  /**
   * Retries chunk jobs that failed because of too many stalls. Other failures are left to the operator. Does not read
   * the jobs' data, which may be large.
   */
  async #retryChunks(): Promise<void> {
    const queue = this.#deps.chunks;
    const names = queueKeys(queue.toKey(''));
    const ids = await this.#deps.redis.zrange(names.failed, '0', String(FAILED_CHUNKS_READ - 1), 'REV');
    let retried = 0;
    for (const id of ids) {
      const reason = (await this.#deps.redis.hget(names.job(id), JOB_FIELDS.failedReason)) ?? '';
      if (!reason.includes('stalled')) continue;
      await new Job(queue, 'chunk', {}, {}, id).retry('failed');
      retried += 1;
    }
    this.#count('stalled-job', retried);
  }

  /**
   * Removes counts of queued events that are left when there is no chunk job, not even a failed one. Their process
   * ended between the count and the job. A count must be unchanged since the last check.
   */
  async #recountQueued(): Promise<void> {
    const { keys, commands } = this.#deps;
    const queues = mechanism.options.map((kind) => `${keys.queuePrefix}:${engineQueues(kind).chunks}:`);
    this.#recount = await commands.recountQueued(this.#recount, queues);
  }

  /** Adds lost jobs that report a deactivation after a 410 to the subscription store. */
  async #reportDeactivations(): Promise<void> {
    const { redis, keys, jobs, commands } = this.#deps;
    const gone = await redis.srandmember(keys.gone, LIVE_PAGE);
    for (const { destination, record } of await readMailboxes(redis, keys, gone)) {
      if (record?.record === GONE) {
        const { account, version, reason } = record;
        await jobs.addDeactivation({ v: 1, destination, account, kind: keys.kind, version, reason });
      }
      await commands.forgetDeactivation(destination);
    }
    this.#count('deactivation', gone.length);
  }
}
