import type { AccountRow } from '@mailhook/core';
import type { Redis } from '@mailhook/platform/redis';
import type { EngineKeys, Installation } from '@mailhook/delivery';
import { historyFields, LONG_FIELD, readAccountSums, readSums } from '@mailhook/delivery/mailbox';
import { readHistoryHours } from './delivery-history.ts';

/** What an account keeps in Redis, and its deliveries of the last 24 hours. */
export interface AccountUsage extends Omit<AccountRow, 'id' | 'name' | 'share'> {
  readonly account: string;
}

export interface AccountUsages {
  read(account: string): Promise<AccountUsage>;
  /** The accounts with the most events and those with the most bytes, up to `most` of each. */
  heaviest(most: number): Promise<AccountUsage[]>;
}

const SCAN_COUNT = 1000;
/** The ends of the fields of all destinations. */
const SUFFIXES = historyFields('');

/** All methods reject while Redis is away. */
export function createAccountUsages(installation: Installation): AccountUsages {
  const { redis } = installation;
  const read = async (account: string): Promise<AccountUsage> => {
    const keys = installation.keysOf(account, 'campaign');
    const [sums, deadLetters, hours] = await Promise.all([
      readAccountSums(redis, keys, account),
      redis.zcard(keys.deadLettersOf(account)),
      readHistoryHours(installation, account, Date.now()),
    ]);
    const { events, bytes, queuedEvents, queuedBytes } = sums;
    const total = (suffix: string): number =>
      hours
        .flatMap(({ counts }) => Object.entries(counts))
        .reduce((sum, [field, events]) => sum + (field.endsWith(suffix) ? Number(events) : 0), 0);
    return {
      account,
      events: events + queuedEvents,
      bytes: bytes + queuedBytes,
      deadLetters,
      delivered: total(SUFFIXES.events),
      failed: total(SUFFIXES.failed),
    };
  };
  return {
    read,
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
