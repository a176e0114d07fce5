import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import path from 'node:path';

/** The folder `.cache` of the repository, for what tests download. It may not exist yet. */
export function cacheFolder(): string {
  for (let dir = process.cwd(); dir !== path.dirname(dir); dir = path.dirname(dir)) {
    if (existsSync(path.join(dir, 'package-lock.json'))) return path.join(dir, '.cache');
  }
  return path.resolve('.cache');
}

/**
 * A folder in `.cache` for everything that is made from the same inputs. `fill` makes its content once, in another
 * folder, which then gets the name of this one.
 */
export async function cachedFolder(
  name: string,
  inputs: readonly (string | Buffer)[],
  fill: (folder: string) => Promise<unknown>,
): Promise<string> {
  const hash = createHash('sha256');
  for (const input of inputs) hash.update(input);
  const target = path.join(cacheFolder(), `${name}-${hash.digest('hex').slice(0, 16)}`);
  if (existsSync(target)) return target;
  await mkdir(cacheFolder(), { recursive: true });
  const work = await mkdtemp(`${target}-`);
  try {
    await fill(work);
    await rename(work, target).catch((error: unknown) => {
      // Another process may have made the same content meanwhile.
      if (!existsSync(target)) throw error;
    });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  return target;
}
