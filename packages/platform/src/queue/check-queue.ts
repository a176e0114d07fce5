import type { Worker } from 'bullmq';
import type { Redis } from '../redis/index.ts';
import { JOB_LOCK, PAUSED_FIELD, queueKeys } from './bull-keys.ts';
import type { QueueKeys } from './bull-keys.ts';

/**
 * KEYS: the mark of the last check for stalled jobs, the list of active jobs. ARGV: the maximum expiry of the mark,
 * that of a lock, the prefix of jobs.
 */
const SHORTEN = `
local function shorten(key, mostMs)
  if redis.call('PTTL', key) > mostMs then redis.call('PEXPIRE', key, mostMs) end
end
shorten(KEYS[1], tonumber(ARGV[1]))
for _, id in ipairs(redis.call('LRANGE', KEYS[2], 0, 999)) do
  shorten(ARGV[3] .. id .. '${JOB_LOCK}', tonumber(ARGV[2]))
end`;

interface QueueCheckDeps {
  readonly redis: Redis;
  readonly worker: Worker;
  /** Whether the worker could take a job. */
  readonly isFree: () => boolean;
  /** A later reply shows a slow Redis, not a deaf worker. */
  readonly lateMs: number;
}

/** The check of a queue, to be called at intervals. */
export interface QueueCheck {
  /**
   * Runs stalled jobs again, and reads which job is next in line. An empty queue costs one command. Never rejects: the
   * next call repeats a failed one, and connections report their errors.
   */
  check(): Promise<void>;
  /** For how long the same job has been next in line while there was room for it. */
  heldUpMs(): number;
}

export function checkQueue({ redis, worker, isFree, lateMs }: QueueCheckDeps): QueueCheck {
  const keys = queueKeys(worker.toKey(''));
  let next: string | null = null;
  let sinceMs = performance.now();
  let isChecking = false;
  const read = async (): Promise<string | null> => {
    if ((await redis.exists(keys.active, keys.waiting, keys.prioritized)) === 0) return null;
    await Promise.all([shortenExpiries(redis, worker, keys), worker.backend.moveStalledJobsToWait()]);
    return readNextJob(redis, keys);
  };
  return {
    async check() {
      if (isChecking) return;
      isChecking = true;
      const askedAtMs = performance.now();
      const found = await read().catch(() => null);
      isChecking = false;
      const nowMs = performance.now();
      const isLate = nowMs - askedAtMs > lateMs;
      if (found === null || found !== next || isLate || !isFree()) sinceMs = nowMs;
      next = found;
    },
    heldUpMs: () => (next === null ? 0 : performance.now() - sinceMs),
  };
}

/**
 * Shortens expiries that are longer than BullMQ sets them. If the clock of Redis goes back, the locks of dead workers
 * and the mark of the last check for stalled jobs would otherwise last longer by the same amount. No worker would run
 * the dead workers' jobs meanwhile.
 */
async function shortenExpiries(redis: Redis, worker: Worker, { stalledCheck, active, job }: QueueKeys): Promise<void> {
  const { stalledInterval = 30_000, lockDuration = 30_000 } = worker.opts;
  await redis.eval(SHORTEN, 2, stalledCheck, active, stalledInterval, lockDuration, job(''));
}

/** The id of the job that is next in line, or null if no job waits or the queue is paused. */
async function readNextJob(redis: Redis, { meta, waiting, prioritized }: QueueKeys): Promise<string | null> {
  const [isPaused, next, [first]] = await Promise.all([
    redis.hexists(meta, PAUSED_FIELD),
    redis.lindex(waiting, -1),
    redis.zrange(prioritized, '0', '0'),
  ]);
  return isPaused === 1 ? null : (next ?? first ?? null);
}
