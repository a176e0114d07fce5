import { onEveryMaster } from './connect.ts';
import type { Redis } from './connect.ts';
import { parseInfo } from './settings.ts';

/**
 * The run ids of all masters, as one text. It changes when a Redis has read its data anew: after a restart, a restore
 * or a failover. '' if Redis forbids INFO. Rejects while Redis is away.
 */
export async function readRunIds(redis: Redis): Promise<string> {
  const ids = await onEveryMaster(redis, async (node) => {
    const info = await node.info('server').catch((error: unknown) => {
      if (String(error).includes('NOPERM')) return '';
      throw error;
    });
    return parseInfo(info).get('run_id') ?? '';
  });
  return ids.sort().join(' ').trim();
}
