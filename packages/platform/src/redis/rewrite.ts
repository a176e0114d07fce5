import type { Logger } from '../logger/index.ts';
import { onEveryMaster } from './connect.ts';
import type { Redis } from './connect.ts';
import { parseInfo } from './settings.ts';

/**
 * Has Redis rewrite its append-only file once after each of its starts: now, and whenever this client has connected
 * again. The file may end inside a function's MULTI, and Redis loads it by cutting inside the block. Until a rewrite,
 * the next load runs half of the function (docs/decisions/0090). Logs a warning where Redis refuses, and never rejects.
 */
export async function rewriteAfterEachStart(redis: Redis, logger: Logger): Promise<void> {
  // While Redis is away, there is nothing to do before the next connection.
  const check = () => onEveryMaster(redis, (node) => rewriteOnce(node, logger)).catch(() => undefined);
  // A cluster's client stays ready while one of its nodes comes back.
  for (const event of ['ready', '+node']) redis.on(event, () => void check());
  await check();
}

/** Redis counts its rewrites since its start, so no state of Mailhook's is needed. */
async function rewriteOnce(node: Redis, logger: Logger): Promise<void> {
  const info = parseInfo(await node.info('persistence'));
  if (info.get('aof_enabled') !== '1' || info.get('aof_rewrites') !== '0') return;
  try {
    await node.bgrewriteaof();
    logger.info('Redis has started, and rewrites its append-only file');
  } catch (error) {
    const { message } = error as Error;
    // Another process was faster.
    if (message.includes('already in progress')) return;
    logger.warn(NOT_REWRITTEN, { error: message });
  }
}

const NOT_REWRITTEN =
  'Redis refuses to rewrite its append-only file after its start: if its machine lost power before, its next restart ' +
  'may lose accepted events. Run BGREWRITEAOF after each start of Redis, or give the user of REDIS_URL ' +
  '+bgrewriteaof (docs/deployment.md).';
