import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { findCommand } from '../stack/redis-server.ts';

const run = promisify(execFile);
/** Relative to the repository's root, where npm runs scripts and tests. */
const CACHE = path.resolve('.cache');

/**
 * Returns the path of a Prometheus program: from the PATH, or else from Debian's package, unpacked into the
 * repository's `.cache`. Installs nothing and starts no daemon.
 *
 * @throws Error that says what to install, if neither works.
 */
export async function findPrometheusProgram(name: 'prometheus' | 'promtool'): Promise<string> {
  const cached = path.join(CACHE, name);
  const found = findCommand(name) ?? (existsSync(cached) ? cached : undefined);
  if (found !== undefined) return found;
  try {
    await unpackPackage(name, cached);
    return cached;
  } catch (error) {
    throw new Error(`no ${name}: put it on the PATH (it comes with Prometheus), or run this on Debian or Ubuntu`, {
      cause: error,
    });
  }
}

async function unpackPackage(name: string, target: string): Promise<void> {
  await mkdir(CACHE, { recursive: true });
  const work = await mkdtemp(path.join(CACHE, `${name}-`));
  try {
    await download(work);
    const [file = ''] = (await readdir(work)).filter((entry) => entry.endsWith('.deb'));
    await run('dpkg', ['-x', path.join(work, file), path.join(work, 'package')]);
    // Renames the file in one step, because another process may be doing the same.
    await rename(path.join(work, 'package/usr/bin', name), target);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/**
 * Downloads the package. On a machine without package lists, as in fresh images, it fetches them first, which needs
 * root.
 */
async function download(cwd: string): Promise<void> {
  const fetchPackage = (): Promise<unknown> => run('apt-get', ['download', '-qq', 'prometheus'], { cwd });
  try {
    await fetchPackage();
  } catch {
    await run('apt-get', ['update', '-qq']);
    await fetchPackage();
  }
}
