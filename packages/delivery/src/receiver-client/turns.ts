/** Runs a task now, or in a later turn of the event loop. */
export type InTurn = (task: () => boolean) => void;

/**
 * Runs tasks in their order, one per turn of the event loop. After a task that returns false, because it had nothing to
 * do, the next one follows in the same turn. Tasks must not throw.
 */
export function createTurns(): InTurn {
  // An array whose head is cut off again and again would cost too much.
  const waiting = new Set<() => boolean>();
  let isTaken = false;

  const next = (): void => {
    isTaken = false;
    for (const task of waiting) {
      waiting.delete(task);
      isTaken = task();
      if (!isTaken) continue;
      setImmediate(next);
      return;
    }
  };

  return (task) => {
    waiting.add(task);
    if (!isTaken) next();
  };
}
