import type { Redis } from '@mailhook/platform/redis';
import { maskText } from '@mailhook/platform/logger';
import { readCoded, withoutQuotations } from '@mailhook/core';
import type { EngineKeys, Installation } from '@mailhook/delivery';
import { createClock, readDeadLetters, readListMember } from '@mailhook/delivery/mailbox';

/** The dead letters of one account that were added in a period and are still there. */
export interface AddedDeadLetters {
  readonly account: string;
  readonly deadLetters: number;
  readonly events: number;
  /** The destinations' ids. */
  readonly destinations: ReadonlySet<string>;
  /** Of the newest one, with recipients' addresses masked. */
  readonly error: string;
}

/**
 * The dead letters of one shard by time, for a watcher. Times are Unix milliseconds of the engine's functions. All
 * methods reject while Redis is away.
 */
export interface DeadLetterTimes {
  readonly shard: number;
  readonly nowMs: () => Promise<number>;
  /** The last time of a period from `fromMs` up to `toMs` that holds about `most` dead letters at most. */
  endOf(fromMs: number, toMs: number, most: number): Promise<number>;
  /** Sums the dead letters of a period, both ends included, by account. */
  sum(fromMs: number, toMs: number): Promise<AddedDeadLetters[]>;
}

const READ_AT_ONCE = 1000;

export const createDeadLetterTimes = (installation: Installation): DeadLetterTimes[] =>
  installation.allKeys(['campaign']).map((keys) => timesOf(installation.redis, keys));

function timesOf(redis: Redis, keys: EngineKeys): DeadLetterTimes {
  const nowMs = createClock(redis, keys);
  return {
    shard: keys.shard,
    nowMs,
    async endOf(fromMs, toMs, most) {
      const [, score] = await redis.zrangebyscore(keys.deadLetters, fromMs, toMs, 'WITHSCORES', 'LIMIT', most - 1, 1);
      return score === undefined ? toMs : Number(score);
    },
    async sum(fromMs, toMs) {
      const members = await redis.zrangebyscore(keys.deadLetters, fromMs, toMs);
      const found = new Map<string, AddedDeadLetters>();
      for (let from = 0; from < members.length; from += READ_AT_ONCE)
        for (const one of await readSome(redis, keys, members.slice(from, from + READ_AT_ONCE))) {
          const known = found.get(one.account);
          found.set(one.account, known === undefined ? one : join(known, one));
        }
      return [...found.values()];
    },
  };
}

const join = (a: AddedDeadLetters, b: AddedDeadLetters): AddedDeadLetters => ({
  account: a.account,
  deadLetters: a.deadLetters + b.deadLetters,
  events: a.events + b.events,
  destinations: new Set([...a.destinations, ...b.destinations]),
  error: b.error,
});

/** Reads dead letters, oldest first. */
async function readSome(
  redis: Redis,
  { prefix, shard }: EngineKeys,
  members: readonly string[],
): Promise<AddedDeadLetters[]> {
  const places = members.map((member) => readListMember(member, shard));
  const found = await readDeadLetters(redis, prefix, places);
  return found.map(({ account, events, destination, error }) => ({
    account,
    deadLetters: 1,
    events,
    destinations: new Set([destination]),
    error: maskText(withoutQuotations(String(readCoded(error)))),
  }));
}
