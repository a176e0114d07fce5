import { setImmediate } from 'node:timers/promises';

/** A process that writes segments also serves requests. None of them should wait much longer. */
const PAUSE_AFTER_MS = 5;

/** Makes a function that lets other work of the process run, if this one has had its milliseconds. */
export function createPause(): () => Promise<void> {
  let sinceMs = performance.now();
  return async () => {
    if (performance.now() - sinceMs < PAUSE_AFTER_MS) return;
    await setImmediate();
    sinceMs = performance.now();
  };
}

/** The chunks, with pauses between them. */
export async function* pausing(chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const pause = createPause();
  for await (const chunk of chunks) {
    yield chunk;
    await pause();
  }
}
