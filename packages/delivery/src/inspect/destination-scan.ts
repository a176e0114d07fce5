import type { Redis } from '@mailhook/platform/redis';
import { acceptedAtMs } from '../mailbox/entry.ts';
import type { EngineKeys } from '../mailbox/keys.ts';
import { resendsAtBothEnds } from './gauges.ts';

/** A destination as a scan sees it, without the details of its resends. Paused, parked and the others exclude each other. */
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
  /** Whether the scan read every list to its end. */
  readonly isComplete: boolean;
}

/** Most parked and most paused destinations that a scan reads. */
const HELD_MAX = 1000;
/** Most destinations of each other list that a scan reads. */
const WAITING_MAX = 200;
/** Destinations per pipeline, so that no reply is large. */
const READ_AT_ONCE = 500;

/**
 * Reads the destinations of a mechanism and shard that may need attention: parked and paused ones, those that have held events for longest, those
 * with resends, those that wait for a worker, and those with a half-open breaker. Rejects while Redis is away.
 */
export async function scanDestinations(redis: Redis, place: EngineKeys, nowMs: number): Promise<Scan> {
  const most = WAITING_MAX - 1;
  const [parked, paused, busy, resends, ready, halfOpen, counts] = await Promise.all([
    redis.zrange(place.parked, '0', String(HELD_MAX - 1)),
    redis.zrange(place.paused, String(nowMs), '+inf', 'BYSCORE', 'LIMIT', 0, HELD_MAX),
    redis.zrange(place.busy, '0', String(most)),
    readResends(redis, place),
    Promise.all(place.readyLists.map((list) => redis.lrange(list, 0, most))),
    readHalfOpen(redis, place),
    Promise.all([
      redis.zcard(place.parked),
      redis.zcount(place.paused, nowMs, '+inf'),
      redis.zcard(place.busy),
      redis.zcard(place.due),
      ...place.readyLists.map((list) => redis.llen(list)),
    ]),
  ]);
  const isReady = new Set(ready.flat());
  const ids = [...new Set([...parked, ...paused, ...busy, ...resends.keys(), ...isReady, ...halfOpen])];
  const destinations: ScannedDestination[] = [];
  for (let from = 0; from < ids.length; from += READ_AT_ONCE) {
    const read = await readSome(redis, place, ids.slice(from, from + READ_AT_ONCE), nowMs);
    for (const one of read) {
      const oldestMs = Math.min(one.oldestMs, resends.get(one.id) ?? Number.POSITIVE_INFINITY);
      destinations.push({ ...one, oldestMs, isReady: isReady.has(one.id) });
    }
  }
  const [allParked, allPaused, ...others] = counts;
  const unreadPaused = Math.max(0, allPaused - paused.length);
  // Paused destinations that no worker owns are in the set of parked ones too.
  const unreadParked = Math.max(0, allParked - parked.length - unreadPaused);
  const isComplete = unreadPaused + unreadParked === 0 && others.every((count) => count <= WAITING_MAX);
  return { destinations, unread: { parked: unreadParked, paused: unreadPaused }, isComplete };
}

/** The destinations of scheduled resends, with the time when their oldest event was accepted. */
async function readResends(redis: Redis, place: EngineKeys): Promise<Map<string, number>> {
  const oldest = new Map<string, number>();
  const pipeline = redis.pipeline();
  for (const id of await resendsAtBothEnds(redis, place, WAITING_MAX)) pipeline.hmget(place.resend(id), 'dest', 'at');
  for (const [destination, at] of await repliesOf<(string | null)[]>(pipeline)) {
    if (destination == null) continue;
    const ms = acceptedAtMs(at ?? '');
    oldest.set(destination, Math.min(oldest.get(destination) ?? Number.POSITIVE_INFINITY, ms));
  }
  return oldest;
}

/** Destinations that a worker owns while their breaker is not closed. No list of the engine holds them. */
async function readHalfOpen(redis: Redis, place: EngineKeys): Promise<string[]> {
  const found: string[] = [];
  for (const worker of await redis.zrange(place.workers, '0', '-1')) {
    const owned = await redis.smembers(place.owned(worker));
    for (let from = 0; from < owned.length; from += READ_AT_ONCE) {
      const some = owned.slice(from, from + READ_AT_ONCE);
      const pipeline = redis.pipeline();
      for (const id of some) pipeline.hget(place.destination(id), 'bp');
      const parkings = await repliesOf<string | null>(pipeline);
      found.push(...some.filter((_, i) => Number(parkings[i] ?? 0) > 0));
    }
  }
  return found;
}

const FIELDS = ['active', 'deleted', 'version', 'bp', 'bu', 'paused'] as const;
const COMMANDS = 4;

/** Leaves out destinations that are unknown or deleted. */
async function readSome(redis: Redis, place: EngineKeys, ids: readonly string[], nowMs: number) {
  const pipeline = redis.pipeline();
  for (const id of ids) {
    pipeline.hmget(place.destination(id), ...FIELDS);
    pipeline.lindex(place.lane('f', id), 0);
    pipeline.lindex(place.lane('u', id), 0);
    pipeline.scard(place.resendsOf(id));
  }
  const replies = await repliesOf<unknown>(pipeline);
  return ids.flatMap((id, i) => {
    const [record, newest, unsubscribe, resends] = replies.slice(i * COMMANDS, (i + 1) * COMMANDS);
    const [active, deleted, version, bp, bu, paused] = record as (string | null)[];
    if (version == null || deleted === '1') return [];
    const heads = [newest, unsubscribe].filter((entry) => typeof entry === 'string');
    const holdsEvents = heads.length > 0 || Number(resends) > 0;
    const isPaused = active === '1' && Number(paused ?? 0) > nowMs;
    const isOpen = Number(bu ?? 0) > nowMs || (Number(bp ?? 0) > 0 && holdsEvents);
    const oldestMs = Math.min(Number.POSITIVE_INFINITY, ...heads.map(acceptedAtMs));
    return [{ place, id, isPaused, isParked: active === '1' && !isPaused && isOpen, holdsEvents, oldestMs }];
  });
}

async function repliesOf<Reply>(pipeline: ReturnType<Redis['pipeline']>): Promise<Reply[]> {
  return ((await pipeline.exec()) ?? []).map(([error, reply]) => {
    if (error !== null) throw error;
    return reply as Reply;
  });
}
