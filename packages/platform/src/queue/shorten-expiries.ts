import type { Worker } from 'bullmq';
import type { Redis } from '../redis/index.ts';

/**
 * KEYS: the mark of the last check for stalled jobs, the list of active jobs. ARGV: the maximum expiry of the mark,
 * that of a lock, the prefix of jobs.
 */
const SHORTEN = `
local function shorten(key, mostMs)
  if redis.call('PTTL', key) > mostMs then redis.call('PEXPIRE', key, mostMs) end
end
shorten(KEYS[1], tonumber(ARGV[1]))
for _, id in ipairs(redis.call('LRANGE', KEYS[2], 0, 999)) do shorten(ARGV[3] .. id .. ':lock', tonumber(ARGV[2])) end`;

const EVERY_MS = 2000;

/**
 * Repeatedly shortens expiries that are longer than BullMQ sets them. If the clock of Redis goes back, the locks of
 * dead workers and the mark of the last check for stalled jobs would otherwise last longer by the same amount. No
 * worker would run the dead workers' jobs meanwhile.
 */
export function shortenExpiries(redis: Redis, worker: Worker): { close(): void } {
  const { stalledInterval = 30_000, lockDuration = 30_000 } = worker.opts;
  const keys = [worker.toKey('stalled-check'), worker.toKey('active')];
  let isAsking = false;
  const shorten = async (): Promise<void> => {
    if (isAsking) return;
    isAsking = true;
    // A failed call needs no report: the next call repeats it, and connections report their errors.
    await redis
      .eval(SHORTEN, keys.length, ...keys, stalledInterval, lockDuration, worker.toKey(''))
      .catch(() => undefined);
    isAsking = false;
  };
  const timer = setInterval(() => void shorten(), EVERY_MS);
  return { close: () => clearInterval(timer) };
}
