import { closeSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { cannotPreload, compiledLibrary } from './preload.ts';
import type { Preload } from './preload.ts';

/** The disk of the append-only file of a Redis server, which can fail in the middle of a write. */
export interface FailingWrites extends Preload {
  /** See `TestRedis.failWrites`. */
  fail(percent: number): void;
}

/** Why no write can fail here. Undefined if one can. For `unlessImpossible`. */
export const cannotFailWrites = (): string | undefined => cannotPreload('writes can fail');

/** Keeps the share of bytes in `file`, which the server maps into its memory. */
export function failingWrites(file: string): FailingWrites {
  writeFileSync(file, Buffer.alloc(8));
  return {
    library: compiledLibrary('failing-writes'),
    env: { FAILING_WRITES_FILE: file },
    fail: (percent) => {
      const bytes = Buffer.alloc(8);
      bytes.writeBigInt64LE(BigInt(percent));
      // In place, because the server has mapped the file.
      const open = openSync(file, 'r+');
      writeSync(open, bytes, 0, 8, 0);
      closeSync(open);
    },
  };
}
