import type { ClockReading, MailboxCommands } from '../mailbox/commands.ts';

export interface RedisClockOptions {
  readonly commands: Pick<MailboxCommands, 'setClock'>;
  /** The clock of Redis was set forward (positive) or back. */
  readonly onStep: (stepMs: number) => void;
}

/** A reading of the scripts' time, and the moments of `performance.now()` between which it was made. */
interface Reading {
  readonly nowMs: number;
  readonly askedAtMs: number;
  readonly heardAtMs: number;
}

/** Smaller differences are not steps. They occur when a clock is synchronized. */
const TOLERANCE_MS = 1000;
/** A worker without a reading waits this many heartbeats for a worker that has one. Then it treats the gap as time that has passed. */
const HEARTBEATS_FOR_OTHERS = 2;

/**
 * Keeps the scripts' time steady when the clock of Redis steps. After a gap between heartbeats, the worker's monotonic clock decides how much time has
 * passed. If the clock of Redis has stepped, the worker stores a shift that undoes the step for all scripts of the shard.
 */
export class RedisClock {
  readonly #options: RedisClockOptions;
  #last: Reading | undefined;
  #gaps = 0;

  constructor(options: RedisClockOptions) {
    this.#options = options;
  }

  /** Handles the clock reading of a heartbeat. After a gap, sets the scripts' time. */
  async take({ nowMs, rawMs, storedClock, isSteady }: ClockReading, askedAtMs: number): Promise<void> {
    const heardAtMs = performance.now();
    if (isSteady) {
      this.#last = { nowMs, askedAtMs, heardAtMs };
      this.#gaps = 0;
      return;
    }
    this.#gaps += 1;
    if (this.#last === undefined && this.#gaps <= HEARTBEATS_FOR_OTHERS) return;
    const shiftMs = Number(storedClock.split(' ')[1] ?? 0);
    const stepMs = this.#last === undefined ? 0 : stepOf(rawMs + shiftMs, this.#last, { askedAtMs, heardAtMs });
    const isDone = await this.#options.commands.setClock(storedClock, rawMs, shiftMs - stepMs);
    if (isDone && stepMs !== 0) this.#options.onStep(stepMs);
  }
}

/** How far a time is ahead of what the monotonic clock allows since the last reading. Negative if it is behind, 0 if it is possible. */
function stepOf(timeMs: number, last: Reading, { askedAtMs, heardAtMs }: Omit<Reading, 'nowMs'>): number {
  const passedMs = timeMs - last.nowMs;
  const leastMs = askedAtMs - last.heardAtMs;
  const mostMs = heardAtMs - last.askedAtMs;
  if (passedMs < leastMs - TOLERANCE_MS) return Math.round(passedMs - leastMs);
  if (passedMs > mostMs + TOLERANCE_MS) return Math.round(passedMs - mostMs);
  return 0;
}
