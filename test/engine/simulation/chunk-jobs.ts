import type { ChunkGroup, ChunkJob, Mechanism } from '@mailhook/core';
import { CHUNK_VERSION } from '@mailhook/core';
import type { AccountShare, PublishCommands } from '../../../packages/delivery/src/mailbox/commands/publish.ts';
import type { Redis } from '@mailhook/platform/redis';
import { sharesOf } from '../../../packages/delivery/src/publish/shares.ts';
import type { SimulatedRedis } from './simulated-redis.ts';
import { accountOf } from './settings.ts';

/** Events that go to one destination, and their lane. */
export interface Accepted {
  readonly destination: string;
  readonly lane: 'f' | 'u';
  readonly events: readonly string[];
}

/**
 * The queue of chunk jobs, with the keys of BullMQ that the commands touch. In place of BullMQ, workers fetch jobs by
 * themselves, and a job that no worker runs comes back.
 */
export class ChunkJobs {
  readonly prefix: string;
  readonly #server: SimulatedRedis;
  readonly #kind: Mechanism;
  readonly #commands: Pick<PublishCommands, 'queued'>;
  readonly #tries = new Map<string, number>();
  readonly #counted = new Map<string, readonly AccountShare[]>();

  constructor(server: SimulatedRedis, kind: Mechanism, commands: Pick<PublishCommands, 'queued'>) {
    this.#server = server;
    this.#kind = kind;
    this.#commands = commands;
    this.prefix = `${server.keys.queuePrefix}:${kind}-chunks:`;
  }

  /** A producer's request is durable with this. */
  async add(
    id: string,
    accepted: readonly Accepted[],
    { isRepeatable, isCounted }: Pick<ChunkJob, 'isRepeatable' | 'isCounted'>,
  ): Promise<void> {
    const { redis } = this.#server;
    const groups = accepted.map(({ destination, lane, events }): ChunkGroup => {
      const entries =
        this.#kind === 'campaign'
          ? [`${String(events.length).padStart(4, '0')}${events.join('\n')}`]
          : events.map((event) => `0001msg_${event}\n${event}`);
      return [this.#kind, destination, accountOf(destination), lane, entries, null];
    });
    const data = { v: CHUNK_VERSION, acceptedAt: this.#server.nowMs, groups, isRepeatable, isCounted };
    await redis.hset(`${this.prefix}${id}`, 'name', 'chunk', 'data', JSON.stringify(data));
    if (isCounted === true) {
      this.#counted.set(id, sharesOf(data));
      await this.#commands.queued(sharesOf(data));
    }
    await redis.rpush(`${this.prefix}wait`, id);
  }

  /** Fetches a job over a worker's connection. */
  async fetch(connection: Redis): Promise<{ readonly id: string; readonly data: unknown } | undefined> {
    const id = (await connection.lmove(`${this.prefix}wait`, `${this.prefix}active`, 'LEFT', 'RIGHT')) as string | null;
    if (id === null) return undefined;
    const text = await connection.hget(`${this.prefix}${id}`, 'data');
    return text === null ? undefined : { id, data: JSON.parse(text) as unknown };
  }

  /** The runs of a job that ended with an error. */
  triesOf(id: string): number {
    return this.#tries.get(id) ?? 0;
  }

  noteTry(id: string): void {
    this.#tries.set(id, this.triesOf(id) + 1);
  }

  async finish(connection: Redis, id: string): Promise<void> {
    await connection.lrem(`${this.prefix}active`, 1, id);
    await connection.del(`${this.prefix}${id}`);
  }

  /** Puts back active jobs that no worker runs. Resolves with the number of waiting jobs. */
  async putBack(isRunning: (id: string) => boolean): Promise<number> {
    const { redis } = this.#server;
    for (const id of await redis.lrange(`${this.prefix}active`, 0, -1)) {
      if (isRunning(id)) continue;
      await redis.lrem(`${this.prefix}active`, 1, id);
      if ((await redis.exists(`${this.prefix}${id}`)) === 1) await redis.rpush(`${this.prefix}wait`, id);
    }
    return redis.llen(`${this.prefix}wait`);
  }

  /** What the jobs that have not ended count as queued for an account. */
  async queuedOf(account: string): Promise<Pick<AccountShare, 'events' | 'bytes'>> {
    let [events, bytes] = [0, 0];
    for (const [id, shares] of this.#counted) {
      // Redis may have lost its end, and run it again.
      if ((await this.#server.redis.exists(`${this.prefix}${id}`)) === 0) continue;
      for (const share of shares.filter((one) => one.account === account))
        [events, bytes] = [events + share.events, bytes + share.bytes];
    }
    return { events, bytes };
  }

  /** Waiting and active jobs. */
  async count(): Promise<number> {
    const { redis } = this.#server;
    return (await redis.llen(`${this.prefix}wait`)) + (await redis.llen(`${this.prefix}active`));
  }
}
