import { JOB_FIELDS, queueKeys } from '@mailhook/platform/queue';
import type { Redis } from '@mailhook/platform/redis';

/** Keys that one step writes or reads. */
const PAGE = 500;
/** Larger data is not read, and counts as data of the account. No chunk and no accepted job is that large. */
const READ_BYTES_MAX = 64 * 1024 * 1024;
/** A JSON text may hold the characters of an account's id in this form. */
const ESCAPED_ASCII = /\\u00[2-7][0-9a-f]/i;

/**
 * Stores the keys of the account's jobs in these queues in the set `into`. Their order does not depend on clocks: a job
 * is older than this call if it is in a queue. Safe to repeat: the set then has later jobs too.
 */
export async function noteOlderJobs(
  redis: Redis,
  order: {
    /** `queue.toKey('')` of each. */
    readonly queues: readonly string[];
    readonly account: string;
    readonly into: string;
    readonly keptMs: number;
    /** The id of the job of the same queue to which a job may move the account's events. */
    readonly movesTo?: ((job: { readonly id: string; readonly timestamp: number }) => string) | undefined;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  for (const queue of order.queues) {
    for (const id of await jobIds(redis, queue)) {
      order.signal.throwIfAborted();
      const { job } = queueKeys(queue);
      const key = job(id);
      if (!(await mayName(redis, key, order.account))) continue;
      const timestamp = Number(await redis.hget(key, JOB_FIELDS.timestamp));
      const next = order.movesTo === undefined ? id : order.movesTo({ id, timestamp });
      await redis.sadd(order.into, key, job(next));
    }
  }
  await redis.pexpire(order.into, order.keptMs);
}

/**
 * Counts the jobs of the set that have not ended. A failed chunk job has not ended, because its events are in no
 * mailbox. A failed job of `searched`, a queue whose failed jobs are searched, has ended until an operator retries it.
 */
export async function countOlderJobs(redis: Redis, set: string, searched: string): Promise<number> {
  // A job may end and move events to another job of the set during the first count.
  return (await countOnce(redis, set, searched)) || countOnce(redis, set, searched);
}

async function countOnce(redis: Redis, set: string, searched: string): Promise<number> {
  let pending = 0;
  let cursor = '0';
  do {
    const [next, keys] = await redis.sscan(set, cursor, 'COUNT', PAGE);
    const pendings = await Promise.all(keys.map((key) => isPending(redis, key, searched)));
    // SSCAN may return a key twice, which only shows a higher count.
    pending += pendings.filter(Boolean).length;
    cursor = next;
  } while (cursor !== '0');
  return pending;
}

async function isPending(redis: Redis, key: string, searched: string): Promise<boolean> {
  if ((await redis.exists(key)) === 0) return false;
  if (!key.startsWith(searched)) return true;
  const id = key.slice(searched.length);
  const { failed, completed } = queueKeys(searched);
  const ends = await Promise.all([failed, completed].map((set) => redis.zscore(set, id)));
  return ends.every((score) => score === null);
}

/**
 * The ids of a queue's jobs that may still run, read in one moment because jobs move between the lists. Failed jobs may
 * be retried.
 */
async function jobIds(redis: Redis, queue: string): Promise<string[]> {
  const { waiting, active, prioritized, delayed, failed } = queueKeys(queue);
  const reads = redis.multi();
  for (const list of [waiting, active]) reads.lrange(list, 0, -1);
  for (const set of [prioritized, delayed, failed]) reads.zrange(set, '0', '-1');
  const replies = (await reads.exec()) ?? [];
  return replies.flatMap(([error, ids]) => {
    if (error !== null) throw error;
    return ids as string[];
  });
}

/** Whether a job's data has the account's id as a text. One job's data at a time is in memory. */
async function mayName(redis: Redis, key: string, account: string): Promise<boolean> {
  if ((await redis.hstrlen(key, JOB_FIELDS.data)) > READ_BYTES_MAX) return true;
  const text = await redis.hget(key, JOB_FIELDS.data);
  return text !== null && (text.includes(JSON.stringify(account)) || ESCAPED_ASCII.test(text));
}
