import { RateLimiterMemory, RateLimiterRedis } from 'rate-limiter-flexible';
import type { Redis } from '@mailhook/platform/redis';

interface WindowCounterOptions {
  readonly redis: Redis;
  /** Prefix of the keys, without the colon at its end. */
  readonly prefix: string;
  readonly windowS: number;
  /** Whether to count in memory while Redis is down, instead of rejecting. */
  readonly countsWithoutRedis?: boolean;
}

/**
 * Shortens a window that is too long. After a step back of Redis's clock, it would last for as long as the step. The
 * script of the library does not.
 */
const INCREMENT = `
redis.call('SET', KEYS[1], 0, 'EX', ARGV[2], 'NX')
local count = redis.call('INCRBY', KEYS[1], ARGV[1])
local left = redis.call('PTTL', KEYS[1])
if left > 1000 * ARGV[2] then
  redis.call('EXPIRE', KEYS[1], ARGV[2])
  left = 1000 * ARGV[2]
end
return {count, left}`;

/**
 * Counts by key in fixed windows, in Redis, so that all replicas share the counts. `penalty(key)` adds one, and returns
 * the count as `consumedPoints`.
 */
export function createWindowCounter({ redis, prefix, windowS, countsWithoutRedis = false }: WindowCounterOptions) {
  const options = { keyPrefix: prefix, points: 0, duration: windowS };
  return new RateLimiterRedis({
    ...options,
    storeClient: redis,
    customIncrTtlLuaScript: INCREMENT,
    ...(countsWithoutRedis ? { insuranceLimiter: new RateLimiterMemory(options) } : {}),
  });
}
