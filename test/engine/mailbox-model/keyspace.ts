import { engineKeys } from '../../../packages/delivery/src/mailbox/keys.ts';
import type { Redis } from '@mailhook/platform/redis';
import { uniqueName } from '@mailhook/testing';
import type { Name } from './mailbox-state.ts';
import { readRealState } from './real-state.ts';
import type { RealState } from './real-state.ts';

/** The keys of one world in Redis. */
export class Keyspace {
  readonly keys = engineKeys(uniqueName('model'), 0, 'campaign');
  readonly base = this.keys.base;
  readonly shared = this.keys.shared;
  readonly redis: Redis;

  constructor(redis: Redis) {
    this.redis = redis;
  }

  read(): Promise<RealState> {
    return readRealState(this.redis, this.base, this.shared);
  }

  /** The events of one dead letter, by name. */
  async deadLetter(id: string): Promise<Name[]> {
    return [...((await this.read()).deadLetters.get(id) ?? [])];
  }

  /** Deletes all keys. */
  async clear(): Promise<void> {
    const keys = await this.redis.keys(`${this.shared}*`);
    if (keys.length > 0) await this.redis.del(...keys);
  }

  /** The contents of all keys, by key. */
  async dump(): Promise<ReadonlyMap<string, Buffer>> {
    const keys = await this.redis.keys(`${this.shared}*`);
    // A key may expire before it is read.
    const dumpOf = async (key: string): Promise<[string, Buffer | null]> => [key, await this.redis.dumpBuffer(key)];
    const dumps = await Promise.all(keys.map(dumpOf));
    return new Map(dumps.filter((pair): pair is [string, Buffer] => pair[1] !== null));
  }

  /** Replaces all keys with those of a dump. */
  async restore(dumps: ReadonlyMap<string, Buffer>): Promise<void> {
    await this.clear();
    for (const [key, dump] of dumps) await this.redis.restore(key, 0, dump);
  }

  /** Moves all stored times into the past, as if Redis's clock had jumped ahead by `byMs`. */
  async shiftTimes(byMs: number): Promise<void> {
    for (const key of ['due', 'parked', 'paused', 'workers', 'busy']) {
      for (const member of await this.redis.zrange(`${this.base}${key}`, '0', '-1'))
        await this.redis.zincrby(`${this.base}${key}`, -byMs, member);
    }
    const beat = await this.redis.get(`${this.base}beat`);
    if (beat !== null) await this.redis.set(`${this.base}beat`, Number(beat) - byMs);
    for (const field of ['bu', 'paused']) {
      const value = Number((await this.redis.hget(`${this.base}d:d`, field)) ?? 0);
      if (value > 0) await this.redis.hset(`${this.base}d:d`, field, value - byMs);
    }
  }
}
