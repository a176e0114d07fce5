import { HISTORY_RANGES, sumOfCounts } from '@mailhook/core';
import type { AccountRow } from '@mailhook/core';
import type { Redis } from '@mailhook/platform/redis';
import { bodyHours, HOURS, readHistory } from '@mailhook/delivery';
import type { EngineKeys, Installation } from '@mailhook/delivery';
import { readAccountSums } from '@mailhook/delivery/mailbox';
import { scanSums } from './undelivered.ts';

/** What an account keeps in Redis, and its deliveries of the last 24 hours. */
export interface AccountUsage extends Omit<AccountRow, 'id' | 'name' | 'share'> {
  readonly account: string;
}

export interface AccountUsages {
  read(account: string): Promise<AccountUsage>;
  /** The memory of the bodies of delivered requests, in bytes. */
  readKeptBodies(account: string): Promise<number>;
  /**
   * The accounts with the most events and those with the most bytes, up to `most` of each. Among more than 10,000
   * accounts with undelivered events, one with less than 1 MB may be missing.
   */
  heaviest(most: number): Promise<AccountUsage[]>;
}

/** Of each list of bodies, from which Redis estimates its size. */
const SAMPLES = 5;

/** All methods reject while Redis is away. */
export function createAccountUsages(installation: Installation): AccountUsages {
  const { redis } = installation;
  const read = async (account: string): Promise<AccountUsage> => {
    const keys = installation.keysOf(account, 'campaign');
    const cells = HISTORY_RANGES['24h'].bars;
    const [sums, deadLetters, history] = await Promise.all([
      readAccountSums(redis, keys, account),
      redis.zcard(keys.deadLettersOf(account)),
      readHistory(redis, keys, account, { series: HOURS, cells, nowMs: Date.now() }),
    ]);
    const { events, bytes, queuedEvents, queuedBytes } = sums;
    const { events: delivered, failed } = sumOfCounts([...history.values()].flat());
    return {
      account,
      events: events + queuedEvents,
      bytes: bytes + queuedBytes,
      deadLetters,
      delivered,
      failed,
    };
  };
  return {
    read,
    async readKeptBodies(account) {
      const keys = installation.keysOf(account, 'campaign');
      const lists = bodyHours(Date.now()).map((hour) => keys.bodies(account, hour));
      const sizes = await Promise.all(lists.map((key) => redis.memory('USAGE', key, 'SAMPLES', SAMPLES)));
      return sizes.reduce<number>((sum, bytes) => sum + (bytes ?? 0), 0);
    },
    async heaviest(most) {
      const found = await Promise.all(
        installation
          .allKeys(['campaign'])
          .flatMap((keys) => [mostEvents(redis, keys, most), redis.zrevrange(keys.heavy, 0, most - 1)]),
      );
      const usages = await Promise.all([...new Set(found.flat())].map(read));
      const top = (by: 'events' | 'bytes') => [...usages].sort((a, b) => b[by] - a[by]).slice(0, most);
      return [...new Set([...top('events'), ...top('bytes')])];
    },
  };
}

async function mostEvents(redis: Redis, keys: EngineKeys, most: number): Promise<string[]> {
  const { events } = await scanSums(redis, keys);
  return [...events]
    .sort(([, a], [, b]) => b - a)
    .slice(0, most)
    .map(([account]) => account);
}
