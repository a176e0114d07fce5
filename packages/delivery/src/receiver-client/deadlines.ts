/** A task that must end in time. */
export interface Deadline {
  /** When the time is over, by `performance.now()`. Set by `start`. */
  dueMs: number;
  onDue(): void;
}

export interface Deadlines {
  /** Starts a deadline and returns the current time. */
  start(deadline: Deadline): number;
  stop(deadline: Deadline): void;
}

/**
 * Most deadlines that end in one turn of the event loop. When many receivers hang together, replies of others must not
 * wait for all of them.
 */
const DUE_AT_ONCE = 4;

/**
 * Creates deadlines of equal duration. They end in the order in which they started, so one timer serves all of them.
 */
export function createDeadlines(durationMs: number): Deadlines {
  const open = new Set<Deadline>();
  let timer: NodeJS.Timeout | undefined;

  const arm = (waitMs: number): void => {
    // A request in flight has a socket that keeps the process alive. The timer alone must not.
    timer = setTimeout(ring, waitMs).unref();
  };

  const ring = (): void => {
    timer = undefined;
    const nowMs = performance.now();
    let left = DUE_AT_ONCE;
    for (const deadline of open) {
      if (deadline.dueMs > nowMs) {
        arm(Math.ceil(deadline.dueMs - nowMs));
        return;
      }
      if (left === 0) {
        arm(0);
        return;
      }
      left -= 1;
      open.delete(deadline);
      deadline.onDue();
    }
  };

  return {
    start(deadline) {
      const nowMs = performance.now();
      deadline.dueMs = nowMs + durationMs;
      open.add(deadline);
      if (timer === undefined) arm(durationMs);
      return nowMs;
    },
    stop(deadline) {
      open.delete(deadline);
    },
  };
}
