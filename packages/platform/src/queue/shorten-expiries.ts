import type { Worker } from 'bullmq';
import type { Redis } from '../redis/index.ts';

/** KEYS: the mark of the last check for stalled jobs, the list of active jobs. ARGV: longest life of the mark, longest life of a lock, prefix of jobs. */
const SHORTEN = `
local function shorten(key, mostMs)
  if redis.call('PTTL', key) > mostMs then redis.call('PEXPIRE', key, mostMs) end
end
shorten(KEYS[1], tonumber(ARGV[1]))
for _, id in ipairs(redis.call('LRANGE', KEYS[2], 0, 999)) do shorten(ARGV[3] .. id .. ':lock', tonumber(ARGV[2])) end`;

const EVERY_MS = 2000;

/**
 * Shortens what lasts longer than BullMQ ever sets it, over and over. When Redis's clock steps back, the locks of dead workers and the mark of the last
 * check would otherwise stay for as long as the step. Nobody would run the dead workers' jobs meanwhile.
 */
export function shortenExpiries(redis: Redis, worker: Worker): { close(): void } {
  const { stalledInterval = 30_000, lockDuration = 30_000 } = worker.opts;
  const keys = [worker.toKey('stalled-check'), worker.toKey('active')];
  let isAsking = false;
  const shorten = async (): Promise<void> => {
    if (isAsking) return;
    isAsking = true;
    // The next call makes up for a failed one, and connections report their errors.
    await redis
      .eval(SHORTEN, keys.length, ...keys, stalledInterval, lockDuration, worker.toKey(''))
      .catch(() => undefined);
    isAsking = false;
  };
  const timer = setInterval(() => void shorten(), EVERY_MS);
  return { close: () => clearInterval(timer) };
}
