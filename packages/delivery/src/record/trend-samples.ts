import type { Closeable } from '@mailhook/platform/lifecycle';
import { memoryUsedBytes } from '@mailhook/platform/redis';
import type { Installation } from '../mailbox/installation.ts';
import { MINUTE_MS, trendPlace, TRENDS_KEPT_S } from './trends.ts';

interface TrendSamplesDeps {
  readonly installation: Installation;
  /** The age of the oldest undelivered event, in milliseconds. */
  readonly readOldest: (nowMs: number) => Promise<number>;
  readonly onError: (error: Error) => void;
}

/** A timer that fires a little early must not take the sample of the minute before. */
const INTO_MINUTE_MS = 1000;

/**
 * Writes a sample per minute for the trends of operators: the oldest event and the memory of Redis. The replica that is
 * the first in a minute takes it, so that several replicas write no more. An idle installation pays five commands a
 * minute, and two more for each further replica.
 */
export function startTrendSamples({ installation, readOldest, onError }: TrendSamplesDeps): Closeable {
  const { redis } = installation;
  const [keys] = installation.allKeys(['campaign']);
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  const take = async (): Promise<void> => {
    if (keys === undefined) return;
    const nowMs = Date.now();
    const { key, field } = trendPlace(keys, 'memory', nowMs);
    const usedBytes = await memoryUsedBytes(redis);
    if ((await redis.hsetnx(key, field, usedBytes ?? 0)) === 0) return;
    await redis.expire(key, TRENDS_KEPT_S);
    const oldestMs = await readOldest(nowMs);
    if (oldestMs > 0) await redis.hset(key, trendPlace(keys, 'oldest', nowMs).field, Math.round(oldestMs));
  };
  let inProgress: Promise<void> | undefined;
  const next = (): void => {
    inProgress = take()
      .catch((error: unknown) => onError(error as Error))
      .finally(() => {
        if (isClosed) return;
        timer = setTimeout(next, MINUTE_MS - (Date.now() % MINUTE_MS) + INTO_MINUTE_MS).unref();
      });
  };
  next();
  return {
    close: async () => {
      isClosed = true;
      clearTimeout(timer);
      await inProgress;
    },
  };
}
