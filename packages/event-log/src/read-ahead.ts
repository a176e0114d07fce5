import type { LogStore } from './store.ts';

/** Bytes of one read. Two such windows of each object are kept: of its blocks, and of its filters. */
const WINDOW_BYTES = 512 * 1024;
const WINDOWS = 2;

interface Window {
  readonly start: number;
  readonly end: number;
  readonly bytes: Promise<Buffer>;
}

/**
 * A store for a merge, which goes through its inputs from their start to their end: many small ranges become few large
 * reads.
 *
 * @param sizes the bytes of the objects by name.
 */
export function readAhead(store: LogStore, sizes: ReadonlyMap<string, number>): LogStore {
  const windows = new Map<string, readonly Window[]>();
  return {
    ...store,
    async get(name, range) {
      const size = sizes.get(name);
      if (range === undefined || size === undefined || range.end > size) return store.get(name, range);
      const known = windows.get(name) ?? [];
      let window = known.find(({ start, end }) => start <= range.start && range.end <= end);
      if (window === undefined) {
        const { start } = range;
        const end = Math.min(size, Math.max(range.end, start + WINDOW_BYTES));
        window = { start, end, bytes: store.get(name, { start, end }) };
        windows.set(name, [window, ...known].slice(0, WINDOWS));
      }
      return (await window.bytes).subarray(range.start - window.start, range.end - window.start);
    },
  };
}
