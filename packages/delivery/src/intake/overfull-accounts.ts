import type { Redis } from '@mailhook/platform/redis';
import { engineKeys } from '../keys.ts';

export interface OverfullAccountsOptions {
  readonly redis: Redis;
  readonly queuePrefix: string;
  readonly shards: number;
  /** `WAITING_MAX_EVENTS`, an account. */
  readonly waitingMaxEvents: number;
}

export interface OverfullAccounts {
  has(account: string): boolean;
  close(): void;
}

const POLL_MS = 500;
const SCAN_COUNT = 1000;

/**
 * Knows the accounts that have too much waiting, at most half a second late. The engine's scripts count an account's events and note it
 * when it crosses the limit, which is told to them here. While Redis is away the last answer stands: a write will say so itself.
 */
export async function watchOverfullAccounts(options: OverfullAccountsOptions): Promise<OverfullAccounts> {
  const shards = Array.from({ length: options.shards }, (_, shard) => ({
    shared: engineKeys(options.queuePrefix, shard, 'campaign').shared,
    knowsLimit: false,
  }));
  let accounts: ReadonlySet<string> = new Set();
  const refresh = async (): Promise<void> => {
    try {
      const lists = await Promise.all(
        shards.map(async (shard) => {
          if (!shard.knowsLimit) await tellLimit(options, shard.shared);
          shard.knowsLimit = true;
          return options.redis.smembers(`${shard.shared}overfull`);
        }),
      );
      accounts = new Set(lists.flat());
    } catch {
      // Redis is away: the next poll tries again.
    }
  };
  await refresh();
  const timer = setInterval(() => void refresh(), POLL_MS);
  timer.unref();
  return { has: (account) => accounts.has(account), close: () => clearInterval(timer) };
}

/** Accounts that an earlier limit judged otherwise are judged anew. */
async function tellLimit({ redis, waitingMaxEvents }: OverfullAccountsOptions, shared: string): Promise<void> {
  await redis.set(`${shared}waiting-max`, waitingMaxEvents);
  let cursor = '0';
  do {
    const [next, pairs] = await redis.hscan(`${shared}undelivered`, cursor, 'COUNT', SCAN_COUNT);
    cursor = next;
    for (let i = 0; i < pairs.length; i += 2) {
      const account = pairs[i] ?? '';
      if (Number(pairs[i + 1]) > waitingMaxEvents) await redis.sadd(`${shared}overfull`, account);
      else await redis.srem(`${shared}overfull`, account);
    }
  } while (cursor !== '0');
}
