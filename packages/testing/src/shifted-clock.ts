import { closeSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { cannotPreload, compiledLibrary } from './preload.ts';
import type { Preload } from './preload.ts';

/** The wall clock and the disk of one server process and of the processes that replace it. */
export interface ShiftedClock extends Preload {
  /**
   * Sets how much the server's wall clock is ahead of the machine's, or behind if negative. It jumps at once, and
   * timers are not affected.
   */
  set(aheadMs: number): void;
  /** Makes each sync of a file take this much longer. */
  setSyncMs(syncMs: number): void;
}

/** Why the clocks of servers cannot be shifted here. Undefined if they can. For `unlessImpossible`. */
export const cannotShiftClocks = (): string | undefined => cannotPreload('clocks can be shifted');

/** Keeps both numbers in `file`, which the server maps into its memory. */
export function shiftedClock(file: string, aheadMs: number): ShiftedClock {
  const write = (place: number, ms: number): void => {
    const bytes = Buffer.alloc(8);
    bytes.writeBigInt64LE(BigInt(Math.round(ms)));
    // In place, because the server has mapped the file.
    const open = openSync(file, 'r+');
    writeSync(open, bytes, 0, 8, 8 * place);
    closeSync(open);
  };
  writeFileSync(file, Buffer.alloc(16));
  write(0, aheadMs);
  return {
    library: compiledLibrary('shifted-clock'),
    env: { SHIFTED_CLOCK_FILE: file },
    set: (ms) => write(0, ms),
    setSyncMs: (ms) => write(1, ms),
  };
}
