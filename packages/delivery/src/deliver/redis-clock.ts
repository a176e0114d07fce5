import type { ClockReading, Scripts } from '../mailbox/commands.ts';

export interface RedisClockOptions {
  readonly scripts: Pick<Scripts, 'setClock'>;
  /** Redis's clock was put forward (positive) or back. */
  readonly onStep: (stepMs: number) => void;
}

/** A reading of the scripts' time, and the moments of `performance.now()` between which it was made. */
interface Reading {
  readonly nowMs: number;
  readonly askedAtMs: number;
  readonly heardAtMs: number;
}

/** Differences up to this are not steps. Small ones happen when a clock is kept in time. */
const TOLERANCE_MS = 1000;
/** A worker without a reading leaves this many heartbeats to workers that have one. Then it takes the gap for time that passed. */
const HEARTBEATS_FOR_OTHERS = 2;

/**
 * Keeps the scripts' time even when Redis's clock steps. After a gap between heartbeats, the worker's monotonic clock decides how much time has passed. A
 * step of Redis's clock is then undone by a shift, which all workers of the shard use.
 */
export class RedisClock {
  readonly #options: RedisClockOptions;
  #last: Reading | undefined;
  #gaps = 0;

  constructor(options: RedisClockOptions) {
    this.#options = options;
  }

  /** Takes the reading of a heartbeat. After a gap, sets the scripts' time. */
  async take({ nowMs, rawMs, base, isSteady }: ClockReading, askedAtMs: number): Promise<void> {
    const heardAtMs = performance.now();
    if (isSteady) {
      this.#last = { nowMs, askedAtMs, heardAtMs };
      this.#gaps = 0;
      return;
    }
    this.#gaps += 1;
    if (this.#last === undefined && this.#gaps <= HEARTBEATS_FOR_OTHERS) return;
    const shiftMs = Number(base.split(' ')[1] ?? 0);
    const stepMs = this.#last === undefined ? 0 : stepOf(rawMs + shiftMs, this.#last, { askedAtMs, heardAtMs });
    const isDone = await this.#options.scripts.setClock(base, rawMs, shiftMs - stepMs);
    if (isDone && stepMs !== 0) this.#options.onStep(stepMs);
  }
}

/** By how much a time is ahead of what the monotonic clock allows since the last reading; negative if it is behind, 0 if it is possible. */
function stepOf(timeMs: number, last: Reading, { askedAtMs, heardAtMs }: Omit<Reading, 'nowMs'>): number {
  const passedMs = timeMs - last.nowMs;
  const leastMs = askedAtMs - last.heardAtMs;
  const mostMs = heardAtMs - last.askedAtMs;
  if (passedMs < leastMs - TOLERANCE_MS) return Math.round(passedMs - leastMs);
  if (passedMs > mostMs + TOLERANCE_MS) return Math.round(passedMs - mostMs);
  return 0;
}
