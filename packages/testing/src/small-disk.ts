import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** A disk of a test's own that can be full. */
export interface SmallDisk {
  readonly folder: string;
  /** Leaves no space. */
  fill(): void;
  /** Gives back what `fill` took. */
  free(): void;
  unmount(): void;
}

const FILLER = 'filler';

/** Mounts a disk of `megabytes`. Where this user may not mount, with or without sudo, returns why. */
export function mountSmallDisk(megabytes: number): SmallDisk | string {
  const folder = mkdtempSync(path.join(tmpdir(), 'mailhook-disk-'));
  const filler = path.join(folder, FILLER);
  try {
    asRoot('mount', '-t', 'tmpfs', '-o', `size=${megabytes}m,mode=1777`, 'tmpfs', folder);
  } catch (error) {
    rmdirSync(folder);
    return `mounting a small disk needs root: ${String((error as { stderr?: unknown }).stderr).trim()}`;
  }
  return {
    folder,
    fill: () => {
      const chunk = Buffer.alloc(4096);
      try {
        for (;;) writeFileSync(filler, chunk, { flag: 'a' });
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      }
    },
    free: () => rmSync(filler),
    unmount: () => {
      asRoot('umount', '--lazy', folder);
      rmdirSync(folder);
    },
  };
}

function asRoot(...command: readonly string[]): void {
  const [program = '', ...args] = process.getuid?.() === 0 ? command : ['sudo', '-n', ...command];
  execFileSync(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
}
