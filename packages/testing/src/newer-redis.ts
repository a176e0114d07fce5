import { execFileSync } from 'node:child_process';

/** The first version that can wait for its disk (`WAITAOF`). */
const NEEDED = [7, 2] as const;

/**
 * The command of a server with `WAITAOF`: Redis 7.2 or newer, or Valkey, on the PATH. `NEWER_REDIS` names another one.
 * Undefined if there is none.
 */
export function findNewerRedis(): string | undefined {
  const named = process.env['NEWER_REDIS'];
  return [...(named === undefined ? [] : [named]), 'redis-server', 'valkey-server'].find(hasWaitaof);
}

function hasWaitaof(command: string): boolean {
  try {
    const text = execFileSync(command, ['--version'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    const [, major = 0, minor = 0] = /v=(\d+)\.(\d+)/.exec(text) ?? [];
    return Number(major) > NEEDED[0] || (Number(major) === NEEDED[0] && Number(minor) >= NEEDED[1]);
  } catch {
    return false;
  }
}

/** Why no test can wait for Redis's disk here. Undefined if it can. For `unlessImpossible`. */
export const noNewerRedis = (): string | undefined =>
  findNewerRedis() === undefined
    ? 'neither Redis 7.2 nor Valkey is here: NEWER_REDIS may name a server, such as that of valkey-server in ' +
      "Debian's backports"
    : undefined;
