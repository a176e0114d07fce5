import type { OperationsMessage } from '@mailhook/core';
import type { Redis } from '@mailhook/platform/redis';
import { debounced } from './debounce.ts';
import type { Change, Kept, Verdict } from './debounce.ts';
import type { MessageListener } from './message-listener.ts';

/** A condition of destinations or accounts that messages report, such as a parked destination. */
export interface Condition {
  /** Redis hash of what is known, by id. */
  readonly key: string;
  /** How long the condition must hold before the message, and be over before it counts as over. */
  readonly beginAfterMs: number;
  readonly endAfterMs: number;
  /**
   * Some ids for which the condition may hold. The cursor continues an earlier call, and '0' starts from the beginning.
   */
  candidates(cursor: string): Promise<{ readonly cursor: string; readonly ids: readonly string[] }>;
  /** Leaves out ids that no longer exist. */
  verdicts(ids: readonly string[]): Promise<ReadonlyMap<string, Verdict>>;
  /** Undefined if the platform does not need to know. */
  messageOf(id: string, change: Change, kept: Kept): Promise<OperationsMessage | undefined>;
}

export interface TrackDeps {
  readonly redis: Redis;
  readonly publisher: Pick<MessageListener, 'publish'>;
  /** Redis hash of the positions of scans. */
  readonly cursorsKey: string;
}

/** Ids per page, and pages per condition and check. More ids take several checks. */
export const PAGE = 1000;
const PAGES_MAX = 5;

/** How many messages a check may still publish. */
export interface Budget {
  messages: number;
}

/**
 * Checks one condition: notes new ids, and publishes what has changed for long enough. What is known changes only after
 * its message is durably enqueued, so a crash repeats the message with the same id.
 */
export async function track(deps: TrackDeps, condition: Condition, nowMs: number, budget: Budget): Promise<void> {
  await scan(deps, `${condition.key}:new`, async (cursor) => {
    const { cursor: next, ids } = await condition.candidates(cursor);
    await noteNew(deps.redis, condition, ids, nowMs);
    return next;
  });
  await scan(deps, `${condition.key}:known`, async (cursor) => {
    const [next, pairs] = await deps.redis.hscan(condition.key, cursor, 'COUNT', PAGE);
    const known = pairs.flatMap((id, i) =>
      i % 2 === 0 ? [[id, JSON.parse(pairs[i + 1] ?? '') as Kept] as const] : [],
    );
    const isDone = await advance(deps, condition, new Map(known), nowMs, budget);
    return isDone ? next : undefined;
  });
}

/**
 * Reads some pages, from where the last check stopped. A step returns the next cursor, or undefined to stay at its
 * page.
 */
async function scan(
  { redis, cursorsKey }: TrackDeps,
  field: string,
  step: (cursor: string) => Promise<string | undefined>,
): Promise<void> {
  let cursor = (await redis.hget(cursorsKey, field)) ?? '0';
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const next = await step(cursor);
    if (next === undefined) break;
    if (next !== cursor) await redis.hset(cursorsKey, field, next);
    cursor = next;
    if (cursor === '0') break;
  }
}

async function noteNew(redis: Redis, condition: Condition, ids: readonly string[], nowMs: number): Promise<void> {
  if (ids.length === 0) return;
  const known = await redis.hmget(condition.key, ...ids);
  const unknown = ids.filter((_, i) => known[i] === null);
  const verdicts = await condition.verdicts(unknown);
  const kept: Kept = { since: nowMs };
  const found = unknown.filter((id) => verdicts.get(id) === 'holds');
  await Promise.all(found.map((id) => redis.hsetnx(condition.key, id, JSON.stringify(kept))));
}

/** False if the budget did not suffice. */
async function advance(
  { redis, publisher }: TrackDeps,
  condition: Condition,
  known: ReadonlyMap<string, Kept>,
  nowMs: number,
  budget: Budget,
): Promise<boolean> {
  const verdicts = await condition.verdicts([...known.keys()]);
  const messages: OperationsMessage[] = [];
  const saved: string[] = [];
  const forgotten: string[] = [];
  let isDone = true;
  for (const [id, kept] of known) {
    const step = debounced(kept, verdicts.get(id), nowMs, condition);
    if (step === undefined) continue;
    if (step.change !== undefined) {
      isDone &&= budget.messages > 0;
      if (!isDone) continue;
      const message = await condition.messageOf(id, step.change, kept);
      if (message !== undefined) {
        messages.push(message);
        budget.messages -= 1;
      }
    }
    if (step.kept === undefined) forgotten.push(id);
    else saved.push(id, JSON.stringify(step.kept));
  }
  await publisher.publish(messages);
  if (saved.length > 0) await redis.hset(condition.key, ...saved);
  if (forgotten.length > 0) await redis.hdel(condition.key, ...forgotten);
  return isDone;
}
