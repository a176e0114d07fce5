import { appendFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { Redis } from 'ioredis';
import { startRedis } from './redis.ts';

/** The start of a block that a script writes, up to the middle of its second command. */
const TORN = '*1\r\n$5\r\nMULTI\r\n*3\r\n$5\r\nRPUSH\r\n$4\r\ntorn\r\n$1\r\nx\r\n*4\r\n$4\r\nHSE';

/** The file of a Redis's folder that gets its new commands. */
export function incrementalFile(dir: string): string {
  const folder = path.join(dir, 'appendonlydir');
  const names = readdirSync(folder).filter((name) => name.endsWith('.incr.aof'));
  return path.join(folder, names.sort().at(-1) ?? '');
}

/**
 * Restarts a server after a power loss that tore the block of a script at the end of its file, and once more after
 * `between`. Resolves with whether the second start runs the half of the script that is in the file.
 *
 * @param command the server. Default: `redis-server`.
 */
export async function runsTornHalf(between: (redis: Redis) => Promise<unknown>, command?: string): Promise<boolean> {
  const server = await startRedis({ appendonly: true, appendfsync: 'always', command });
  const redis = new Redis(server.url, { maxRetriesPerRequest: null });
  redis.on('error', () => undefined);
  try {
    await redis.set('before', '1');
    await server.kill();
    appendFileSync(incrementalFile(server.dir), TORN);
    await server.restart();
    if ((await redis.llen('torn')) > 0) throw new Error('the first start runs half of a script');
    await between(redis);
    await server.kill();
    await server.restart();
    return (await redis.llen('torn')) > 0;
  } finally {
    redis.disconnect();
    await server.stop();
  }
}

/** A script, whose block ends the torn one. */
export const runScript = (redis: Redis): Promise<unknown> =>
  redis.eval("redis.call('SET', 'after', 1) redis.call('SET', 'later', 1)", 0);
