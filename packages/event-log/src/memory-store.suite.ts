import { MissingObjectError } from './store.ts';
import type { LogStore } from './store.ts';

/** A store for tests, which counts what is read. */
export interface MemoryStore extends LogStore {
  readonly objects: Map<string, { bytes: Buffer; storedAtMs: number }>;
  readonly reads: { name: string; start: number; end: number }[];
}

export function createMemoryStore(nowMs: () => number = Date.now): MemoryStore {
  const objects: MemoryStore['objects'] = new Map();
  const reads: MemoryStore['reads'] = [];
  return {
    objects,
    reads,
    async put(name, chunks) {
      const parts: Uint8Array[] = [];
      for await (const chunk of chunks) parts.push(Buffer.from(chunk));
      objects.set(name, { bytes: Buffer.concat(parts), storedAtMs: nowMs() });
    },
    get(name, range) {
      const object = objects.get(name);
      if (object === undefined) return Promise.reject(new MissingObjectError(name));
      const { start, end } = range ?? { start: 0, end: object.bytes.length };
      if (end > object.bytes.length) return Promise.reject(new RangeError(`${name} ends before byte ${end}`));
      reads.push({ name, start, end });
      return Promise.resolve(object.bytes.subarray(start, end));
    },
    list(prefix) {
      const names = [...objects.keys()].filter((name) => name.startsWith(prefix)).sort();
      return Promise.resolve(
        names.map((name) => {
          const { bytes, storedAtMs } = objects.get(name)!;
          return { name, bytes: bytes.length, storedAtMs };
        }),
      );
    },
    delete(name) {
      objects.delete(name);
      return Promise.resolve();
    },
    close: () => Promise.resolve(),
  };
}
