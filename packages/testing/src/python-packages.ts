import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder } from './cache-folder.ts';

const run = promisify(execFile);

/**
 * Installs the packages of a requirements file with pip, and keeps them in the repository's `.cache`.
 *
 * @returns the folder of the packages, for `PYTHONPATH`.
 * @throws Error if python3 or pip is missing, or if a package cannot be fetched.
 */
export async function pythonPackages(requirements: string): Promise<string> {
  const { stdout: version } = await run('python3', ['--version']);
  const content = createHash('sha256').update(version).update(readFileSync(requirements)).digest('hex').slice(0, 16);
  const target = path.join(cacheFolder(), `python-${content}`);
  if (existsSync(target)) return target;
  await mkdir(cacheFolder(), { recursive: true });
  const work = await mkdtemp(`${target}-`);
  const quiet = ['--quiet', '--disable-pip-version-check', '--no-compile', '--only-binary', ':all:'];
  try {
    await run('python3', ['-m', 'pip', 'install', ...quiet, '--target', work, '--requirement', requirements]);
    await rename(work, target).catch((error: unknown) => {
      // Another process may have installed the same packages meanwhile.
      if (!existsSync(target)) throw error;
    });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  return target;
}
