import { NO_DELIVERIES } from '@mailhook/core';
import type { DeliveryCounts, HistoryBar } from '@mailhook/core';
import type { Redis } from '@mailhook/platform/redis';
import { Unpackr } from 'msgpackr';
import { blockOf, isOfDestination, placeOf, SLOTS } from './history-keys.ts';
import type { Series } from './history-keys.ts';
import type { EngineKeys } from '../mailbox/keys.ts';

const packed = new Unpackr({ useRecords: false, mapsAsObjects: false, int64AsType: 'number' });

/** The counts of a packed value, by the number of the cell and slot. */
export const readPackedCounts = (value: Buffer): ReadonlyMap<number, number> =>
  packed.unpack(value) as ReadonlyMap<number, number>;

/** The counts of destinations in cells of a series, oldest first, by destination id. Cells end with that of `nowMs`. */
export type HistoryCells = ReadonlyMap<string, readonly HistoryBar[]>;

/**
 * Reads the last cells of some destinations of an account, or of all of them. Rejects while Redis is away.
 */
export async function readHistory(
  redis: Redis,
  keys: EngineKeys,
  account: string,
  { series, cells, nowMs }: { readonly series: Series; readonly cells: number; readonly nowMs: number },
  destinations?: readonly string[],
): Promise<HistoryCells> {
  if (destinations?.length === 0) return new Map();
  const { cellMs } = series;
  const firstMs = (Math.floor(nowMs / cellMs) - cells + 1) * cellMs;
  const times = Array.from({ length: cells }, (_, i) => firstMs + i * cellMs);
  const blocks = [...new Set(times.map((atMs) => blockOf(series, atMs)))];
  const read = await Promise.all(
    blocks.map(async (block) => {
      const key = keys.history(account, block);
      return [block, await (destinations === undefined ? readAll(redis, key) : readSome(redis, key, destinations))];
    }),
  );
  const values = new Map(read as [string, ReadonlyMap<string, ReadonlyMap<number, number>>][]);
  const found = destinations ?? new Set([...values.values()].flatMap((ofBlock) => [...ofBlock.keys()]));
  return new Map(
    [...found].map((id) => [
      id,
      times.map((fromMs) => {
        const { block, cell } = placeOf(series, fromMs);
        return { fromMs, ...countsIn(values.get(block)?.get(id), cell) };
      }),
    ]),
  );
}

async function readAll(redis: Redis, key: string): Promise<ReadonlyMap<string, ReadonlyMap<number, number>>> {
  const fields = Object.entries(await redis.hgetallBuffer(key)).filter(([id]) => isOfDestination(id));
  return new Map(fields.map(([id, value]) => [id, readPackedCounts(value)]));
}

async function readSome(redis: Redis, key: string, ids: readonly string[]): ReturnType<typeof readAll> {
  const values = await redis.hmgetBuffer(key, ...ids);
  return new Map(
    ids.flatMap((id, i) => {
      const value = values[i];
      return value == null ? [] : [[id, readPackedCounts(value)] as const];
    }),
  );
}

function countsIn(counts: ReadonlyMap<number, number> | undefined, cell: number): DeliveryCounts {
  if (counts === undefined) return NO_DELIVERIES;
  const of = (slot: number): number => counts.get(cell + slot) ?? 0;
  const [delivered, failed, events] = [of(SLOTS.delivered), of(SLOTS.failed), of(SLOTS.events)];
  if (delivered + failed + events === 0) return NO_DELIVERIES;
  const replies = Array.from({ length: SLOTS.timeouts - SLOTS.replies }, (_, bucket) => of(SLOTS.replies + bucket));
  return { events, unconfirmed: of(SLOTS.unconfirmed), delivered, failed, replies, timeouts: of(SLOTS.timeouts) };
}
