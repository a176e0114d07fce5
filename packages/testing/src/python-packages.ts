import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { cachedFolder } from './cache-folder.ts';

const run = promisify(execFile);

/**
 * Installs the packages of a requirements file with pip, and keeps them in the repository's `.cache`.
 *
 * @returns the folder of the packages, for `PYTHONPATH`.
 * @throws Error if python3 or pip is missing, or if a package cannot be fetched.
 */
export async function pythonPackages(requirements: string): Promise<string> {
  const { stdout: version } = await run('python3', ['--version']);
  const quiet = ['--quiet', '--disable-pip-version-check', '--no-compile', '--only-binary', ':all:'];
  return cachedFolder('python', [version, readFileSync(requirements)], (folder) =>
    run('python3', ['-m', 'pip', 'install', ...quiet, '--target', folder, '--requirement', requirements]),
  );
}
