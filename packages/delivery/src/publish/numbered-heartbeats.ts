import { randomUUID } from 'node:crypto';
import type { Logger } from '@mailhook/platform/logger';
import { createPublishCommands } from '../mailbox/commands/publish.ts';
import type { Heartbeat } from '../mailbox/heartbeat.ts';
import { logLostWrites } from '../mailbox/heartbeat.ts';
import type { Installation } from '../mailbox/installation.ts';

/**
 * Sends a heartbeat to each shard per call, so that this process finds what Redis has lost, also without any worker.
 * Rejects if Redis accepts no writes. Both mechanisms of a shard share a server, so one of them has the numbers.
 */
export function createNumberedHeartbeats(
  installation: Installation,
  everyMs: number,
  logger: Pick<Logger, 'error'>,
): () => Promise<void> {
  const process = `api_${randomUUID()}`;
  const shards = installation.allKeys(['transactional']).map((keys) => {
    const commands = createPublishCommands(installation.redis, keys);
    let last: Heartbeat | undefined;
    return async (): Promise<void> => {
      const { heartbeat, lostWrites } = await commands.numberHeartbeat(process, last, everyMs);
      last = heartbeat;
      if (lostWrites !== undefined) logLostWrites(logger, keys, lostWrites);
    };
  });
  return async () => {
    await Promise.all(shards.map((send) => send()));
  };
}
