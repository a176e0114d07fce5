import { engineQueues } from '@mailhook/core';
import { OPENS_WITHOUT_REDIS } from '@mailhook/platform/queue';
import type { ConnectionOptions } from 'bullmq';
import { Job, Queue } from 'bullmq';
import type { Redis } from '@mailhook/platform/redis';
import { showUnshownLetters } from './dead-letters/unshown-letters.ts';
import type { DrainPool } from './drain/drain-pool.ts';
import { letterPrefix, TOO_OLD } from './drain/purge-all.ts';
import type { EngineJobs } from './engine-jobs.ts';
import type { Repair } from './engine-metrics.ts';
import { canReadNow } from './intake/chunk-worker.ts';
import type { EngineKeys } from './keys.ts';
import type { Purged, Scripts } from './scripts/scripts.ts';

export interface ReconcilerDeps {
  readonly redis: Redis;
  readonly connection: ConnectionOptions;
  readonly keys: EngineKeys;
  readonly worker: string;
  readonly scripts: Scripts;
  readonly pool: Pick<DrainPool, 'owns'>;
  readonly jobs: Pick<EngineJobs, 'addDeactivation' | 'addDeadLetters'>;
  readonly waitingMaxAgeMs: number;
  readonly onRepaired: (repair: Repair, count: number) => void;
  readonly onExpired: (destination: string, purged: Purged) => void;
}

const PAGE = 500;
/** Where destinations wait for a worker. */
const READY_LISTS = ['ready', 'proven'] as const;
/** As much of the ready list is read to see who has lost its place; when more wait, the list moves and a later look will do. */
const READY_READ_MAX = 10_000;

/**
 * Looks for what a crash between two steps, or a lost job, left behind, and puts it back; counts each repair. In an undisturbed system it
 * finds nothing. Any worker may run it at any time: every repair is a script that checks again.
 */
export class Reconciler {
  readonly #deps: ReconcilerDeps;
  readonly #chunks: Queue;
  readonly #showLetters: (nowMs: number) => Promise<number>;
  #cursor = '0';
  /** Owned here by Redis's word, but unknown to the pool, at the last look: by destination, the token. */
  #suspects = new Map<string, string>();

  constructor(deps: ReconcilerDeps) {
    this.#deps = deps;
    this.#showLetters = showUnshownLetters(deps);
    this.#chunks = new Queue(engineQueues(deps.keys.kind).chunks, {
      connection: deps.connection,
      prefix: deps.keys.queuePrefix,
      ...OPENS_WITHOUT_REDIS,
    });
    this.#chunks.on('error', () => undefined);
  }

  /** Every step is tried, whatever became of the others; rejects with the failure of the first that failed. */
  async run(): Promise<void> {
    const nowMs = await this.#deps.scripts.nowMs();
    const failures: unknown[] = [];
    for (const step of [
      () => this.returnOrphans(),
      () => this.#visitMailboxes(nowMs),
      () => this.#retryChunks(),
      () => this.#tellDeactivations(),
      () => this.#recountQueued(),
      async () => this.#count('dead-letter', await this.#showLetters(nowMs)),
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

  /** Destinations that Redis says are this worker's, but whose claim never reached it (a lost reply). Seen twice in a row, they are put back. */
  async returnOrphans(): Promise<void> {
    const { redis, keys, worker, pool, scripts } = this.#deps;
    const unknown = (await redis.smembers(`${keys.base}owned:${worker}`)).filter(
      (destination) => !pool.owns(destination),
    );
    const suspects = new Map<string, string>();
    let returned = 0;
    for (const destination of unknown) {
      const token = await redis.hget(`${keys.base}d:${destination}`, 'owner');
      if (token === null || !token.startsWith(`${worker}.`) || pool.owns(destination)) continue;
      if (this.#suspects.get(destination) !== token) suspects.set(destination, token);
      else if (await scripts.abandon(destination, token)) returned += 1;
    }
    this.#suspects = suspects;
    this.#count('ownership', returned);
  }

  /** A page of the mailboxes that hold mail: those that nobody will look at are woken, mail that waits for too long is given up. */
  async #visitMailboxes(nowMs: number): Promise<void> {
    const { redis, keys } = this.#deps;
    const [cursor, entries] = await redis.zscan(`${keys.base}busy`, this.#cursor, 'COUNT', String(PAGE));
    this.#cursor = cursor;
    if (entries.length === 0) return;
    const live = new Set(await redis.zrange(`${keys.base}workers`, '0', '-1'));
    const lists = await Promise.all(READY_LISTS.map((list) => redis.lrange(keys.base + list, 0, READY_READ_MAX - 1)));
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
    const { redis, keys, scripts, waitingMaxAgeMs } = this.#deps;
    const key = `${keys.base}d:${destination}`;
    const [owner, ready, bu, known, paused] = await redis.hmget(key, 'owner', 'ready', 'bu', 'version', 'paused');
    if (known == null) return;
    if (owner != null && owner !== '') {
      // Its owner gave no sign of life for so long that even its lease is forgotten.
      const worker = owner.split('.')[0] ?? '';
      if (live.has(worker)) return;
      // It may have started since: a claim takes its lease in the same script.
      if ((await redis.zscore(`${keys.base}workers`, worker)) !== null) return;
      if (await scripts.abandon(destination, owner)) this.#count('ownership', 1);
      return;
    }
    if (ready === '1') {
      if (inLine.has(destination) || inLine.size >= READY_READ_MAX) return;
      // It may have come since.
      const places = await Promise.all(READY_LISTS.map((list) => redis.lpos(keys.base + list, destination)));
      if (places.some((place) => place !== null)) return;
      await redis.hset(key, 'ready', '');
    }
    if (nowMs - sinceMs > waitingMaxAgeMs) await this.#expire(destination);
    const parkedUntilMs = Math.max(Number(bu ?? 0), Number(paused ?? 0));
    if (parkedUntilMs > nowMs) {
      // Parked or paused: its own job or index brings it back.
      await redis.zadd(`${keys.base}parked`, 'NX', parkedUntilMs, destination);
    } else if (await scripts.wake(destination)) this.#count('mail', 1);
  }

  async #expire(destination: string): Promise<void> {
    const { scripts, onExpired, waitingMaxAgeMs: olderThanMs } = this.#deps;
    for (let again = true; again;) {
      const purged = await scripts.purge({
        destination,
        token: '',
        idPrefix: letterPrefix(),
        olderThanMs,
        reason: TOO_OLD,
      });
      if (purged === undefined) return;
      onExpired(destination, purged);
      again = purged.again;
    }
  }

  /**
   * Failed chunk jobs that must run, because they hold accepted events: BullMQ gave up after too many stalls, or an older worker did not know the
   * job's version. What else failed is for the operator. The jobs' data is not read: it may be large.
   */
  async #retryChunks(): Promise<void> {
    const queue = this.#chunks;
    const ids = await this.#deps.redis.zrange(queue.toKey('failed'), '0', '49', 'REV');
    let retried = 0;
    for (const id of ids) {
      const reason = (await this.#deps.redis.hget(queue.toKey(id), 'failedReason')) ?? '';
      if (!reason.includes('stalled') && !canReadNow(reason)) continue;
      await new Job(queue, 'chunk', {}, {}, id).retry('failed');
      retried += 1;
    }
    this.#count('stalled-job', retried);
  }

  /** A process that ended between counting a chunk and adding its job leaves a count that nothing takes back. */
  async #recountQueued(): Promise<void> {
    const { keys, scripts } = this.#deps;
    await scripts.recountQueued(
      (['campaign', 'transactional'] as const).map((kind) => `${keys.queuePrefix}:${engineQueues(kind).chunks}:`),
    );
  }

  /** Destinations that a 410 switched off, but whose store was not told yet. */
  async #tellDeactivations(): Promise<void> {
    const { redis, keys, jobs } = this.#deps;
    const gone = await redis.smembers(`${keys.base}gone`);
    for (const destination of gone) {
      const [account, version, reason] = await redis.hmget(`${keys.base}d:${destination}`, 'account', 'gone', 'reason');
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
      await redis.srem(`${keys.base}gone`, destination);
    }
    this.#count('deactivation', gone.length);
  }
}
