import { randomUUID } from 'node:crypto';
import { QueueUnavailableError } from '@mailhook/delivery';
import type { Redis } from '@mailhook/platform/redis';

/** A customer may deactivate a destination while Redis is at its memory limit. */
const NOTE = `#!lua flags=allow-oom
return redis.call('ZADD', KEYS[1], redis.call('TIME')[1], ARGV[1])`;

/** Also finds what was noted before the clock of Redis stepped back. */
const FIND = `#!lua flags=no-writes
local now = redis.call('TIME')[1]
local found = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[1])
for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '(' .. now, '+inf')) do found[#found + 1] = id end
return found`;

/** A change that takes longer has failed, or its api has ended. */
const LONGEST_S = 10;

/**
 * The changes of accounts that have begun. A change goes to the store and then to Redis. If its process ends between
 * the two, its note stays, so that another replica finds it.
 */
export interface UnfinishedChanges {
  /** Resolves with the function that removes the note. Rejects with QueueUnavailableError, and then notes nothing. */
  note(): Promise<() => Promise<void>>;
  /** The notes of changes that have failed, or whose api has ended. */
  find(): Promise<readonly string[]>;
  forget(notes: readonly string[]): Promise<void>;
}

export function createUnfinishedChanges(redis: Redis, prefix: string): UnfinishedChanges {
  const key = `${prefix}:unfinished-changes`;
  const forget = async (notes: readonly string[]): Promise<void> => {
    if (notes.length > 0) await redis.zrem(key, ...notes);
  };
  return {
    async note() {
      const id = randomUUID();
      try {
        await redis.eval(NOTE, 1, key, id);
      } catch (error) {
        throw new QueueUnavailableError('Redis cannot be reached, so nothing was changed; send the request again', {
          cause: error,
        });
      }
      // A note that stays costs one more comparison.
      return () => forget([id]).catch(() => undefined);
    },
    find: async () => (await redis.eval(FIND, 1, key, LONGEST_S)) as string[],
    forget,
  };
}
