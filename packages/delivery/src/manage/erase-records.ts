import type { Installation } from '../mailbox/installation.ts';
import { bodyHours } from '../record/kept-body.ts';
import { blocksOf, SERIES } from '../record/history-keys.ts';

/**
 * Deletes an account's attempt logs, kept bodies, history, count of deleted destinations and progress of redriven dead
 * letters. Rejects while Redis is away.
 */
export type EraseRecords = (account: string, nowMs: number) => Promise<void>;

export const createEraseRecords =
  (installation: Installation): EraseRecords =>
  async (account, nowMs) => {
    const keys = installation.keysOf(account, 'campaign');
    await installation.redis.unlink(
      keys.attempts(account, 'delivered'),
      keys.attempts(account, 'packed'),
      keys.attempts(account, 'failed'),
      keys.deletedOf(account),
      keys.redriven(account),
      ...SERIES.flatMap((series) => blocksOf(series, nowMs)).map((block) => keys.history(account, block)),
      ...bodyHours(nowMs).map((one) => keys.bodies(account, one)),
    );
  };
