/** Runs a task now, or in a later turn of the event loop. */
export type InTurn = (task: () => boolean) => void;

/**
 * A longer turn allows one task per this time, so that other work does not starve the tasks. With tasks of 1 to 2 ms
 * (TLS handshakes) they get up to half of the CPU.
 */
const PER_TASK_MS = 4;
/** A turn is also long when other processes use the CPU. Many tasks would then make the next turn longer still. */
const PER_TURN_MAX = 4;

/**
 * Runs tasks in their order, usually one per turn of the event loop. After a task that returns false, because it had
 * nothing to do, the next one follows in the same turn. Tasks must not throw.
 */
export function createTurns(): InTurn {
  // A set, because removing the first element of a long array is slow.
  const waiting = new Set<() => boolean>();
  let isRunning = false;
  let turnMs = 0;

  const next = (): void => {
    const nowMs = performance.now();
    let left = Math.min(Math.max(1, Math.floor((nowMs - turnMs) / PER_TASK_MS)), PER_TURN_MAX);
    turnMs = nowMs;
    for (const task of waiting) {
      waiting.delete(task);
      if (task()) left -= 1;
      if (left > 0) continue;
      setImmediate(next);
      return;
    }
    isRunning = false;
  };

  return (task) => {
    waiting.add(task);
    if (isRunning) return;
    isRunning = true;
    turnMs = performance.now();
    next();
  };
}
