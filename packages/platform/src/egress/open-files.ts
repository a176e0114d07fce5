import { readFileSync } from 'node:fs';

/** How many files and sockets this process may have open (`ulimit -n`); undefined where the system does not show it. */
export function openFilesMax(): number | undefined {
  try {
    const found = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'));
    return found === null ? undefined : Number(found[1]);
  } catch {
    return undefined;
  }
}
