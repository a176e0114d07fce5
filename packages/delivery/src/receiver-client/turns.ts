/** Runs a task now, or when its turn comes. */
export type InTurn = (task: () => boolean) => void;

/** A full TLS handshake costs 1 to 2 ms of CPU. Other work runs in the pauses. */
const PAUSE_MS = 2;

/**
 * Runs tasks in their order, with a pause after each. A task that returns false had nothing to do, and the next one
 * follows without a pause. Tasks must not throw.
 */
export function createTurns(): InTurn {
  // A set, because removing the first element of a long array is slow.
  const waiting = new Set<() => boolean>();
  let isRunning = false;
  let nextMs = 0;

  const next = (): void => {
    for (const task of waiting) {
      const pauseMs = nextMs - performance.now();
      if (pauseMs > 0) {
        setTimeout(next, pauseMs);
        return;
      }
      waiting.delete(task);
      if (task()) nextMs = performance.now() + PAUSE_MS;
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
