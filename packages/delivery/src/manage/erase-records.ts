import type { Installation } from '../mailbox/installation.ts';
import { bodyHours } from '../record/kept-body.ts';
import { HISTORY_KEPT_S, HOUR_MS } from '../mailbox/history-keys.ts';

/**
 * Deletes an account's attempt logs, kept bodies, history, count of deleted destinations and progress of redriven dead
 * letters. Rejects while Redis is away.
 */
export type EraseRecords = (account: string, nowMs: number) => Promise<void>;

export const createEraseRecords =
  (installation: Installation): EraseRecords =>
  async (account, nowMs) => {
    const keys = installation.keysOf(account, 'campaign');
    const hour = Math.floor(nowMs / HOUR_MS);
    const hours = Array.from({ length: (HISTORY_KEPT_S * 1000) / HOUR_MS + 1 }, (_, i) => hour - i);
    await installation.redis.unlink(
      keys.attempts(account, 'delivered'),
      keys.attempts(account, 'failed'),
      keys.deletedOf(account),
      keys.redriven(account),
      ...hours.map((one) => keys.history(account, one)),
      ...bodyHours(nowMs).map((one) => keys.bodies(account, one)),
    );
  };
