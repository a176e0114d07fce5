/** Something that must be over in time. */
export interface Deadline {
  /** When its time is up, on `performance.now()`'s clock; set by `start`. */
  dueMs: number;
  onDue(): void;
}

export interface Deadlines {
  /** Starts the time of `deadline`; returns now. */
  start(deadline: Deadline): number;
  stop(deadline: Deadline): void;
}

/** So many in a turn of the event loop: receivers that hang together are cut together, and the others' replies must not wait for all of it. */
const DUE_AT_ONCE = 4;

/** Deadlines that all last equally long, so that they end in the order they began: one timer serves any number of them. */
export function createDeadlines(durationMs: number): Deadlines {
  const open = new Set<Deadline>();
  let timer: NodeJS.Timeout | undefined;

  const arm = (waitMs: number): void => {
    // Whoever waits for a reply has a socket that keeps the process alive; the timer alone must not.
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
