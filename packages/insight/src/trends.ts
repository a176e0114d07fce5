import type { Trend } from '@mailhook/core';
import type { EngineKeys, Installation, TrendName } from '@mailhook/delivery';
import { MINUTE_MS, readTrends } from '@mailhook/delivery';
import { chunkQueueKeys } from '@mailhook/delivery/mailbox';
import { oldestChunkMs, oldestWaitingMs } from './gauges.ts';

/** What is known per minute. All methods reject while Redis is away. */
interface Trends {
  /** The last minutes, oldest first, with the current one. */
  readonly read: (minutes: number, nowMs: number) => Promise<readonly Trend[]>;
  /** The age of the oldest undelivered event, in milliseconds. Without one, it costs a command per queue and shard. */
  readonly readOldest: (nowMs: number) => Promise<number>;
}

export function createTrends(installation: Installation): Trends {
  const { redis } = installation;
  const shards = installation.allKeys(['campaign']);
  const places = installation.allKeys();
  const oldestOf = async (keys: EngineKeys): Promise<number> => {
    const { waiting, prioritized } = chunkQueueKeys(keys);
    const held = [keys.backlog, ...keys.readyLists, keys.due, waiting, prioritized];
    if ((await redis.exists(...held)) === 0) return Number.POSITIVE_INFINITY;
    return Math.min(...(await Promise.all([oldestWaitingMs(redis, keys), oldestChunkMs(redis, keys)])));
  };
  return {
    async read(minutes, nowMs) {
      const last = Math.floor(nowMs / MINUTE_MS);
      const starts = Array.from({ length: minutes }, (_, i) => (last - minutes + 1 + i) * MINUTE_MS);
      const read = await Promise.all(shards.map((keys) => readTrends(redis, keys, starts)));
      const valuesOf = (name: TrendName, fromMs: number): readonly number[] =>
        read.map((valueOf) => valueOf(name, fromMs)).filter((value) => value !== undefined);
      const sumOf = (name: TrendName, fromMs: number): number =>
        valuesOf(name, fromMs).reduce((sum, one) => sum + one, 0);
      return starts.map((fromMs) => ({
        fromMs,
        accepted: sumOf('accepted', fromMs),
        delivered: sumOf('delivered', fromMs),
        oldestMs: sumOf('oldest', fromMs),
        usedBytes: valuesOf('memory', fromMs)[0],
      }));
    },
    async readOldest(nowMs) {
      const oldest = Math.min(...(await Promise.all(places.map(oldestOf))));
      return Number.isFinite(oldest) ? Math.max(0, nowMs - oldest) : 0;
    },
  };
}
