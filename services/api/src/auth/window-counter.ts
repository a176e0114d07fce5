import type { Redis } from '@mailhook/platform/redis';

/** Counts by key in fixed windows, in Redis, so that all replicas share the counts. Rejects while Redis is down. */
export interface WindowCounter {
  /** Adds one, and resolves with the new count of the current window. */
  increment(key: string): Promise<WindowCount>;
  read(key: string): Promise<WindowCount>;
}

export interface WindowCount {
  readonly count: number;
  /** Until the window ends. */
  readonly leftMs: number;
}

interface WindowCounterOptions {
  readonly redis: Redis;
  /** Prefix of the keys. */
  readonly prefix: string;
  readonly windowMs: number;
}

/** Shortens a window that is too long. After a step back of Redis's clock, it would last for as long as the step. */
const SHORTEN = `
local left = redis.call('PTTL', KEYS[1])
if left > tonumber(ARGV[1]) then
  redis.call('PEXPIRE', KEYS[1], ARGV[1])
  left = tonumber(ARGV[1])
end`;

const INCREMENT = `
local count = redis.call('INCR', KEYS[1])
if count == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end${SHORTEN}
return {count, left}`;

const READ = `${SHORTEN}
return {tonumber(redis.call('GET', KEYS[1]) or '0'), left}`;

export function createWindowCounter({ redis, prefix, windowMs }: WindowCounterOptions): WindowCounter {
  const run = async (script: string, key: string): Promise<WindowCount> => {
    const [count, leftMs] = (await redis.eval(script, 1, prefix + key, windowMs)) as [number, number];
    return { count, leftMs: Math.max(0, leftMs) };
  };
  return { increment: (key) => run(INCREMENT, key), read: (key) => run(READ, key) };
}
