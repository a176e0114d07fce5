import { createHash } from 'node:crypto';
import type { Queue } from 'bullmq';
import { EMAIL_EVENTS_QUEUE, emailEventsJob, emailKey, REJECTED_EVENTS_QUEUE } from '@mailhook/core';
import type { EventsToErase, Installation } from '@mailhook/delivery';
import { JOB_FIELDS, queueKeys } from '@mailhook/platform/queue';
import type { Redis } from '@mailhook/platform/redis';
import { JOB_BYTES_MAX, refusalOf } from './email-events-worker.ts';
import { invalidEventsKey } from './rejected-events.ts';

/** `rejected`: jobs of `email-events-rejected`. `failedJobs`: failed jobs of `email-events`. */
export type ErasedFromJobs = 'rejected' | 'failedJobs';

interface JobsToErase {
  readonly account: string;
  readonly wanted: EventsToErase;
  /** Gets the number of events of each step, so that they count even if the search ends early. */
  readonly onErased: (from: ErasedFromJobs, events: number) => Promise<void>;
  /** Ends the search between two steps. It then rejects. */
  readonly signal: AbortSignal;
}

/**
 * Removes events from rejected and failed Redis-fed jobs. A job without another event is removed. Can be repeated, also
 * by several processes at the same time. Resolves with whether jobs moved during the search, so that it may have missed
 * events. Rejects while Redis is away.
 */
export type EraseFromJobs = (order: JobsToErase) => Promise<boolean>;

/** Jobs that one step reads. Those with larger data are read one at a time. */
const PAGE = 50;
const LARGE_BYTES = 64 * 1024;

/**
 * Writes the data of a failed job, or deletes the job, unless it was retried or changed since it was read. KEYS: the
 * failed jobs, the job. ARGV: the job's id, the SHA-1 of the data that was read, the new data or '', what the job's
 * timestamp grows by.
 */
const REWRITE = `#!lua flags=allow-oom
if not redis.call('ZSCORE', KEYS[1], ARGV[1]) then return 0 end
local data = redis.call('HGET', KEYS[2], '${JOB_FIELDS.data}')
if not data or redis.sha1hex(data) ~= ARGV[2] then return 0 end
if ARGV[3] == '' then
  redis.call('ZREM', KEYS[1], ARGV[1])
  redis.call('DEL', KEYS[2])
else
  redis.call('HSET', KEYS[2], '${JOB_FIELDS.data}', ARGV[3])
  redis.call('HINCRBY', KEYS[2], '${JOB_FIELDS.timestamp}', ARGV[4])
end
return 1`;

export const createEraseFromJobs =
  (installation: Installation): EraseFromJobs =>
  async ({ account, wanted, onErased, signal }) => {
    const { redis, prefix } = installation;
    const rejected = installation.queue(REJECTED_EVENTS_QUEUE);
    const intake = installation.queue(EMAIL_EVENTS_QUEUE);
    const isWanted = isWantedBy(account, wanted);
    let isDisturbed = false;
    // `openRejectedEvents` bounds the number of these jobs, and `KEPT_FAILED` that of the failed ones.
    const rejectedIds = await redis.lrange(queueKeys(rejected.toKey('')).waiting, 0, -1);
    for await (const { id, data } of readJobs(redis, rejected, rejectedIds, signal)) {
      const { removed } = withoutWanted(data, isWanted);
      if (removed === 0) continue;
      // BullMQ does not say whether the job still existed. The deletion of its data does, so it counts once.
      const isDone = (await redis.hdel(rejected.toKey(id), JOB_FIELDS.data)) === 1;
      await rejected.remove(id);
      await redis.zrem(invalidEventsKey(prefix), id);
      if (isDone) await onErased('rejected', removed);
    }
    const { failed } = queueKeys(intake.toKey(''));
    const failedIds = await redis.zrange(failed, '0', '-1');
    for await (const { id, data, digest } of readJobs(redis, intake, failedIds, signal)) {
      const { removed, rest } = withoutWanted(data, isWanted);
      if (removed === 0) continue;
      const keys = [failed, intake.toKey(id)];
      const isDone = (await redis.eval(REWRITE, keys.length, ...keys, id, digest, ...rewritten(rest))) === 1;
      if (isDone) await onErased('failedJobs', removed);
      else isDisturbed = true;
    }
    return isDisturbed;
  };

/**
 * The new data of a job, '' if it has no event, and what its timestamp grows by. A job that was cut into chunks gets
 * new chunk ids, which depend on the timestamp. Its slices have shifted, and under the known ids, events that moved to
 * another slice would be lost as duplicates.
 */
function rewritten(rest: unknown): [data: string, addedMs: number] {
  const isCut = emailEventsJob.safeParse(rest).data?.mailhook?.cut !== undefined;
  return [isEmpty(rest) ? '' : JSON.stringify(rest), isCut ? 1 : 0];
}

interface ReadJob {
  readonly id: string;
  readonly data: unknown;
  /** SHA-1 of the data's bytes, in hex. */
  readonly digest: string;
}

/** Reads the jobs whose data is JSON of a size that the worker accepts too. */
async function* readJobs(
  redis: Redis,
  queue: Queue,
  ids: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<ReadJob> {
  const read = async (id: string): Promise<ReadJob | undefined> => {
    const bytes = await redis.hgetBuffer(queue.toKey(id), JOB_FIELDS.data);
    const data = bytes === null ? undefined : parse(bytes);
    return bytes === null || data === undefined
      ? undefined
      : { id, data, digest: createHash('sha1').update(bytes).digest('hex') };
  };
  for (let from = 0; from < ids.length; from += PAGE) {
    signal.throwIfAborted();
    const page = ids.slice(from, from + PAGE);
    const sizes = await Promise.all(page.map((id) => redis.hstrlen(queue.toKey(id), JOB_FIELDS.data)));
    const small = page.filter((_, i) => (sizes[i] ?? 0) <= LARGE_BYTES);
    for (const job of await Promise.all(small.map(read))) if (job !== undefined) yield job;
    for (const [i, id] of page.entries()) {
      const size = sizes[i] ?? 0;
      if (size <= LARGE_BYTES || size > JOB_BYTES_MAX) continue;
      const job = await read(id);
      if (job !== undefined) yield job;
    }
  }
}

function parse(bytes: Buffer): unknown {
  const text = bytes.toString('utf8');
  if (refusalOf(text) !== undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

type IsWanted = (value: Readonly<Record<string, unknown>>) => boolean;

/** Events of these jobs are as their producers sent them, valid or not. */
function isWantedBy(account: string, wanted: EventsToErase): IsWanted {
  if ('messageId' in wanted) return (one) => one['account'] === account && one['messageId'] === wanted.messageId;
  const key = emailKey(wanted.email);
  return (one) => one['account'] === account && typeof one['email'] === 'string' && emailKey(one['email']) === key;
}

/**
 * Removes wanted events wherever they are, because a failed job may have any shape. `rest` is undefined if nothing is
 * left.
 */
function withoutWanted(value: unknown, isWanted: IsWanted): { readonly rest: unknown; readonly removed: number } {
  if (typeof value !== 'object' || value === null) return { rest: value, removed: 0 };
  if (!Array.isArray(value) && isWanted(value as Readonly<Record<string, unknown>>)) {
    return { rest: undefined, removed: 1 };
  }
  let removed = 0;
  const kept = Object.entries(value).flatMap(([name, one]) => {
    const result = withoutWanted(one, isWanted);
    removed += result.removed;
    return result.rest === undefined ? [] : [[name, result.rest] as const];
  });
  if (removed === 0) return { rest: value, removed };
  if (kept.length === 0) return { rest: undefined, removed };
  return { rest: Array.isArray(value) ? kept.map(([, one]) => one) : Object.fromEntries(kept), removed };
}

/** Whether no event is left: only texts and numbers about them, and the plan that Mailhook saved. */
const isEmpty = (rest: unknown): boolean =>
  typeof rest !== 'object' ||
  rest === null ||
  (!Array.isArray(rest) &&
    Object.entries(rest).every(([name, one]) => name === 'mailhook' || typeof one !== 'object' || one === null));
