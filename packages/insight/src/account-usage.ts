import { HISTORY_RANGES, sumOfCounts } from '@mailhook/core';
import type { AccountRow } from '@mailhook/core';
import type { Redis } from '@mailhook/platform/redis';
import { bodyHours, HOURS, readHistory } from '@mailhook/delivery';
import type { EngineKeys, Installation } from '@mailhook/delivery';
import { LONG_FIELD, readAccountSums, readSums } from '@mailhook/delivery/mailbox';

/** What an account keeps in Redis, and its deliveries of the last 24 hours. */
export interface AccountUsage extends Omit<AccountRow, 'id' | 'name' | 'share'> {
  readonly account: string;
}

export interface AccountUsages {
  read(account: string): Promise<AccountUsage>;
  /** The memory of the bodies of delivered requests, in bytes. */
  readKeptBodies(account: string): Promise<number>;
  /** The accounts with the most events and those with the most bytes, up to `most` of each. */
  heaviest(most: number): Promise<AccountUsage[]>;
}

const SCAN_COUNT = 1000;
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

/** Scans all accounts with undelivered events, but remembers only those with the most. */
async function mostEvents(redis: Redis, { sums }: EngineKeys, most: number): Promise<string[]> {
  let top: (readonly [account: string, events: number])[] = [];
  let cursor = '0';
  do {
    const [next, pairs] = await redis.hscanBuffer(sums, cursor, 'COUNT', SCAN_COUNT);
    cursor = String(next);
    const page = pairs.flatMap((account, i) =>
      i % 2 === 0 && String(account) !== LONG_FIELD ? [[String(account), readSums(pairs[i + 1]).events] as const] : [],
    );
    top = [...top, ...page].sort((a, b) => b[1] - a[1]).slice(0, most);
  } while (cursor !== '0');
  // A scan may return an account twice.
  return [...new Set(top.map(([account]) => account))];
}
