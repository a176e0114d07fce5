import { onEveryMaster } from './connect.ts';
import type { Redis } from './connect.ts';
import { parseInfo } from './settings.ts';

/** Above this share of `maxmemory` no more mail is accepted: the rest is for the work under way. */
const NEARLY_FULL = 0.9;
const READING_MAX_AGE_MS = 500;

interface Reading {
  /** Until no more mail is accepted; infinite without a limit. */
  leftBytes: number;
  readAtMs: number;
  underWay: Promise<void> | undefined;
}

const readings = new WeakMap<Redis, Reading>();

/**
 * Whether Redis, or one master of a cluster, nears its `maxmemory`, so that intake can answer 503 before writes begin to fail.
 * A reading at most half a second old while calls keep coming; while Redis does not answer, the last one. Never rejects.
 */
export const isMemoryNearlyFull = async (redis: Redis): Promise<boolean> => (await memoryLeftBytes(redis)) < 0;

/** How many bytes Redis, or the fullest master of a cluster, has left before intake answers 503; negative beyond that. Never rejects. */
export async function memoryLeftBytes(redis: Redis): Promise<number> {
  const known = readings.get(redis);
  const reading = known ?? {
    leftBytes: Number.POSITIVE_INFINITY,
    readAtMs: Number.NEGATIVE_INFINITY,
    underWay: undefined,
  };
  if (known === undefined) readings.set(redis, reading);
  if (performance.now() - reading.readAtMs > READING_MAX_AGE_MS) {
    reading.underWay ??= refresh(redis, reading);
    // Only the first caller of all has nothing to go by.
    if (reading.readAtMs === Number.NEGATIVE_INFINITY) await reading.underWay;
  }
  return reading.leftBytes;
}

async function refresh(redis: Redis, reading: Reading): Promise<void> {
  try {
    const masters = await onEveryMaster(redis, async (node) => parseInfo(await node.info('memory')));
    reading.leftBytes = Math.min(
      ...masters.map((info) => {
        const limitBytes = Number(info.get('maxmemory') ?? 0);
        const usedBytes = Number(info.get('used_memory') ?? 0);
        return limitBytes === 0 ? Number.POSITIVE_INFINITY : limitBytes * NEARLY_FULL - usedBytes;
      }),
    );
  } catch {
    // Redis is away or forbids INFO: the writes themselves will tell.
  } finally {
    reading.readAtMs = performance.now();
    reading.underWay = undefined;
  }
}
