import { shardOf } from '@mailhook/core';
import type { Redis } from '@mailhook/platform/redis';
import { engineKeys } from '../mailbox/keys.ts';
import { HISTORY_KEPT_S, HOUR_MS } from '../record/history-keys.ts';

/**
 * Deletes an account's attempt logs, history, count of deleted destinations and progress of redriven dead letters.
 * Rejects while Redis is away.
 */
export type EraseRecords = (account: string, nowMs: number) => Promise<void>;

export const createEraseRecords =
  (options: { readonly redis: Redis; readonly queuePrefix: string; readonly shards: number }): EraseRecords =>
  async (account, nowMs) => {
    const keys = engineKeys(options.queuePrefix, shardOf(account, options.shards), 'campaign');
    const hour = Math.floor(nowMs / HOUR_MS);
    const hours = Array.from({ length: (HISTORY_KEPT_S * 1000) / HOUR_MS + 1 }, (_, i) => hour - i);
    await options.redis.unlink(
      keys.attempts(account, 'delivered'),
      keys.attempts(account, 'failed'),
      keys.deletedOf(account),
      keys.redriven(account),
      ...hours.map((one) => keys.history(account, one)),
    );
  };
