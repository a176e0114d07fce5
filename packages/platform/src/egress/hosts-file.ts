import { readFile, stat } from 'node:fs/promises';
import { isIP } from 'node:net';

const CHECK_EVERY_MS = 1000;

/** The error codes that mean that the system lacks a resource, not that the file is missing. */
const SHORTAGES: readonly unknown[] = ['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN'];

/**
 * Returns the addresses of a name in the hosts file, or none if the file does not contain it. Sees changes within a
 * second. Rejects if it lacks file descriptors or memory to read a changed file, because a lookup without the file
 * could lead to another address.
 */
export function createHostsFile(path = '/etc/hosts'): (name: string) => Promise<readonly string[]> {
  let names: ReadonlyMap<string, readonly string[]> = new Map();
  let modifiedMs = Number.NaN;
  let checkedMs = Number.NEGATIVE_INFINITY;

  const refresh = async (): Promise<void> => {
    try {
      const { mtimeMs } = await stat(path);
      if (mtimeMs === modifiedMs) return;
      names = parseHosts(await readFile(path, 'utf8'));
      modifiedMs = mtimeMs;
    } catch (error) {
      if (SHORTAGES.includes(Reflect.get(Object(error), 'code'))) throw error;
      // Without a hosts file there are no names in it.
      names = new Map();
      modifiedMs = Number.NaN;
    }
  };

  return async (name) => {
    if (performance.now() - checkedMs > CHECK_EVERY_MS) {
      await refresh();
      checkedMs = performance.now();
    }
    return names.get(name) ?? [];
  };
}

function parseHosts(text: string): Map<string, readonly string[]> {
  const names = new Map<string, string[]>();
  for (const line of text.split('\n')) {
    const [ip = '', ...aliases] = line.replace(/#.*/, '').trim().split(/\s+/);
    if (isIP(ip) === 0) continue;
    for (const alias of aliases) {
      const name = alias.toLowerCase();
      names.set(name, [...(names.get(name) ?? []), ip]);
    }
  }
  return names;
}
