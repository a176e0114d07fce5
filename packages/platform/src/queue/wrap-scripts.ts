import type { Redis } from '../redis/index.ts';

/**
 * Runs some lines of Lua before each script that BullMQ defines on this connection. The scripts themselves run
 * unchanged. The connection must be new, because BullMQ defines its scripts on first use.
 */
export function wrapScripts(connection: Redis, before: string): void {
  const define = connection.defineCommand.bind(connection);
  connection.defineCommand = (name, definition) => {
    define(name, { ...definition, lua: before + definition.lua });
  };
}
