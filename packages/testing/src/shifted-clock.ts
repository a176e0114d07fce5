import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import { missingTool } from './tools.ts';

/** The wall clock and the disk of one server process and of the processes that replace it. */
export interface ShiftedClock {
  /** Variables for the server's environment. */
  readonly env: NodeJS.ProcessEnv;
  /**
   * Sets how much the server's wall clock is ahead of the machine's, or behind if negative. It jumps at once, and
   * timers are not affected.
   */
  set(aheadMs: number): void;
  /** Makes each sync of a file take this much longer. */
  setSyncMs(syncMs: number): void;
}

const SOURCE = path.resolve('packages/testing/src/shifted-clock.c');
const CACHE = path.resolve('.cache/shifted-clock');

/** Why the clocks of servers cannot be shifted here. Undefined if they can. For `unlessImpossible`. */
export function cannotShiftClocks(): string | undefined {
  if (process.platform !== 'linux') return 'clocks can be shifted on Linux only';
  return missingTool('cc');
}

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
    env: { LD_PRELOAD: compiled(), SHIFTED_CLOCK_FILE: file },
    set: (ms) => write(0, ms),
    setSyncMs: (ms) => write(1, ms),
  };
}

function compiled(): string {
  const version = createHash('sha256').update(readFileSync(SOURCE)).digest('hex').slice(0, 16);
  const library = path.join(CACHE, `${version}.so`);
  if (existsSync(library)) return library;
  mkdirSync(CACHE, { recursive: true });
  // Other test files may compile it at this moment, so it appears under its name only when it is complete.
  const unfinished = `${library}.${process.pid}`;
  execFileSync('cc', ['-O1', '-shared', '-fPIC', '-Wall', '-Wextra', '-o', unfinished, SOURCE]);
  renameSync(unfinished, library);
  return library;
}
