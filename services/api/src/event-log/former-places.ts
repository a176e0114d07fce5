import path from 'node:path';
import type { Store } from '@mailhook/core';
import { shardOf } from '@mailhook/core';
import type { Installation } from '@mailhook/delivery';
import { createEventLog } from '@mailhook/event-log';
import type { Closeable } from '@mailhook/platform/lifecycle';
import type { Logger } from '@mailhook/platform/logger';
import { readTimeMs, withLock } from '@mailhook/platform/redis';
import type { Sealing } from '@mailhook/platform/sealing';
import { createBlockKeys } from './block-keys.ts';
import { every } from './every.ts';
import { isFolder, openStore, readKey } from './place.ts';

const EVERY_MS = 60_000;
const LEASE_MS = 600_000;

interface FormerPlacesOptions {
  readonly installation: Installation;
  readonly accounts: Store;
  readonly sealing: Sealing;
  readonly logger: Logger;
  /** Undefined while the log is off. */
  readonly place: string | undefined;
  readonly retentionMs: number;
  readonly endpoint: string | undefined;
}

const placesOf = ({ prefix }: Installation): string => `${prefix}:log-places`;

/** One spelling of a place, so that the place in use is never taken for a former one. */
const sameName = (place: string): string => (isFolder(place) ? path.resolve(place) : place.replace(/\/+$/, ''));

/** Whether an api has used the place before. */
export const wasUsable = async (installation: Installation, place: string): Promise<boolean> =>
  (await installation.redis.hexists(placesOf(installation), sameName(place))) === 1;

/**
 * Notes the place of the log, and deletes what lies in places that `EVENT_LOG` named before, as it grows older than the
 * retention that counted there. So a log that is switched off or moved ends like one that is on.
 */
export async function startFormerPlaces(options: FormerPlacesOptions): Promise<Closeable> {
  const { redis, prefix } = options.installation;
  const { retentionMs } = options;
  const place = options.place === undefined ? undefined : sameName(options.place);
  const places = placesOf(options.installation);
  if (place !== undefined) await redis.hset(places, place, retentionMs);
  const run = async (): Promise<void> => {
    for (const [former, retention] of Object.entries(await redis.hgetall(places))) {
      if (former === place) continue;
      await withLock(redis, { key: `${prefix}:log-former-places`, forMs: LEASE_MS }, async () => {
        if (await isEmptied(options, former, Number(retention))) await redis.hdel(places, former);
      });
    }
  };
  const warned = new Set<string>();
  const work = () =>
    run().catch((error: unknown) => {
      if (!warned.has(String(error)))
        options.logger.warn('a former place of the event log could not be cleaned; the next try follows', { error });
      warned.add(String(error));
    });
  return every(EVERY_MS, work, 'now');
}

/** Deletes what is too old. Returns whether nothing is left. */
async function isEmptied(
  { installation, accounts, sealing, endpoint }: FormerPlacesOptions,
  place: string,
  retentionMs: number,
): Promise<boolean> {
  const store = await openStore(place, endpoint);
  const clockMs = () => readTimeMs(installation.redis);
  try {
    const key = await readKey(store);
    // A folder that is not mounted now.
    if (key === undefined) return false;
    const log = createEventLog({
      store,
      key,
      keys: sealing.hasKey ? createBlockKeys({ store: accounts, sealing, clockMs }) : undefined,
      retentionMs,
      clockMs,
      shardOf: (account) => String(shardOf(account, installation.shards)),
    });
    for (let shard = 0; shard < installation.shards; shard += 1) await log.maintain(String(shard));
    return (await store.list('segments/')).length === 0;
  } finally {
    await store.close();
  }
}
