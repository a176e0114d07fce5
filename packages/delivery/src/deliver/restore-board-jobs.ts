import { engineQueues } from '@mailhook/core';
import type { Redis } from '@mailhook/platform/redis';
import type { EngineJobs } from './jobs.ts';
import { DEAD_LETTER_SETTLED_MS, DEAD_LETTERS_BACK_MS, DEAD_LETTERS_PAGE } from './limits.ts';
import type { EngineKeys } from '../mailbox/keys.ts';
import { readDeadLetters } from '../mailbox/records.ts';
import type { DeadLetterRecord } from '../mailbox/records.ts';
import { deadLetterJobId, kindPrefix } from '../mailbox/dead-letter-id.ts';

export interface RestoreBoardJobsDeps {
  readonly redis: Redis;
  readonly keys: EngineKeys;
  readonly jobs: Pick<EngineJobs, 'addDeadLetters'>;
}

/**
 * Finds dead letters without a job on Bull Board, because their worker died between the function and the job, and adds
 * the job. Each run checks the dead letters since the last run, at most one page.
 *
 * @returns the number of added jobs.
 */
export function restoreBoardJobs({ redis, keys, jobs }: RestoreBoardJobsDeps): (nowMs: number) => Promise<number> {
  const prefix = kindPrefix(keys.kind);
  const jobKey = (id: string): string =>
    `${keys.queuePrefix}:${engineQueues(keys.kind).deadLetters}:${deadLetterJobId(id)}`;
  let seenUntilMs: number | undefined;
  return async (nowMs) => {
    const list = [
      keys.deadLetters,
      seenUntilMs ?? nowMs - DEAD_LETTERS_BACK_MS,
      nowMs - DEAD_LETTER_SETTLED_MS,
    ] as const;
    const rows = await redis.zrangebyscore(...list, 'WITHSCORES', 'LIMIT', 0, DEAD_LETTERS_PAGE);
    const ids = rows.filter((member, i) => i % 2 === 0 && member.startsWith(prefix)).map((member) => member.slice(1));
    const jobsThere = await Promise.all(ids.map((id) => redis.exists(jobKey(id))));
    const { kind, shard } = keys;
    const places = ids.filter((_id, i) => jobsThere[i] === 0).map((id) => ({ kind, shard, id }));
    // Without those that were redriven or have expired.
    const missing = await readDeadLetters(redis, keys.prefix, places);
    if (missing.length > 0) await jobs.addDeadLetters(missing.map(jobOf));
    seenUntilMs = nextFrom(rows, list[1], list[2]);
    return missing.length;
  };
}

/** Where the next run starts. If a full page shares one timestamp, the scan skips past it, or it would loop. */
function nextFrom(rows: readonly string[], fromMs: number, untilMs: number): number {
  if (rows.length < 2 * DEAD_LETTERS_PAGE) return Math.max(fromMs, untilMs);
  const lastMs = Number(rows.at(-1));
  return lastMs > fromMs ? lastMs : fromMs + 1;
}

const jobOf = ({ place, account, destination, events, attempts, error }: DeadLetterRecord) => ({
  deadLetter: place.id,
  account,
  destination,
  events,
  attempts,
  error,
});
