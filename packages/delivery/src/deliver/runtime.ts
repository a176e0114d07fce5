import { randomBytes } from 'node:crypto';

export type Timer = NodeJS.Timeout;

/**
 * What the engine takes from its process beside Redis and receivers: clocks, timers and chance. The simulation
 * (test/engine/simulation) gives it others, so that a run can be repeated exactly.
 */
export interface Runtime {
  /** Milliseconds of a clock that never goes back. It begins anywhere above 0. */
  now(): number;
  /** Unix milliseconds of this machine. */
  wall(): number;
  later(callback: () => void, ms: number): Timer;
  cancel(timer: Timer | undefined): void;
  /** Calls back after the I/O of this turn. */
  immediate(callback: () => void): void;
  /** Random, so that no two are the same: this many bytes in hexadecimal. */
  id(bytes: number): string;
  /** Random, in [0, 1). */
  random(): number;
}

/** The runtime of this process. */
export const createRuntime = (): Runtime => ({
  now: () => performance.now(),
  wall: () => Date.now(),
  later: (callback, ms) => setTimeout(callback, ms),
  cancel: (timer) => clearTimeout(timer),
  immediate: (callback) => void setImmediate(callback),
  id: (bytes) => randomBytes(bytes).toString('hex'),
  random: () => Math.random(),
});

/** Resolves after a time. */
export const pause = (runtime: Pick<Runtime, 'later'>, ms: number): Promise<void> =>
  new Promise((resolve) => void runtime.later(resolve, ms));
