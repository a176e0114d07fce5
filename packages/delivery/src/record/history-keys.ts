import type { UnroutedType } from '@mailhook/core';

const HOUR_MS = 3_600_000;

/**
 * Attempts are counted twice, in cells of five minutes for the last hour, and in cells of an hour for 7 days. A hash
 * has 12 cells of an account, as one packed value per destination, and lives until pictures no longer show its last
 * cell.
 */
export const SERIES = [
  { name: 'm', cellMs: 300_000, keptS: 2 * 3600 + 300 },
  { name: 'h', cellMs: HOUR_MS, keptS: 8 * 24 * 3600 },
] as const;
export type Series = (typeof SERIES)[number];
export const [MINUTES, HOURS] = SERIES;

const CELLS_PER_BLOCK = 12;

/**
 * What a packed value counts in each of its cells. From `replies` to `timeouts`, the buckets of reply times. Number 1
 * is no number of a count, because cmsgpack packs a table that has only this number as an array.
 */
export const SLOTS = { events: 2, unconfirmed: 3, delivered: 4, failed: 5, replies: 6, timeouts: 35 } as const;
export const SLOTS_PER_CELL = 36;

export const blockOf = ({ name, cellMs }: Series, atMs: number): string =>
  `${name}${Math.floor(atMs / (CELLS_PER_BLOCK * cellMs))}`;

/** The block of a time, and the number before the slots of its cell. */
export const placeOf = (series: Series, atMs: number) => ({
  block: blockOf(series, atMs),
  cell: (Math.floor(atMs / series.cellMs) % CELLS_PER_BLOCK) * SLOTS_PER_CELL,
});

/** All blocks of a series that may exist. */
export function blocksOf(series: Series, nowMs: number): readonly string[] {
  const blockMs = CELLS_PER_BLOCK * series.cellMs;
  const count = Math.ceil((series.keptS * 1000) / blockMs) + 1;
  return Array.from({ length: count }, (_, i) => blockOf(series, nowMs - i * blockMs));
}

/** Whether counts are those of a destination, and not those of events that none took. No destination has such an id. */
export const isOfDestination = (id: string): boolean => !/^(?:none|filtered):/.test(id);

/** Stands for a destination in the counts. */
export const unroutedId = (account: string, type: UnroutedType): string => `none:${type}:${account}`;

/** Counts the events that a destination's filter keeps out. */
export const filteredId = (destination: string): string => `filtered:${destination}`;
