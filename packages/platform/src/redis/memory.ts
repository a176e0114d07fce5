import { onEveryMaster } from './connect.ts';
import type { Redis } from './connect.ts';
import { parseInfo } from './settings.ts';

/** Above this share of `maxmemory`, intake accepts no more events. The rest is for accepted events. */
export const NEARLY_FULL = 0.9;
const READING_MAX_AGE_MS = 500;

interface Reading {
  /** The bytes that are left before intake accepts no more events. Infinite without a limit. */
  leftBytes: number;
  /** Of `maxmemory`, on the fullest master. 0 without a limit. */
  usedShare: number;
  /** Of all masters together. Undefined if one has no limit. */
  limitBytes: number | undefined;
  /** Undefined before the first answer. */
  usedBytes: number | undefined;
  readAtMs: number;
  refreshing: Promise<void> | undefined;
}

const readings = new WeakMap<Redis, Reading>();

/**
 * Whether Redis, or one master of a cluster, is near its `maxmemory`, so that intake can reply with 503 before writes
 * fail. With frequent calls, the reading is about half a second old. While Redis does not answer, it is the last one.
 * Never rejects.
 */
export const isMemoryNearlyFull = async (redis: Redis): Promise<boolean> => (await memoryLeftBytes(redis)) < 0;

/**
 * The bytes that Redis, or the fullest master of a cluster, has left before intake replies with 503. Negative beyond
 * that point. Never rejects.
 */
export const memoryLeftBytes = async (redis: Redis): Promise<number> => (await readingOf(redis)).leftBytes;

/** The share of `maxmemory` that Redis, or the fullest master of a cluster, uses. 0 without a limit. Never rejects. */
export const memoryUsedShare = async (redis: Redis): Promise<number> => (await readingOf(redis)).usedShare;

/** The bytes that Redis, or all masters of a cluster, use. Undefined if it forbids INFO. Never rejects. */
export const memoryUsedBytes = async (redis: Redis): Promise<number | undefined> => (await readingOf(redis)).usedBytes;

/** `maxmemory` of Redis, or of the smallest master of a cluster. 0 without a limit. Rejects while Redis is away. */
export async function memoryLimitBytes(redis: Redis): Promise<number> {
  const masters = await onEveryMaster(redis, async (node) =>
    Number(parseInfo(await node.info('memory')).get('maxmemory') ?? 0),
  );
  const limits = masters.filter((bytes) => bytes > 0);
  return limits.length === 0 ? 0 : Math.min(...limits);
}

/**
 * `maxmemory`, of all masters of a cluster together. Undefined without a limit, or if Redis forbids INFO. Never
 * rejects.
 */
export const totalMemoryLimitBytes = async (redis: Redis): Promise<number | undefined> =>
  (await readingOf(redis)).limitBytes;

async function readingOf(redis: Redis): Promise<Reading> {
  const known = readings.get(redis);
  const reading = known ?? {
    leftBytes: Number.POSITIVE_INFINITY,
    usedShare: 0,
    limitBytes: undefined,
    usedBytes: undefined,
    readAtMs: Number.NEGATIVE_INFINITY,
    refreshing: undefined,
  };
  if (known === undefined) readings.set(redis, reading);
  if (performance.now() - reading.readAtMs > READING_MAX_AGE_MS) {
    reading.refreshing ??= refresh(redis, reading);
    // Only the first call must wait, because there is no reading to return.
    if (reading.readAtMs === Number.NEGATIVE_INFINITY) await reading.refreshing;
  }
  return reading;
}

async function refresh(redis: Redis, reading: Reading): Promise<void> {
  try {
    const masters = await onEveryMaster(redis, async (node) => parseInfo(await node.info('memory')));
    reading.usedBytes = masters.reduce((sum, info) => sum + Number(info.get('used_memory') ?? 0), 0);
    const limited = masters
      .map((info) => ({
        limitBytes: Number(info.get('maxmemory') ?? 0),
        usedBytes: Number(info.get('used_memory') ?? 0),
      }))
      .filter(({ limitBytes }) => limitBytes > 0);
    reading.limitBytes =
      limited.length < masters.length ? undefined : limited.reduce((sum, { limitBytes }) => sum + limitBytes, 0);
    reading.leftBytes = Math.min(...limited.map(({ limitBytes, usedBytes }) => limitBytes * NEARLY_FULL - usedBytes));
    reading.usedShare = Math.max(0, ...limited.map(({ limitBytes, usedBytes }) => usedBytes / limitBytes));
  } catch {
    // Redis is away or forbids INFO. Then only failing writes show that it is full.
  } finally {
    reading.readAtMs = performance.now();
    reading.refreshing = undefined;
  }
}
