/** Timers end less than this early. */
const EARLY_MS = 3;

/** Milliseconds until the next multiple of an interval. Work that is due together wakes an idle process only once. */
export const untilNextMs = (everyMs: number, nowMs: number): number =>
  (Math.floor((nowMs + EARLY_MS) / everyMs) + 1) * everyMs - nowMs;

/** What is due, by the time of `performance.now()`. */
const due = new Map<number, Set<() => void>>();

/** Returns a function that cancels the run. */
function runNext(everyMs: number, run: () => void): () => void {
  const nowMs = performance.now();
  const waitMs = untilNextMs(everyMs, nowMs);
  const dueMs = Math.round(nowMs + waitMs);
  let runs = due.get(dueMs);
  if (runs === undefined) {
    const all = (runs = new Set());
    due.set(dueMs, all);
    setTimeout(() => {
      due.delete(dueMs);
      for (const one of all) one();
    }, Math.ceil(waitMs)).unref();
  }
  const those = runs.add(run);
  return () => void those.delete(run);
}

/**
 * Runs work that never fails again and again, never twice at a time, at multiples of the interval since the process
 * began. `start`: also immediately. Does not keep the process alive. Its close waits for the run in progress.
 */
export function every(ms: number, work: () => unknown, start?: 'now'): { close(): Promise<void> } {
  let running: Promise<unknown> | undefined;
  const run = (): void => {
    // An exception must not keep other work of this turn from running.
    running ??= new Promise((resolve) => {
      resolve(work());
    }).finally(() => (running = undefined));
  };
  const onTime = (): void => {
    cancel = runNext(ms, onTime);
    run();
  };
  let cancel = runNext(ms, onTime);
  if (start === 'now') run();
  return {
    async close() {
      cancel();
      await running;
    },
  };
}
