import type { Redis } from '@mailhook/platform/redis';
import type { EngineKeys } from '@mailhook/delivery';
import {
  ACTIVE,
  countLive,
  DELETED,
  holdsEvents,
  readMailboxes,
  readOldestMs,
  readResends,
  READY,
  scanLive,
  workerOf,
} from '@mailhook/delivery/mailbox';
import { resendsAtBothEnds } from './gauges.ts';

/**
 * A destination as a scan sees it, without the details of its resends. Paused, parked and the others exclude each
 * other.
 */
export interface ScannedDestination {
  readonly place: EngineKeys;
  readonly id: string;
  readonly isPaused: boolean;
  /** Its breaker is open, or half-open with undelivered events. */
  readonly isParked: boolean;
  readonly holdsEvents: boolean;
  /** It waits for a worker. */
  readonly isReady: boolean;
  /** When its oldest undelivered event was accepted, as far as the scan saw. Infinite when it saw none. */
  readonly oldestMs: number;
}

export interface Scan {
  readonly destinations: readonly ScannedDestination[];
  /** Parked and paused destinations beyond the ones that the scan reads. */
  readonly unread: { readonly parked: number; readonly paused: number };
  /**
   * The numbers of destinations that the workers own, by worker. Estimates if there are more than 10,000 live
   * mailboxes.
   */
  readonly owned: ReadonlyMap<string, number>;
  /** Whether the scan read every list to its end. */
  readonly isComplete: boolean;
}

/** Most parked and most paused destinations that a scan reads. */
const HELD_MAX = 1000;
/** Most destinations of each other list that a scan reads. */
const WAITING_MAX = 200;
/** Destinations per call, so that no reply is large. */
const READ_AT_ONCE = 500;
/** Most live mailboxes that a scan looks through for those that no list has. */
const LIVE_MAX = 10_000;

/**
 * Reads the destinations of a mechanism and shard that may need attention: parked and paused ones, those that have held
 * events for longest, those with resends, those that wait for a worker, and those that a worker owns with a half-open
 * breaker. Rejects while Redis is away.
 */
export async function scanDestinations(redis: Redis, place: EngineKeys, nowMs: number): Promise<Scan> {
  const most = WAITING_MAX - 1;
  const [parked, paused, backlog, resends, ready, live, counts] = await Promise.all([
    redis.zrange(place.parked, '0', String(HELD_MAX - 1)),
    redis.zrange(place.paused, String(nowMs), '+inf', 'BYSCORE', 'LIMIT', 0, HELD_MAX),
    redis.zrange(place.backlog, '0', String(most)),
    oldestResends(redis, place),
    Promise.all(place.readyLists.map((list) => redis.lrange(list, 0, most))),
    lookThroughLive(redis, place),
    Promise.all([
      redis.zcard(place.parked),
      redis.zcount(place.paused, nowMs, '+inf'),
      redis.zcard(place.backlog),
      redis.zcard(place.due),
      ...place.readyLists.map((list) => redis.llen(list)),
    ]),
  ]);
  const ids = [
    ...new Set([
      ...parked,
      ...paused,
      ...backlog,
      ...resends.keys(),
      ...ready.flat(),
      ...live.halfOpen,
      ...live.oldest,
    ]),
  ];
  const destinations: ScannedDestination[] = [];
  for (let from = 0; from < ids.length; from += READ_AT_ONCE) {
    const read = await readSome(redis, place, ids.slice(from, from + READ_AT_ONCE), nowMs);
    for (const one of read) {
      const oldestMs = Math.min(one.oldestMs, resends.get(one.id) ?? Number.POSITIVE_INFINITY);
      destinations.push({ ...one, oldestMs });
    }
  }
  const [allParked, allPaused, ...others] = counts;
  const unreadPaused = Math.max(0, allPaused - paused.length);
  // Paused destinations that no worker owns are in the set of parked ones too.
  const unreadParked = Math.max(0, allParked - parked.length - unreadPaused);
  const isComplete =
    unreadPaused + unreadParked === 0 && live.isComplete && others.every((count) => count <= WAITING_MAX);
  return { destinations, unread: { parked: unreadParked, paused: unreadPaused }, owned: live.owned, isComplete };
}

/** The destinations of scheduled resends, with the time when their oldest event was accepted. */
async function oldestResends(redis: Redis, place: EngineKeys): Promise<Map<string, number>> {
  const oldest = new Map<string, number>();
  const ids = await resendsAtBothEnds(redis, place, WAITING_MAX);
  for (const { destination, acceptedAtMs } of await readResends(redis, place, ids)) {
    if (Number.isNaN(acceptedAtMs)) continue;
    oldest.set(destination, Math.min(oldest.get(destination) ?? Number.POSITIVE_INFINITY, acceptedAtMs));
  }
  return oldest;
}

/**
 * Finds what no list has: destinations that a worker owns while their breaker is not closed, and the mailboxes with the
 * oldest events of those that are not in the backlog yet.
 */
async function lookThroughLive(redis: Redis, place: EngineKeys) {
  const owned = new Map<string, number>();
  const halfOpen: string[] = [];
  let oldest: { readonly id: string; readonly sinceMs: number }[] = [];
  let seen = 0;
  let cursor = '0';
  do {
    const { next, states } = await scanLive(redis, place, cursor, READ_AT_ONCE);
    for (const [id, state] of states) {
      if (!state.isListed && holdsEvents(state)) oldest.push({ id, sinceMs: state.holdsEventsSinceMs });
      if (state.owner === '') continue;
      const worker = workerOf(state.owner);
      owned.set(worker, (owned.get(worker) ?? 0) + 1);
      if (state.parkMs > 0) halfOpen.push(id);
    }
    oldest = oldest.sort((a, b) => a.sinceMs - b.sinceMs).slice(0, WAITING_MAX);
    seen += states.length;
    cursor = next;
  } while (cursor !== '0' && seen < LIVE_MAX);
  const isComplete = cursor === '0';
  const factor = isComplete ? 1 : Math.max(1, (await countLive(redis, place)) / seen);
  return {
    owned: new Map([...owned].map(([worker, count]) => [worker, Math.round(count * factor)])),
    halfOpen,
    oldest: oldest.map(({ id }) => id),
    isComplete,
  };
}

/** Leaves out destinations that are unknown or deleted. */
async function readSome(redis: Redis, place: EngineKeys, ids: readonly string[], nowMs: number) {
  const mailboxes = await readMailboxes(redis, place, ids);
  const times = await readOldestMs(redis, place, mailboxes);
  return mailboxes.flatMap(({ destination, state, record }, i) => {
    if (record === undefined || record.record === DELETED) return [];
    const isActive = record.record === ACTIVE;
    const holds = holdsEvents(state) || state.resends > 0;
    const isPaused = isActive && state.pausedUntilMs > nowMs;
    const isOpen = state.parkedUntilMs > nowMs || (state.parkMs > 0 && holds);
    return [
      {
        place,
        id: destination,
        isPaused,
        isParked: isActive && !isPaused && isOpen,
        holdsEvents: holds,
        isReady: state.status === READY,
        oldestMs: times[i] ?? Number.POSITIVE_INFINITY,
      },
    ];
  });
}
