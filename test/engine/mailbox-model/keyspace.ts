import { engineKeys } from '../../../packages/delivery/src/mailbox/keys.ts';
import type { EngineKeys } from '../../../packages/delivery/src/mailbox/keys.ts';
import { bytesWithoutTexts, positionOf, RARE } from '../../../packages/delivery/src/mailbox/layout.ts';
import { readMailbox } from '../../../packages/delivery/src/mailbox/records.ts';
import { readState } from '../../../packages/delivery/src/mailbox/state.ts';
import type { Redis } from '@mailhook/platform/redis';
import { OTHER_MAILBOXES } from './limits.ts';
import type { Name } from './mailbox-state.ts';
import { readRealState } from './real-state.ts';
import type { RealState } from './real-state.ts';

/** Where the parking and the pause begin in the rare part of a state, and its bytes without texts. */
const PARKED_AT = positionOf(RARE, 'parkedUntilMs');
const PAUSED_AT = positionOf(RARE, 'pausedUntilMs');
const RARE_BYTES = bytesWithoutTexts(RARE);

/** The keys of one world in Redis. */
export class Keyspace {
  readonly keys: EngineKeys;
  readonly redis: Redis;
  readonly destination: string;

  constructor(redis: Redis, queuePrefix: string, destination: string) {
    this.redis = redis;
    this.keys = engineKeys(queuePrefix, 0, 'campaign');
    this.destination = destination;
  }

  /** Makes the hash of the mailboxes so large that a search for those of a dead worker has several pages. */
  async fill(): Promise<void> {
    const others = Array.from({ length: OTHER_MAILBOXES }, (_, i) => [`other-${i}`, ''] as const);
    await this.redis.hset(this.keys.live, Object.fromEntries(others));
  }

  read(): Promise<RealState> {
    return readRealState(this.redis, this.keys, this.destination);
  }

  /** The address in the destination's record. */
  async address(): Promise<string> {
    return (await readMailbox(this.redis, this.keys, this.destination)).record?.address ?? '';
  }

  /** The events of one dead letter, by name. */
  async deadLetter(id: string): Promise<Name[]> {
    return [...((await this.read()).deadLetters.get(id) ?? [])];
  }

  /** Deletes all keys. */
  async clear(): Promise<void> {
    const keys = await this.redis.keys(`${this.keys.shared}*`);
    if (keys.length > 0) await this.redis.del(...keys);
  }

  /** The contents of all keys, by key. */
  async dump(): Promise<ReadonlyMap<string, Buffer>> {
    const keys = await this.redis.keys(`${this.keys.shared}*`);
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
    const { base, live } = this.keys;
    for (const key of ['due', 'parked', 'paused', 'workers']) {
      for (const member of await this.redis.zrange(`${base}${key}`, '0', '-1'))
        await this.redis.zincrby(`${base}${key}`, -byMs, member);
    }
    const beat = await this.redis.get(`${base}beat`);
    if (beat !== null) await this.redis.set(`${base}beat`, Number(beat) - byMs);
    const bytes = await this.redis.hgetBuffer(live, this.destination);
    if (bytes === null) return;
    const { parkedUntilMs, pausedUntilMs, size, sendNow, error } = readState(bytes);
    // Both times are in the rare part, which is the last one.
    const rareAt = bytes.length - RARE_BYTES - size.length - sendNow.length - Buffer.byteLength(error);
    if (parkedUntilMs > 0) bytes.writeUIntBE(parkedUntilMs - byMs, rareAt + PARKED_AT, 6);
    if (pausedUntilMs > 0) bytes.writeUIntBE(pausedUntilMs - byMs, rareAt + PAUSED_AT, 6);
    await this.redis.hset(live, this.destination, bytes);
  }
}
