/** Runs a task now, or when its turn comes. */
export type InTurn = (task: () => boolean) => void;

/** A full TLS handshake costs 1 to 2 ms of CPU. The rest is for other work. */
const EVERY_MS = 3;
/** A long turn of the event loop starts what it has delayed, but not so much that the next turn is as long. */
const CATCH_UP_MS = 3 * EVERY_MS;

/**
 * Runs tasks in their order, one per 3 ms on average. After a task that returns false, because it had nothing to do,
 * the next one follows immediately. Tasks must not throw.
 */
export function createTurns(): InTurn {
  // A set, because removing the first element of a long array is slow.
  const waiting = new Set<() => boolean>();
  let isRunning = false;
  let nextMs = 0;

  const next = (): void => {
    for (const task of waiting) {
      const nowMs = performance.now();
      if (nextMs > nowMs) {
        setTimeout(next, nextMs - nowMs);
        return;
      }
      waiting.delete(task);
      if (task()) nextMs = Math.max(nextMs, nowMs - CATCH_UP_MS) + EVERY_MS;
    }
    isRunning = false;
  };

  return (task) => {
    waiting.add(task);
    if (isRunning) return;
    isRunning = true;
    next();
  };
}
