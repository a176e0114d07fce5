import { randomBytes } from 'node:crypto';
import type { LogStore } from '@mailhook/event-log';
import type { Closeable } from '@mailhook/platform/lifecycle';
import { every } from '@mailhook/platform/timers';
import type { Logger } from '@mailhook/platform/logger';
import type { Redis } from '@mailhook/platform/redis';

const CHECK_EVERY_MS = 5000;
/** An api without a sign for this long has ended. */
const LIVE_MS = 30_000;
/** A beacon of this age was left behind by a crash. */
const OLD_MS = 24 * 60 * 60 * 1000;
const FOLDER = 'beacons/';

export interface Beacons extends Closeable {
  /** Rejects if the folder cannot be used. */
  check(): Promise<void>;
  /** Why this api must not use its folder. Undefined while it may. */
  readonly fault: () => string | undefined;
}

interface BeaconsOptions {
  readonly store: LogStore;
  readonly redis: Redis;
  readonly prefix: string;
  readonly logger: Logger;
  readonly checkEveryMs?: number;
}

/**
 * Each api writes a file into its folder of the event log, and names it in Redis. One that does not see the file of
 * another running api has another folder, so that each would have a part of the log only. Checks begin with the first
 * one that is asked for.
 */
export function createBeacons(options: BeaconsOptions): Beacons {
  const { store, redis, prefix, logger, checkEveryMs = CHECK_EVERY_MS } = options;
  const own = randomBytes(8).toString('hex');
  const live = `${prefix}:log-beacons`;
  let fault: string | undefined;
  let checking: Closeable | undefined;
  const light = () => store.put(`${FOLDER}${own}`, []);
  const check = async (): Promise<void> => {
    const nowMs = Date.now();
    await redis.zadd(live, String(nowMs), own);
    await redis.zremrangebyscore(live, '-inf', nowMs - LIVE_MS);
    // In this order: a beacon lies in the folder before its name is in Redis.
    const others = await redis.zrange(live, '0', '-1');
    const files = await store.list(FOLDER);
    const seen = new Set(files.map(({ name }) => name.slice(FOLDER.length)));
    if (!seen.has(own)) await light();
    const isMissing = others.some((id) => id !== own && !seen.has(id));
    if (isMissing && fault === undefined) logger.error(UNSHARED);
    fault = isMissing ? UNSHARED : undefined;
    for (const { name, storedAtMs } of files) {
      if (storedAtMs < nowMs - OLD_MS && !others.includes(name.slice(FOLDER.length))) await store.delete(name);
    }
  };
  return {
    fault: () => fault,
    async check() {
      await light();
      await check();
      checking ??= every(checkEveryMs, () =>
        check().catch(
          (error: unknown) => void logger.warn('the folder of the event log could not be checked', { error }),
        ),
      );
    },
    async close() {
      await checking?.close();
      await redis.zrem(live, own).catch(() => undefined);
      await store.delete(`${FOLDER}${own}`).catch(() => undefined);
    },
  };
}

const UNSHARED =
  'another api does not share the folder that EVENT_LOG names; give all apis the same folder, ' +
  'or EVENT_LOG=s3://bucket/prefix';
