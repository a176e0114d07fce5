import { readFileSync } from 'node:fs';

/**
 * The number of files and sockets that this process may have open (`ulimit -n`). Undefined on systems without `/proc`.
 */
export function openFilesMax(): number | undefined {
  try {
    const found = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'));
    return found === null ? undefined : Number(found[1]);
  } catch {
    return undefined;
  }
}
