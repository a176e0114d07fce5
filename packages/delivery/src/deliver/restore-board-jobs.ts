import { engineQueues } from '@mailhook/core';
import type { Redis } from '@mailhook/platform/redis';
import type { EngineJobs } from './jobs.ts';
import type { EngineKeys } from '../mailbox/keys.ts';
import { deadLetterJobId } from '../mailbox/dead-letter-id.ts';

export interface UnshownLettersDeps {
  readonly redis: Redis;
  readonly keys: EngineKeys;
  readonly jobs: Pick<EngineJobs, 'addDeadLetters'>;
}

/** Younger letters may still get their job from whoever wrote them. */
const SETTLED_MS = 5000;
/** How far back a worker looks when it starts: beyond that, a job that is not there was removed by an operator. */
const LOOKS_BACK_MS = 3_600_000;
const PAGE = 2000;

/**
 * Finds dead letters whose job is missing, because the worker died between the script and the job, and adds it: Bull Board is where
 * operators see them. Each run looks at the letters since the last one, a page at most.
 *
 * @returns how many were added.
 */
export function showUnshownLetters({ redis, keys, jobs }: UnshownLettersDeps): (nowMs: number) => Promise<number> {
  const letter = keys.kind === 'campaign' ? 'c' : 't';
  const jobKey = (id: string): string =>
    `${keys.queuePrefix}:${engineQueues(keys.kind).deadLetters}:${deadLetterJobId(id)}`;
  let seenUntilMs: number | undefined;
  return async (nowMs) => {
    const list = [`${keys.shared}dls`, seenUntilMs ?? nowMs - LOOKS_BACK_MS, nowMs - SETTLED_MS] as const;
    const rows = await redis.zrangebyscore(...list, 'WITHSCORES', 'LIMIT', 0, PAGE);
    const ids = rows.filter((member, i) => i % 2 === 0 && member.startsWith(letter)).map((member) => member.slice(1));
    const jobsThere = await Promise.all(ids.map((id) => redis.exists(jobKey(id))));
    const missing = await readLetters(
      redis,
      keys,
      ids.filter((_id, i) => jobsThere[i] === 0),
    );
    if (missing.length > 0) await jobs.addDeadLetters(missing);
    seenUntilMs = nextFrom(rows, list[1], list[2]);
    return missing.length;
  };
}

/** Where the next look begins. A full page that is all of one moment is left behind: what else is of it would be looked for without end. */
function nextFrom(rows: readonly string[], fromMs: number, untilMs: number): number {
  if (rows.length < 2 * PAGE) return Math.max(fromMs, untilMs);
  const lastMs = Number(rows.at(-1));
  return lastMs > fromMs ? lastMs : fromMs + 1;
}

async function readLetters(redis: Redis, keys: EngineKeys, ids: readonly string[]) {
  const letters = await Promise.all(
    ids.map(async (id) => {
      const fields = await redis.hmget(`${keys.base}dl:${id}`, 'account', 'dest', 'events', 'attempts', 'error');
      const [account, destination, events, attempts, error] = fields;
      // Re-driven since, or run out.
      if (account == null || destination == null) return [];
      const counts = { events: Number(events), attempts: Number(attempts) };
      return [{ deadLetter: id, account, destination, ...counts, error: error ?? '' }];
    }),
  );
  return letters.flat();
}
