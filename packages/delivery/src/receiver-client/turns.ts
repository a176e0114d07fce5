/** Runs a task of an account now, or when its turn comes. */
export type InTurn = (account: string, task: () => boolean) => void;

/** A full TLS handshake costs 1 to 2 ms of CPU. The rest is for other work. */
const EVERY_MS = 3;
/** A long turn of the event loop starts what it has delayed, but not so much that the next turn is as long. */
const CATCH_UP_MS = 3 * EVERY_MS;

/**
 * Runs one task per 3 ms on average, of each account in turn, so that an account with many tasks delays the others by
 * one task at a time. The tasks of an account run in their order. After a task that returns false, because it had
 * nothing to do, the next one follows immediately. Tasks must not throw.
 */
export function createTurns(): InTurn {
  // Sets, because removing the first element of a long array is slow. The account that is next is first.
  const waiting = new Map<string, Set<() => boolean>>();
  let isRunning = false;
  let nextMs = 0;

  const next = (): void => {
    for (const [account, tasks] of waiting) {
      for (const task of tasks) {
        const nowMs = performance.now();
        if (nextMs > nowMs) {
          setTimeout(next, nextMs - nowMs);
          return;
        }
        tasks.delete(task);
        if (!task()) continue;
        nextMs = Math.max(nextMs, nowMs - CATCH_UP_MS) + EVERY_MS;
        break;
      }
      // A map is iterated over what is added at its end meanwhile.
      waiting.delete(account);
      if (tasks.size > 0) waiting.set(account, tasks);
    }
    isRunning = false;
  };

  return (account, task) => {
    const tasks = waiting.get(account);
    if (tasks === undefined) waiting.set(account, new Set([task]));
    else tasks.add(task);
    if (isRunning) return;
    isRunning = true;
    next();
  };
}
