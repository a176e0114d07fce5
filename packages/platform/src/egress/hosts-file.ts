import { readFile, stat } from 'node:fs/promises';
import { isIP } from 'node:net';

const CHECK_EVERY_MS = 1000;

/** What the system reports when it lacks something, not the file. */
const SHORTAGES: readonly unknown[] = ['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN'];

/**
 * The addresses that the hosts file gives a name; empty when it does not know it. Changes are seen within a second. Rejects when a changed
 * file cannot be read for want of file descriptors or memory: an answer without it could lead elsewhere.
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
      // No hosts file, no names from it.
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
