import { execFileSync } from 'node:child_process';

/** The first version of Redis whose `WAITAOF` waits for its disk with `everysec` too. No Valkey's up to 9.1.2 does. */
const NEEDED = 8;

/** The command of Redis 8 or newer on the PATH. `NEWER_REDIS` names another one. Undefined if there is none. */
export function findNewerRedis(): string | undefined {
  const named = process.env['NEWER_REDIS'];
  return [...(named === undefined ? [] : [named]), 'redis-server'].find(hasWaitaof);
}

function hasWaitaof(command: string): boolean {
  try {
    const text = execFileSync(command, ['--version'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    return Number(/^Redis server v=(\d+)\./.exec(text)?.[1] ?? 0) >= NEEDED;
  } catch {
    return false;
  }
}

/** Why no test can wait for Redis's disk here. Undefined if it can. For `unlessImpossible`. */
export const noNewerRedis = (): string | undefined =>
  findNewerRedis() === undefined ? 'no Redis 8 is here: NEWER_REDIS may name one' : undefined;
