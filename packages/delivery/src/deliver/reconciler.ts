import { engineQueues } from '@mailhook/core';
import { OPENS_WITHOUT_REDIS } from '@mailhook/platform/queue';
import type { ConnectionOptions } from 'bullmq';
import { Job, Queue } from 'bullmq';
import type { Redis } from '@mailhook/platform/redis';
import { restoreBoardJobs } from './restore-board-jobs.ts';
import type { DrainPool } from './drain-pool.ts';
import { deadLetterPrefix, TOO_OLD } from './give-up-all.ts';
import type { EngineJobs } from './jobs.ts';
import type { Repair } from '../record/metrics.ts';
import type { EngineKeys } from '../mailbox/keys.ts';
import { workerOf } from '../mailbox/keys.ts';
import type { GivenUp, MailboxCommands } from '../mailbox/commands.ts';

export interface ReconcilerDeps {
  readonly redis: Redis;
  readonly connection: ConnectionOptions;
  readonly keys: EngineKeys;
  readonly worker: string;
  readonly commands: MailboxCommands;
  readonly pool: Pick<DrainPool, 'owns'>;
  readonly jobs: Pick<EngineJobs, 'addDeactivation' | 'addDeadLetters'>;
  readonly waitingMaxAgeMs: number;
  readonly onRepaired: (repair: Repair, count: number) => void;
  readonly onExpired: (destination: string, givenUp: GivenUp) => void;
}

/** Time between two checks for orphans: destinations that this worker owns in Redis but not in its pool. */
export const ORPHAN_CHECK_MS = 1000;
/** Every fifth orphan check runs a full reconciliation. */
export const ORPHAN_CHECKS_PER_RECONCILIATION = 5;

const PAGE = 500;
/** Most destinations read from each list. In a longer list a missing one cannot be detected. A later run finds it when the list is shorter. */
const READY_READ_MAX = 10_000;

/**
 * Finds what a crash or a lost job left behind, repairs it and counts the repairs. All workers may run it at the same time, because each repair
 * checks again.
 */
export class Reconciler {
  readonly #deps: ReconcilerDeps;
  readonly #chunks: Queue;
  readonly #restoreBoardJobs: (nowMs: number) => Promise<number>;
  #cursor = '0';
  /** Destinations that this worker owned in Redis but not in its pool at the last check, with their tokens. */
  #suspects = new Map<string, string>();

  constructor(deps: ReconcilerDeps) {
    this.#deps = deps;
    this.#restoreBoardJobs = restoreBoardJobs(deps);
    this.#chunks = new Queue(engineQueues(deps.keys.kind).chunks, {
      connection: deps.connection,
      prefix: deps.keys.queuePrefix,
      ...OPENS_WITHOUT_REDIS,
    });
    this.#chunks.on('error', () => undefined);
  }

  /** Runs every step, even after a failure. Then rejects with the first failure. */
  async run(): Promise<void> {
    const nowMs = await this.#deps.commands.nowMs();
    const failures: unknown[] = [];
    for (const step of [
      () => this.returnOrphans(),
      () => this.#visitMailboxes(nowMs),
      () => this.#retryChunks(),
      () => this.#reportDeactivations(),
      () => this.#recountQueued(),
      async () => this.#count('dead-letter', await this.#restoreBoardJobs(nowMs)),
    ])
      await step().catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw failures[0] as Error;
  }

  async close(): Promise<void> {
    await this.#chunks.close();
  }

  #count(repair: Repair, count: number): void {
    if (count > 0) this.#deps.onRepaired(repair, count);
  }

  /** Puts back destinations that this worker owns in Redis but not in its pool, because a reply was lost. Two checks in a row must find them. */
  async returnOrphans(): Promise<void> {
    const { redis, keys, worker, pool, commands } = this.#deps;
    const unknown = (await redis.smembers(keys.owned(worker))).filter((destination) => !pool.owns(destination));
    const suspects = new Map<string, string>();
    let returned = 0;
    for (const destination of unknown) {
      const token = await redis.hget(keys.destination(destination), 'owner');
      if (token === null || workerOf(token) !== worker || pool.owns(destination)) continue;
      if (this.#suspects.get(destination) !== token) suspects.set(destination, token);
      else if (await commands.abandon(destination, token)) returned += 1;
    }
    this.#suspects = suspects;
    this.#count('ownership', returned);
  }

  /** Visits a page of the mailboxes with events. Wakes those that nothing else would wake, and gives up expired events. */
  async #visitMailboxes(nowMs: number): Promise<void> {
    const { redis, keys } = this.#deps;
    const [cursor, entries] = await redis.zscan(keys.busy, this.#cursor, 'COUNT', String(PAGE));
    this.#cursor = cursor;
    if (entries.length === 0) return;
    const live = new Set(await redis.zrange(keys.workers, '0', '-1'));
    const lists = await Promise.all(keys.readyLists.map((list) => redis.lrange(list, 0, READY_READ_MAX - 1)));
    const inLine = new Set(lists.flat());
    for (let i = 0; i < entries.length; i += 2) {
      await this.#visit(entries[i] as string, Number(entries[i + 1]), nowMs, live, inLine);
    }
  }

  async #visit(
    destination: string,
    sinceMs: number,
    nowMs: number,
    live: ReadonlySet<string>,
    inLine: ReadonlySet<string>,
  ): Promise<void> {
    const { redis, keys, commands, waitingMaxAgeMs } = this.#deps;
    const key = keys.destination(destination);
    const [owner, ready, bu, known, paused] = await redis.hmget(key, 'owner', 'ready', 'bu', 'version', 'paused');
    if (known == null) return;
    if (owner != null && owner !== '') {
      // While the set of workers lists the owner, even with an expired lease, heartbeats put its destinations back.
      const worker = workerOf(owner);
      if (live.has(worker)) return;
      // The owner may have started since `live` was read. A claim takes a lease in the same script.
      if ((await redis.zscore(keys.workers, worker)) !== null) return;
      if (await commands.abandon(destination, owner)) this.#count('ownership', 1);
      return;
    }
    if (ready === '1') {
      if (inLine.has(destination) || inLine.size >= READY_READ_MAX) return;
      // The destination may have joined a list since they were read.
      const places = await Promise.all(keys.readyLists.map((list) => redis.lpos(list, destination)));
      if (places.some((place) => place !== null)) return;
      await commands.clearReady(destination);
    }
    if (nowMs - sinceMs > waitingMaxAgeMs) await this.#expire(destination);
    const parkedUntilMs = Math.max(Number(bu ?? 0), Number(paused ?? 0));
    if (parkedUntilMs > nowMs) {
      // The destination is parked or paused. Its job or a heartbeat wakes it in time.
      await commands.restoreParking(destination, parkedUntilMs);
    } else if (await commands.wake(destination)) this.#count('mail', 1);
  }

  async #expire(destination: string): Promise<void> {
    const { commands, onExpired, waitingMaxAgeMs: olderThanMs } = this.#deps;
    for (let again = true; again;) {
      const givenUp = await commands.giveUpStep({
        destination,
        token: '',
        idPrefix: deadLetterPrefix(),
        olderThanMs,
        reason: TOO_OLD,
      });
      if (givenUp === undefined) return;
      onExpired(destination, givenUp);
      again = givenUp.again;
    }
  }

  /**
   * Retries chunk jobs that failed because of too many stalls. Other failures are left to the operator. Does not read
   * the jobs' data, which may be large.
   */
  async #retryChunks(): Promise<void> {
    const queue = this.#chunks;
    const ids = await this.#deps.redis.zrange(queue.toKey('failed'), '0', '49', 'REV');
    let retried = 0;
    for (const id of ids) {
      const reason = (await this.#deps.redis.hget(queue.toKey(id), 'failedReason')) ?? '';
      if (!reason.includes('stalled')) continue;
      await new Job(queue, 'chunk', {}, {}, id).retry('failed');
      retried += 1;
    }
    this.#count('stalled-job', retried);
  }

  /** Removes counts of queued events that are left when all chunk queues are empty. Their process ended between the count and the job. */
  async #recountQueued(): Promise<void> {
    const { keys, commands } = this.#deps;
    await commands.recountQueued(
      (['campaign', 'transactional'] as const).map((kind) => `${keys.queuePrefix}:${engineQueues(kind).chunks}:`),
    );
  }

  /** Adds lost jobs that report a deactivation after a 410 to the subscription store. */
  async #reportDeactivations(): Promise<void> {
    const { redis, keys, jobs, commands } = this.#deps;
    const gone = await redis.smembers(keys.gone);
    for (const destination of gone) {
      const [account, version, reason] = await redis.hmget(keys.destination(destination), 'account', 'gone', 'reason');
      if (account != null && version != null) {
        await jobs.addDeactivation({
          v: 1,
          destination,
          account,
          kind: keys.kind,
          version: Number(version),
          reason: reason ?? '',
        });
      }
      await commands.forgetDeactivation(destination);
    }
    this.#count('deactivation', gone.length);
  }
}
