import type { Redis } from '@mailhook/platform/redis';
import type { EngineKeys } from '../keys.ts';
import { createMailboxCommands } from './engine.ts';
import { createDeadLetterCommands, createDestinationCommands, createEraseCommands } from './manage.ts';
import { createPublishCommands } from './publish.ts';

export type AllCommands = ReturnType<typeof allCommands>;

/** The commands of the engine, of publishers, and of operators and customers, for tests that play all of them. */
export const allCommands = (redis: Redis, keys: EngineKeys) => ({
  ...createMailboxCommands(redis, keys),
  ...createPublishCommands(redis, keys),
  ...createDestinationCommands(redis, keys),
  ...createDeadLetterCommands(redis, keys),
  ...createEraseCommands(redis, keys),
});
