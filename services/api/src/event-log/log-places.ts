import { randomBytes } from 'node:crypto';
import path from 'node:path';
import type { Store } from '@mailhook/core';
import { shardOf } from '@mailhook/core';
import type { Installation } from '@mailhook/delivery';
import { createEventLogBuffers } from '@mailhook/delivery';
import { createEventLog } from '@mailhook/event-log';
import type { EventLog, LogStore } from '@mailhook/event-log';
import type { Closeable } from '@mailhook/platform/lifecycle';
import { every } from '@mailhook/platform/timers';
import type { Logger } from '@mailhook/platform/logger';
import { readTimeMs, withLock } from '@mailhook/platform/redis';
import type { Sealing } from '@mailhook/platform/sealing';
import { createBlockKeys } from './block-keys.ts';
import { isFolder, openStore, readKey } from './place.ts';

const EVERY_MS = 60_000;
const LEASE_MS = 600_000;
/** An api without a sign for this long has ended. */
const SIGN_MS = 3 * EVERY_MS;

interface LogPlacesOptions {
  readonly installation: Installation;
  readonly accounts: Store;
  readonly sealing: Sealing;
  readonly logger: Logger;
  /** Undefined while the log is off. */
  readonly place: string | undefined;
  readonly log: OwnLog | undefined;
  readonly retentionMs: number;
  readonly endpoint: string | undefined;
}

type PlaceLog = Pick<EventLog, 'erase' | 'holdsAccount'>;
type OwnLog = PlaceLog & Pick<EventLog, 'addLost'>;

/** A place that has, or may have, entries within their retention. */
interface LogPlace {
  readonly name: string;
  /** Its calls reject while the place cannot be reached. */
  readonly log: PlaceLog;
}

/** The place of the log, and those that `EVENT_LOG` named before: an erasure must reach all of them. */
export interface LogPlaces extends Closeable {
  /** Rejects while Redis is away. */
  list(): Promise<readonly LogPlace[]>;
}

const placesOf = ({ prefix }: Installation): string => `${prefix}:log-places`;

/** Apis that have the log on, with the times of their last signs by the clock of Redis. */
const usersOf = ({ prefix }: Installation): string => `${prefix}:log-users`;

/**
 * Since when and until when apis without a log took events that a noted place lacks, by the clock of Redis. A sorted
 * set, so that of two apis the earlier time counts.
 */
const offOf = ({ prefix }: Installation): string => `${prefix}:log-off`;

/** One spelling of a place, so that the place in use is never taken for a former one. */
const sameName = (place: string): string => (isFolder(place) ? path.resolve(place) : place.replace(/\/+$/, ''));

/** Whether an api has used the place before. */
export const wasUsable = async (installation: Installation, place: string): Promise<boolean> =>
  (await installation.redis.hexists(placesOf(installation), sameName(place))) === 1;

/**
 * Notes the place of the log, and deletes what lies in places that `EVENT_LOG` named before, as it grows older than the
 * retention that counted there. So a log that is switched off or moved ends like one that is on.
 */
export async function startLogPlaces(options: LogPlacesOptions): Promise<LogPlaces> {
  const { installation, retentionMs, log } = options;
  const { redis, prefix } = installation;
  const place = options.place === undefined ? undefined : sameName(options.place);
  const former = new FormerPlaces(options);
  const self = randomBytes(8).toString('hex');
  const warned = new Set<string>();
  const warn = (text: string, error?: unknown): void => {
    const line = text + String(error);
    if (!warned.has(line)) options.logger.warn(text, { error });
    warned.add(line);
  };
  let offSinceMs: number | undefined;
  const noteUse = async (): Promise<void> => {
    const usedAtMs = await readTimeMs(redis);
    if (place === undefined) {
      await noteOff(installation, offSinceMs ?? usedAtMs, usedAtMs + 2 * EVERY_MS);
      offSinceMs = usedAtMs;
      return switchOffUnused(installation, () => warn(DIFFERS));
    }
    await redis.hset(placesOf(installation), place, JSON.stringify({ retentionMs, usedAtMs }));
    await redis.zadd(usersOf(installation), usedAtMs, self);
  };
  await noteUse();
  const run = async (): Promise<void> => {
    await noteUse();
    if (log !== undefined) await showOff(installation, log);
    for (const one of await readNoted(installation)) {
      if (one.name === place) continue;
      await withLock(redis, { key: `${prefix}:log-former-places`, forMs: LEASE_MS }, () => former.clean(one));
    }
  };
  const work = () =>
    run().catch((error: unknown) =>
      warn('a place of the event log could not be noted or cleaned; the next try follows', error),
    );
  const noteEnd = async (): Promise<void> => {
    await redis.zrem(usersOf(installation), self);
    if (offSinceMs !== undefined) await redis.zadd(offOf(installation), 'XX', await readTimeMs(redis), 'to');
  };
  const cleaning = every(EVERY_MS, work, 'now');
  return {
    async list() {
      const nowMs = await readTimeMs(redis);
      const own = place === undefined || log === undefined ? [] : [{ name: place, log }];
      const others = (await readNoted(installation)).filter(
        // Beyond that, nobody lists its entries any more, also if it never comes back.
        (one) => one.name !== place && nowMs < one.usedAtMs + one.retentionMs + EVERY_MS,
      );
      return [...own, ...others.map((one) => ({ name: one.name, log: former.logOf(one) }))];
    },
    async close() {
      await cleaning.close();
      // Without Redis the next api learns it later.
      await noteEnd().catch(() => undefined);
      await former.close();
    },
  };
}

/** Deletes the buffers, unless another api has the log on: it still writes them into segments. */
async function switchOffUnused(installation: Installation, onUsed: () => void): Promise<void> {
  const { redis } = installation;
  const users = usersOf(installation);
  await redis.zremrangebyscore(users, '-inf', (await readTimeMs(redis)) - SIGN_MS);
  if ((await redis.zcard(users)) > 0) onUsed();
  else
    await createEventLogBuffers(installation).switchOff(
      async (sinceMs) => void (await redis.zadd(offOf(installation), 'LT', sinceMs, 'from')),
    );
}

/** Notes that this api takes events without a log. */
async function noteOff(installation: Installation, sinceMs: number, untilMs: number): Promise<void> {
  const { redis } = installation;
  if ((await redis.exists(placesOf(installation))) === 0) return;
  await redis.zadd(offOf(installation), 'LT', sinceMs, 'from');
  await redis.zadd(offOf(installation), untilMs, 'to');
}

/** Shows the time without a log as a gap, when it is over. */
async function showOff(installation: Installation, log: OwnLog): Promise<void> {
  const { redis, shards } = installation;
  const off = offOf(installation);
  const [fromMs, toMs] = (await redis.zmscore(off, 'from', 'to')).map(Number);
  if (!fromMs || !toMs || toMs > (await readTimeMs(redis))) return;
  for (let shard = 0; shard < shards; shard += 1) await log.addLost(String(shard), { fromMs, toMs, reason: 'store' });
  await redis.del(off);
}

const DIFFERS =
  'another api has the event log on, and this one has no EVENT_LOG: events that it takes are missing there; ' +
  'give all apis the same EVENT_LOG';

interface NotedPlace {
  readonly name: string;
  readonly retentionMs: number;
  /** When an api last used it, by the clock of Redis. */
  readonly usedAtMs: number;
}

async function readNoted(installation: Installation): Promise<NotedPlace[]> {
  const noted = await installation.redis.hgetall(placesOf(installation));
  return Object.entries(noted).map(([name, text]) => ({
    name,
    ...(JSON.parse(text) as Omit<NotedPlace, 'name'>),
  }));
}

interface OpenPlace {
  readonly store: LogStore;
  readonly log: EventLog;
}

/** The places that were named before, each opened when it is first needed. */
class FormerPlaces {
  readonly #options: LogPlacesOptions;
  readonly #opened = new Map<string, OpenPlace>();

  constructor(options: LogPlacesOptions) {
    this.#options = options;
  }

  logOf(place: NotedPlace): PlaceLog {
    return {
      erase: async (...args) => (await this.#open(place)).log.erase(...args),
      holdsAccount: async (...args) => (await this.#open(place)).log.holdsAccount(...args),
    };
  }

  /** Deletes what is too old, and forgets the place when nothing is left. Rejects for one that cannot be reached. */
  async clean(place: NotedPlace): Promise<void> {
    const { installation } = this.#options;
    const { log, store } = await this.#open(place);
    for (let shard = 0; shard < installation.shards; shard += 1) await log.maintain(String(shard));
    if ((await store.list('segments/')).length > 0) return;
    await installation.redis.hdel(placesOf(installation), place.name);
    this.#opened.delete(place.name);
    await store.close();
  }

  async close(): Promise<void> {
    for (const { store } of this.#opened.values()) await store.close();
  }

  async #open({ name, retentionMs }: NotedPlace): Promise<OpenPlace> {
    const { installation, accounts, sealing, endpoint } = this.#options;
    const known = this.#opened.get(name);
    const store = known?.store ?? (await openStore(name, endpoint));
    const clockMs = () => readTimeMs(installation.redis);
    try {
      // Each time: nothing may be written below a folder that is not mounted any more.
      const key = await readKey(store);
      if (key === undefined) throw new Error(`the former place ${name} of the event log has no key: is it mounted?`);
      if (known !== undefined) return known;
      const log = createEventLog({
        store,
        key,
        keys: sealing.hasKey ? createBlockKeys({ store: accounts, sealing, clockMs }) : undefined,
        retentionMs,
        clockMs,
        shardOf: (account) => String(shardOf(account, installation.shards)),
      });
      this.#opened.set(name, { store, log });
      return { store, log };
    } catch (error) {
      this.#opened.delete(name);
      await store.close();
      throw error;
    }
  }
}
