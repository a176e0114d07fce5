import { chunkPriority, mechanism } from '@mailhook/core';
import { every } from '@mailhook/platform/timers';
import type { Redis } from '@mailhook/platform/redis';
import { memoryLeftBytes } from '@mailhook/platform/redis';
import { chunkQueueKeys } from '../mailbox/keys.ts';
import type { EngineKeys } from '../mailbox/keys.ts';
import { readHeavyAccounts } from '../mailbox/accounts.ts';
import { readSums } from '../mailbox/sums.ts';
import type { AccountSums } from '../mailbox/sums.ts';
import type { Installation } from '../mailbox/installation.ts';
import type { AccountShare, PublishCommands } from '../mailbox/commands/publish.ts';
import { createPublishCommands } from '../mailbox/commands/publish.ts';
import { PublishedBytes } from './published-bytes.ts';

export interface WaitingLimits {
  /** `WAITING_MAX_EVENTS`, per account. */
  readonly waitingMaxEvents: number;
  /** `WAITING_MAX_BYTES`, per account. */
  readonly waitingMaxBytes: number;
}

export interface OverfullAccounts {
  has(account: string): boolean;
  /** The accounts for which `has` is true, of those with more than 1 MB or too many events. */
  list(): readonly string[];
  /**
   * Whether free memory is less than what this process has published lately. Then no account may add events, not even
   * one that holds none.
   */
  isMemoryShort(): boolean;
  /** Counts the events of a chunk of this shard: as published lately, and in Redis as queued if its job is counted. */
  count(shard: number, shares: readonly AccountShare[], isCounted: boolean): Promise<void>;
  /**
   * Priority of a request's chunk in this shard, by the queued bytes of the account that has the most of them then (see
   * `chunkPriority`). 0 is none.
   */
  priorityOf(shard: number, bytes: ReadonlyMap<string, number>): number;
  close(): void;
}

const POLL_MS = 500;
/** While nobody publishes, only every fifth poll reads. */
const QUIET_AFTER_MS = 5000;
const QUIET_POLLS = 5;
const SCAN_COUNT = 1000;
/** With more waiting chunk jobs, or one with a priority, a shard is backed up. */
const BACKED_UP_JOBS = 20;
/** Most accounts read per list, those with the most bytes. */
const HEAVY_MAX = 1000;

/**
 * Finds the accounts with too many events (queued or waiting) or too many bytes (queued, waiting, in resends or in dead
 * letters). An account may hold `WAITING_MAX_BYTES`, but never more than the free memory of Redis, so that a few
 * accounts cannot fill Redis for all others.
 *
 * The functions in Redis count. Bytes that this process publishes count immediately, everything else about half a
 * second later, and for the first request after a quiet time up to 2.5 s later. While Redis is away, the last result
 * stays.
 */
export async function watchOverfullAccounts(
  installation: Installation,
  limits: WaitingLimits,
): Promise<OverfullAccounts> {
  const { redis } = installation;
  const shards = installation.allKeys(['campaign']).map((keys): Shard => ({
    keys,
    commands: createPublishCommands(redis, keys),
    knowsLimit: false,
    isBackedUp: false,
  }));
  let reading: Reading = { overfull: new Set(), heavy: new Map(), freeBytes: Number.POSITIVE_INFINITY, clockMs: 0 };
  let isReading = false;
  const published = new PublishedBytes();

  const refresh = async (): Promise<void> => {
    // A reading can take longer than the interval.
    if (isReading) return;
    isReading = true;
    published.startReading();
    try {
      reading = await readAccounts(redis, limits, shards);
      published.endReading();
    } catch {
      // Redis is away. The next poll tries again.
    }
    isReading = false;
  };
  await refresh();
  let usedAtMs = performance.now();
  let polls = 0;
  const polling = every(POLL_MS, async () => {
    polls += 1;
    if (performance.now() - usedAtMs < QUIET_AFTER_MS || polls % QUIET_POLLS === 0) await refresh();
  });
  const use = (): void => {
    const isQuiet = performance.now() - usedAtMs >= QUIET_AFTER_MS;
    usedAtMs = performance.now();
    if (isQuiet) void refresh();
  };
  const has = (account: string): boolean => {
    if (reading.overfull.has(account)) return true;
    const { bytes = 0, queuedBytes = 0 } = reading.heavy.get(account) ?? {};
    const all = bytes + queuedBytes + published.of(account);
    return all > 0 && all > Math.min(limits.waitingMaxBytes, reading.freeBytes - published.total);
  };
  return {
    has: (account) => {
      use();
      return has(account);
    },
    list: () => [...new Set([...reading.overfull, ...reading.heavy.keys()])].filter(has),
    isMemoryShort: () => reading.freeBytes <= published.total,
    async count(shard, shares, isCounted) {
      for (const { account, bytes } of shares) published.add(account, bytes);
      if (isCounted) await shards[shard]?.commands.queued(shares);
    },
    priorityOf(shard, bytes) {
      let most = 0;
      for (const [account, more] of bytes)
        most = Math.max(most, (reading.heavy.get(account)?.queuedBytes ?? 0) + published.of(account) + more);
      return chunkPriority(most, performance.now() + reading.clockMs, shards[shard]?.isBackedUp === true);
    },
    close: () => void polling.close(),
  };
}

interface Shard {
  readonly keys: EngineKeys;
  readonly commands: Pick<PublishCommands, 'queued'>;
  knowsLimit: boolean;
  /** Whether its workers do not keep up with its chunks. */
  isBackedUp: boolean;
}

/** The newest result of a poll. */
interface Reading {
  /** Accounts with too many events. */
  readonly overfull: ReadonlySet<string>;
  /** The accounts with the most bytes, of those with more than 1 MB. */
  readonly heavy: ReadonlyMap<string, AccountSums>;
  /** The memory of Redis that is left before intake refuses everything. */
  readonly freeBytes: number;
  /** How far the time of Redis, the same for all publishers, is ahead of `performance.now()`. */
  readonly clockMs: number;
}

/** Reads all shards, and updates what is known of their queues. Rejects while Redis is away. */
async function readAccounts(redis: Redis, limits: WaitingLimits, shards: readonly Shard[]): Promise<Reading> {
  const readShard = async (shard: Shard): Promise<string[]> => {
    if (!shard.knowsLimit) await writeLimit(redis, limits, shard.keys);
    shard.knowsLimit = true;
    const [isNowBackedUp, overfull] = await Promise.all([
      isBackedUp(redis, shard.keys),
      redis.smembers(shard.keys.overfull),
    ]);
    shard.isBackedUp = isNowBackedUp;
    return overfull;
  };
  const readClock = async (): Promise<number> => Number((await redis.time())[0]) * 1000 - performance.now();
  const [overfull, freeBytes, clockMs, heavy] = await Promise.all([
    Promise.all(shards.map(readShard)),
    memoryLeftBytes(redis),
    readClock(),
    Promise.all(shards.map(({ keys }) => readHeavyAccounts(redis, keys, HEAVY_MAX))),
  ]);
  return { overfull: new Set(overfull.flat()), heavy: new Map(heavy.flat()), freeBytes, clockMs };
}

async function isBackedUp(redis: Redis, { queuePrefix }: EngineKeys): Promise<boolean> {
  const queues = mechanism.options.map((kind) => chunkQueueKeys({ queuePrefix, kind }));
  const [unordered, prioritized] = await Promise.all([
    Promise.all(queues.map(({ waiting }) => redis.llen(waiting))),
    Promise.all(queues.map((queue) => redis.zcard(queue.prioritized))),
  ]);
  return prioritized.some((count) => count > 0) || unordered.some((count) => count > BACKED_UP_JOBS);
}

/** Writes the limit of events and compares every account that holds events with it again, a page at a time. */
async function writeLimit(redis: Redis, { waitingMaxEvents }: WaitingLimits, keys: EngineKeys): Promise<void> {
  await redis.set(keys.waitingMax, waitingMaxEvents);
  let cursor = '0';
  do {
    const [next, pairs] = await redis.hscanBuffer(keys.sums, cursor, 'COUNT', SCAN_COUNT);
    cursor = String(next);
    const [over, others]: [string[], string[]] = [[], []];
    for (let i = 0; i < pairs.length; i += 2) {
      const { events, queuedEvents } = readSums(pairs[i + 1]);
      (events + queuedEvents > waitingMaxEvents ? over : others).push(String(pairs[i]));
    }
    if (over.length > 0) await redis.sadd(keys.overfull, ...over);
    if (others.length > 0) await redis.srem(keys.overfull, ...others);
  } while (cursor !== '0');
}
