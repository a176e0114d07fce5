import { existsSync } from 'node:fs';
import path from 'node:path';

/** The folder `.cache` of the repository, for what tests download. It may not exist yet. */
export function cacheFolder(): string {
  for (let dir = process.cwd(); dir !== path.dirname(dir); dir = path.dirname(dir)) {
    if (existsSync(path.join(dir, 'package-lock.json'))) return path.join(dir, '.cache');
  }
  return path.resolve('.cache');
}
