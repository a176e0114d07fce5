import type { DeliveryAttempt, EventTrace, EventTraces, Mechanism } from '@mailhook/core';
import { shardOf } from '@mailhook/core';
import type { Redis } from '@mailhook/platform/redis';
import { KEPT_ATTEMPTS } from '../record/attempt-log.ts';
import type { EngineKeys } from '../mailbox/keys.ts';
import { engineKeys } from '../mailbox/keys.ts';
import type { AttemptLog } from '../record/attempt-log.ts';
import { mapWithConcurrency } from './map-with-concurrency.ts';
import { formatDeadLetterId, readListMember } from '../mailbox/dead-letter-id.ts';
import { acceptedAtMs, eventsOf } from '../mailbox/entry.ts';
import { readWindow } from '../mailbox/window.ts';

/** Finds where an event is (see `EventTraces`). */
export interface EventFinder {
  /** `destinations` are the ids of the account's destinations. */
  find(
    account: string,
    wanted: { readonly hash: string } | { readonly messageId: string },
    destinations: readonly string[],
  ): Promise<EventTraces>;
}

export interface EventFinderOptions {
  readonly redis: Redis;
  readonly queuePrefix: string;
  readonly shards: number;
  readonly attempts: Pick<AttemptLog, 'find'>;
}

/** Destinations searched at once. Each search holds a page of the mailbox in memory, and Redis serves one call at a time anyway. */
const DESTINATIONS_AT_ONCE = 4;
const WAITING_MAX = 10_000;
const RESENDS_MAX = 1000;
const DEAD_LETTERS_MAX = 1000;
const PAGE = 500;

const SEARCHED =
  `the first ${WAITING_MAX} waiting events of each destination, ${RESENDS_MAX} resends of each, the newest ${DEAD_LETTERS_MAX} dead letters, ` +
  `and the log of attempts: ${KEPT_ATTEMPTS}`;

/** Finds events in the data that the engine keeps for its work, without an index. */
export const createEventFinder = (options: EventFinderOptions): EventFinder => ({
  async find(account, wanted, destinations) {
    const { redis, queuePrefix, shards, attempts } = options;
    const [kind, key]: [Mechanism, string] =
      'hash' in wanted ? ['campaign', wanted.hash] : ['transactional', wanted.messageId];
    const keys = engineKeys(queuePrefix, shardOf(account, shards), kind);
    const needle = kind === 'campaign' ? `{"hash":${JSON.stringify(key)},` : `"messageId":${JSON.stringify(key)},`;
    const tried = await attempts.find(account, key);
    const open = (
      await mapWithConcurrency(destinations, DESTINATIONS_AT_ONCE, async (destination) => [
        ...(await findWaiting(redis, keys, destination, needle)),
        ...(await findResends(redis, keys, destination, needle)),
      ])
    ).flat();
    const dead = await findDead(redis, keys, account, needle);
    const items = [...open, ...dead];
    return { items: [...items, ...ended(tried, items)], attempts: tried, searched: SEARCHED };
  },
});

const nameOf = (keys: EngineKeys, destination: string): string => (keys.kind === 'campaign' ? 'campaign' : destination);

const acceptedAt = (entry: string): string => new Date(acceptedAtMs(entry)).toISOString();

async function findWaiting(redis: Redis, keys: EngineKeys, destination: string, needle: string): Promise<EventTrace[]> {
  const window = readWindow(await redis.hget(keys.destination(destination), 'win'));
  const found: EventTrace[] = [];
  for (const lane of ['u', 'f'] as const) {
    // The batch of each frozen entry, by the entry's position in the lane.
    const frozen = window
      .filter((batch) => batch.lane === lane)
      .flatMap((batch) => Array.from({ length: batch.entries }, () => batch));
    let events = 0;
    for (let from = 0; events < WAITING_MAX; from += PAGE) {
      const entries = await redis.lrange(keys.lane(lane, destination), from, from + PAGE - 1);
      for (const [i, entry] of entries.entries()) {
        events += eventsOf(entry);
        const batch = frozen[from + i];
        // This entry is settled but not trimmed yet. The attempt log, the resends or the dead letters have its events.
        if (batch?.isDone === true) continue;
        const trace = { destination: nameOf(keys, destination), acceptedAt: acceptedAt(entry) };
        for (let times = entry.split(needle).length; times > 1; times -= 1) {
          found.push({ ...trace, state: batch === undefined ? 'waiting' : 'in_flight', attempts: batch?.attempt ?? 0 });
        }
      }
      if (entries.length < PAGE) break;
    }
  }
  return found;
}

async function findResends(redis: Redis, keys: EngineKeys, destination: string, needle: string): Promise<EventTrace[]> {
  const ids = await redis.srandmember(keys.resendsOf(destination), RESENDS_MAX);
  const found: EventTrace[] = [];
  for (const id of ids) {
    const [body, attempt, at, error] = await redis.hmget(keys.resend(id), 'body', 'attempt', 'at', 'error');
    if (body == null || !body.includes(needle)) continue;
    const due = await redis.zscore(keys.due, id);
    found.push({
      destination: nameOf(keys, destination),
      state: 'resend',
      attempts: Number(attempt),
      ...(at == null || at === '' ? {} : { acceptedAt: acceptedAt(at) }),
      ...(error == null || error === '' ? {} : { error }),
      ...(due === null ? {} : { nextAttemptAt: new Date(Number(due)).toISOString() }),
    });
  }
  return found;
}

async function findDead(redis: Redis, keys: EngineKeys, account: string, needle: string): Promise<EventTrace[]> {
  const members = await redis.zrevrange(keys.deadLettersOf(account), 0, DEAD_LETTERS_MAX - 1);
  const found: EventTrace[] = [];
  for (const member of members) {
    const deadLetter = readListMember(member, keys.shard);
    if (deadLetter.kind !== keys.kind) continue;
    const { id } = deadLetter;
    const [body, destination, attempts, error] = await redis.hmget(
      keys.deadLetter(id),
      'body',
      'dest',
      'attempts',
      'error',
    );
    if (destination == null) continue;
    const text = body ?? (await redis.lrange(keys.deadLetterEntries(id), 0, -1)).join('\n');
    if (!text.includes(needle)) continue;
    found.push({
      destination: nameOf(keys, destination),
      state: 'dead',
      attempts: Number(attempts),
      deadLetter: formatDeadLetterId(deadLetter),
      ...(error == null ? {} : { error }),
    });
  }
  return found;
}

/** Traces from the log of attempts only: the newest attempt of each destination that no longer holds the event. */
function ended(tried: readonly DeliveryAttempt[], open: readonly EventTrace[]): EventTrace[] {
  const newest = new Map<string, DeliveryAttempt>();
  for (const attempt of tried) {
    const destination = attempt.subscription ?? 'campaign';
    if (!newest.has(destination)) newest.set(destination, attempt);
  }
  return [...newest]
    .filter(([destination]) => !open.some((trace) => trace.destination === destination))
    .map(([destination, { status, attempt, time, error }]) => ({
      destination,
      state: status === 'dead' ? 'dead' : status,
      attempts: attempt,
      ...(status === 'delivered' ? { deliveredAt: time } : {}),
      ...(error === undefined ? {} : { error }),
    }));
}
