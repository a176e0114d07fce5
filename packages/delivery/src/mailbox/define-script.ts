import type { Redis } from '@mailhook/platform/redis';

type Command = (...args: (string | number)[]) => Promise<unknown>;

/** A script of any number of keys as a command of this client (EVALSHA, loaded on first use). Rejects with what ioredis rejects with. */
export function defineScript(
  redis: Redis,
  name: string,
  lua: string,
): (keys: readonly string[], args: readonly (string | number)[]) => Promise<unknown> {
  const commands = redis as unknown as Record<string, Command | undefined>;
  if (commands[name] === undefined) redis.defineCommand(name, { lua });
  return (keys, args) => (commands[name] as Command).call(redis, keys.length, ...keys, ...args);
}
