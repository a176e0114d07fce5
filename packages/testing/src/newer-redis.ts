import { execFileSync } from 'node:child_process';

/** The first version whose `WAITAOF` waits for its disk with `everysec` too. The services refuse early ones of 7.4. */
const NEEDED = 8;

/**
 * The command of a server with `WAITAOF`: Redis 8 or newer, or Valkey 8, on the PATH. `NEWER_REDIS` names another one.
 * Undefined if there is none.
 */
export function findNewerRedis(): string | undefined {
  const named = process.env['NEWER_REDIS'];
  return [...(named === undefined ? [] : [named]), 'redis-server', 'valkey-server'].find(hasWaitaof);
}

function hasWaitaof(command: string): boolean {
  try {
    const text = execFileSync(command, ['--version'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    return Number(/v=(\d+)\./.exec(text)?.[1] ?? 0) >= NEEDED;
  } catch {
    return false;
  }
}

/** Why no test can wait for Redis's disk here. Undefined if it can. For `unlessImpossible`. */
export const noNewerRedis = (): string | undefined =>
  findNewerRedis() === undefined
    ? 'neither Redis 8 nor Valkey 8 is here: NEWER_REDIS may name a server, such as that of valkey-server in ' +
      "Debian's backports"
    : undefined;
