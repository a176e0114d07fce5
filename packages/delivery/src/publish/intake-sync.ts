import { randomUUID } from 'node:crypto';
import { closeRedis, duplicateRedis, readSetting, UnusableRedisError, whenReady } from '@mailhook/platform/redis';
import type { Redis } from '@mailhook/platform/redis';

/**
 * What accepted events have outlived when the producer gets its 202. `memory`: nothing, Redis holds them in memory and
 * syncs its file later. `disk`: Redis has synced them to its file. `replica`: that, and so has one replica.
 */
export type IntakeDurability = 'memory' | 'disk' | 'replica';

/** Waits until writes are durable. */
export interface IntakeSync {
  /** Take it before the write. */
  readonly connection: number;
  /**
   * Resolves when a write of the connection is durable, whose reply has come. Writes that wait at the same time share
   * one sync. Rejects if Redis does not confirm it, or if the connection is another one since.
   */
  confirm(connection: number): Promise<void>;
  close(): Promise<void>;
}

/** Longer than the second that Redis lets pass between two syncs, and a slow one. */
const SYNC_TIMEOUT_MS = 5000;
const CONNECT_TIMEOUT_MS = 10_000;
const MARKER_KEPT_S = 60;
/** Of the second that a sync takes which follows another one. */
const PROBE_MS = 200;
const NEEDS = 'needs WAITAOF, which Redis has since 7.2, and Valkey';

/** Which copies must be synced, as `WAITAOF` takes them. */
const COPIES = { disk: [1, 0], replica: [1, 1] } as const satisfies Record<string, readonly [number, number]>;

/**
 * Opens it for the writes of one connection. Undefined if nothing is to be waited for.
 *
 * @throws UnusableRedisError if this Redis cannot do it.
 */
export async function openIntakeSync(
  redis: Redis,
  prefix: string,
  durability: IntakeDurability,
): Promise<IntakeSync | undefined> {
  if (durability === 'memory') return undefined;
  if (redis.isCluster) {
    throw new UnusableRedisError(
      `INTAKE_DURABILITY=${durability} needs one Redis, or one behind sentinels: a cluster cannot be asked for it. ` +
        'Set it to memory, and appendfsync to always on every node.',
    );
  }
  // WAITAOF blocks its connection.
  const waiting = duplicateRedis(redis, { commandTimeout: 2 * SYNC_TIMEOUT_MS });
  // `redis` reports connection losses.
  waiting.on('error', () => undefined);
  try {
    await whenReady(waiting, CONNECT_TIMEOUT_MS);
    await assertWaitaof(waiting, durability);
    await assertItWaits(waiting, `${prefix}:durable:probe`, durability);
  } catch (error) {
    await closeRedis(waiting);
    throw error;
  }
  return new Rounds(redis, waiting, `${prefix}:durable:${randomUUID()}`, COPIES[durability]);
}

async function assertWaitaof(waiting: Redis, durability: IntakeDurability): Promise<void> {
  try {
    await waiting.call('WAITAOF', 1, 0, 1);
  } catch (error) {
    const { message } = error as Error;
    if (/unknown command/i.test(message)) {
      const version = /redis_version:(\S+)/.exec(await waiting.info('server'))?.[1] ?? '';
      throw new UnusableRedisError(`INTAKE_DURABILITY=${durability} ${NEEDS}; this one is ${version}.`);
    }
    if (/appendonly/i.test(message))
      throw new UnusableRedisError(
        `INTAKE_DURABILITY=${durability} needs an append-only file; ` +
          'set appendonly to yes, or INTAKE_DURABILITY to memory.',
      );
    if (/^NOPERM/.test(message))
      throw new UnusableRedisError(`INTAKE_DURABILITY=${durability}: the Redis user in REDIS_URL needs +waitaof.`);
    throw error;
  }
}

/**
 * With `everysec`, some versions say that a write is synced although it is not: Valkey to 9.1.2, and early ones of
 * Redis 7.4 (redis/redis#13793). A correct one cannot sync twice within its second.
 */
async function assertItWaits(waiting: Redis, key: string, durability: IntakeDurability): Promise<void> {
  if ((await readSetting(waiting, 'appendfsync')) !== 'everysec') return;
  const syncMs = async (): Promise<number> => {
    await waiting.set(key, '', 'EX', MARKER_KEPT_S);
    const startedMs = performance.now();
    await waiting.call('WAITAOF', 1, 0, SYNC_TIMEOUT_MS);
    return performance.now() - startedMs;
  };
  await syncMs();
  if ((await syncMs()) >= PROBE_MS) return;
  throw new UnusableRedisError(
    `INTAKE_DURABILITY=${durability}: the WAITAOF of this Redis does not wait for its disk (redis/redis#13793). ` +
      'Use Redis 8.0 or newer, or set appendfsync to always.',
  );
}

interface Round {
  readonly done: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

class Rounds implements IntakeSync {
  readonly #writing: Redis;
  readonly #waiting: Redis;
  readonly #marker: string;
  readonly #copies: readonly [local: number, replicas: number];
  #connection = 0;
  #number = 0;
  #next: Round | undefined;
  #isRunning = false;
  readonly #onClose = (): void => void (this.#connection += 1);

  constructor(writing: Redis, waiting: Redis, marker: string, copies: readonly [number, number]) {
    this.#writing = writing;
    this.#waiting = waiting;
    this.#marker = marker;
    this.#copies = copies;
    writing.on('close', this.#onClose);
  }

  get connection(): number {
    return this.#connection;
  }

  async confirm(connection: number): Promise<void> {
    if (connection !== this.#connection) throw new Error('the connection to Redis broke before the events were synced');
    this.#next ??= newRound();
    const { done } = this.#next;
    if (!this.#isRunning) void this.#run();
    await done;
  }

  async close(): Promise<void> {
    this.#writing.off('close', this.#onClose);
    await closeRedis(this.#waiting);
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    for (let round = this.#next; round !== undefined; round = this.#next) {
      this.#next = undefined;
      await this.#sync().then(round.resolve, round.reject);
    }
    this.#isRunning = false;
  }

  /**
   * The marker follows the writes on their connection. A server in whose history it is has them too: after a failover,
   * the waiting connection may have gone to another one.
   */
  async #sync(): Promise<void> {
    const connection = this.#connection;
    const number = String((this.#number += 1));
    await this.#writing.set(this.#marker, number, 'EX', MARKER_KEPT_S);
    if (connection !== this.#connection) throw new Error('the connection to Redis broke before the events were synced');
    // This write makes the following WAITAOF wait for what came before it.
    const found = await this.#waiting.set(this.#marker, number, 'EX', MARKER_KEPT_S, 'GET');
    if (found !== number) throw new Error('another Redis has taken over before the events were synced');
    const [local, replicas] = this.#copies;
    const [synced, replicated] = (await this.#waiting.call('WAITAOF', local, replicas, SYNC_TIMEOUT_MS)) as number[];
    if ((synced ?? 0) < local) throw new Error(`Redis did not sync the events within ${SYNC_TIMEOUT_MS} ms`);
    if ((replicated ?? 0) < replicas)
      throw new Error(`no replica of Redis synced the events within ${SYNC_TIMEOUT_MS} ms`);
  }
}

function newRound(): Round {
  let settle: Pick<Round, 'resolve' | 'reject'> | undefined;
  const done = new Promise<void>((resolve, reject) => {
    settle = { resolve, reject };
  });
  return { done, ...(settle as unknown as Pick<Round, 'resolve' | 'reject'>) };
}
