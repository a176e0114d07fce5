import type { Redis } from '@mailhook/platform/redis';
import { createMailboxCommands } from './commands/engine.ts';
import type { EngineKeys } from './keys.ts';

/** Reads the time of all functions, in Unix milliseconds. */
export function createClock(redis: Redis, keys: EngineKeys): () => Promise<number> {
  const commands = createMailboxCommands(redis, keys);
  return () => commands.nowMs();
}
