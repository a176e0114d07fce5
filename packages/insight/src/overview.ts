import { Semaphore } from 'async-mutex';
import type { ChunkJobs, DestinationView, Mechanism, Overview, WorkerView } from '@mailhook/core';
import { LEASE_MS, mechanism, RESENDS_READ } from '@mailhook/core';
import type { Redis } from '@mailhook/platform/redis';
import { oldestChunkMs } from './gauges.ts';
import { KEPT } from '@mailhook/delivery';
import type { EngineKeys, Installation } from '@mailhook/delivery';
import { chunkQueueKeys, countLive, readBlocksShares, readWorkers } from '@mailhook/delivery/mailbox';
import type { WorkerRecord } from '@mailhook/delivery/mailbox';
import type { ScannedDestination } from './destination-scan.ts';
import { scanDestinations } from './destination-scan.ts';
import { isoOf, readDestination } from './destination-view.ts';
import { countUndelivered } from './undelivered.ts';

const EACH_AT_MOST = 50;
const LATE_MS = 60_000;
const DAY_MS = 86_400_000;
const READ_AT_ONCE = 20;

/** `most`: most parked, paused and late destinations in the list, of each. Default: 50. */
type ReadOverview = (most?: number) => Promise<Overview>;

/** Reads the overview from Redis, by default as of now. Rejects while Redis is away. `now` is in Unix milliseconds. */
export function createOverview(installation: Installation, now: () => number = Date.now): ReadOverview {
  const { redis, shards } = installation;
  const places = installation.allKeys();
  return async (most = EACH_AT_MOST) => {
    const nowMs = now();
    const [found, totals, attemptLog, busy, chunkJobs, workers] = await Promise.all([
      readDestinations(redis, places, nowMs, most),
      readTotals(installation, places),
      readAttemptLog(installation, nowMs),
      Promise.all(places.map(async (keys) => ({ kind: keys.kind, busy: await countLive(redis, keys) }))),
      readChunkJobs(redis, places),
      Promise.all(places.map((keys) => readWorkers(redis, keys))),
    ]);
    const { listed, others, unread, owned, isComplete } = found;
    const all = [...listed, ...others];
    const kinds = mechanism.options;
    const count = (standing: Standing, some: readonly ScannedDestination[] = all): number =>
      some.filter((one) => standingOf(one, nowMs) === standing).length;
    const parkedOf = (kind: Mechanism): number => {
      const own = all.filter(({ place }) => place.kind === kind);
      return count('parked', own) + count('parked without events', own) + sumOf(kind, unread, ({ parked }) => parked);
    };
    const destinations = kinds.map((kind) => ({
      kind,
      busy: sumOf(kind, busy, (one) => one.busy),
      parked: parkedOf(kind),
    }));
    return {
      time: isoOf(nowMs),
      shards,
      oldestWaiting: kinds.map((kind) => oldestOf(kind, all, chunkJobs)),
      oldestReady: kinds.map((kind) => {
        const ready = all.filter(({ isReady }) => isReady);
        return { kind, acceptedAt: oldestOf(kind, ready, chunkJobs).acceptedAt };
      }),
      totals: {
        ...totals,
        parked: sum(destinations.map(({ parked }) => parked)),
        parkedEmpty: count('parked without events'),
        paused: count('paused') + sum(unread.map(({ paused }) => paused)),
        late: count('late'),
        isComplete,
      },
      destinations,
      attemptLog,
      chunkJobs,
      workers: places.flatMap((keys, i) => workersOf(keys, workers[i] ?? [], owned[i], nowMs)),
      attention: listed.map(({ view }) => view),
    };
  };
}

type Standing = 'parked' | 'parked without events' | 'paused' | 'late' | undefined;

/** Why a destination needs attention. */
function standingOf({ isPaused, isParked, holdsEvents, oldestMs }: ScannedDestination, nowMs: number): Standing {
  if (isPaused) return 'paused';
  if (isParked) return holdsEvents ? 'parked' : 'parked without events';
  return oldestMs < nowMs - LATE_MS ? 'late' : undefined;
}

type Listed = ScannedDestination & { readonly view: DestinationView };

/**
 * Scans the destinations, then reads the listed ones in full. What the second step finds replaces what the scan found,
 * so that the totals never contradict the list.
 */
async function readDestinations(redis: Redis, places: readonly EngineKeys[], nowMs: number, most: number) {
  const scans = await Promise.all(places.map((place) => scanDestinations(redis, place, nowMs)));
  const scanned = scans.flatMap(({ destinations }) => destinations).sort((a, b) => a.oldestMs - b.oldestMs);
  const chosen = new Set(
    (['parked', 'paused', 'late'] as const).flatMap((standing) =>
      scanned.filter((one) => standingOf(one, nowMs) === standing).slice(0, most),
    ),
  );
  const limit = new Semaphore(READ_AT_ONCE);
  const read = await Promise.all(
    [...chosen].map(async (one) => {
      const view = await limit.runExclusive(() => readDestination(redis, one.place, one.id));
      return view === undefined ? undefined : withView(one, view);
    }),
  );
  const listed = read.filter(
    (one): one is Listed => one !== undefined && standingOf(one, nowMs) !== undefined && !isParkedEmpty(one),
  );
  return {
    listed: listed.sort((a, b) => a.oldestMs - b.oldestMs),
    others: scanned.filter((one) => !chosen.has(one)),
    isComplete: scans.every((scan) => scan.isComplete),
    owned: scans.map((scan) => scan.owned),
    unread: scans.map(({ unread }, i) => ({ ...unread, kind: (places[i] as EngineKeys).kind })),
  };
}

const isParkedEmpty = ({ isParked, holdsEvents }: ScannedDestination): boolean => isParked && !holdsEvents;

function withView(one: ScannedDestination, view: DestinationView): Listed {
  const holdsEvents = view.undelivered > 0 || view.resends > 0;
  const seenMs = view.oldestWaitingAt === undefined ? Number.POSITIVE_INFINITY : Date.parse(view.oldestWaitingAt);
  // Of many resends, the view considers a random part, which may not hold the oldest one.
  const oldestMs = view.resends > RESENDS_READ ? Math.min(one.oldestMs, seenMs) : seenMs;
  const isPaused = view.state === 'paused';
  const isOpen = view.breaker === 'open' || (view.breaker === 'half-open' && holdsEvents);
  return {
    ...one,
    isPaused,
    isParked: view.state !== 'inactive' && !isPaused && isOpen,
    holdsEvents,
    oldestMs,
    view: Number.isFinite(oldestMs) ? { ...view, oldestWaitingAt: isoOf(oldestMs) } : view,
  };
}

/** The oldest undelivered event of a mechanism, in its destinations and chunk jobs. */
function oldestOf(kind: Mechanism, destinations: readonly ScannedDestination[], chunkJobs: readonly ChunkJobs[]) {
  const oldest = destinations
    .filter(({ place }) => place.kind === kind)
    .reduce<{ oldestMs: number; id: string | null }>((a, b) => (b.oldestMs < a.oldestMs ? b : a), {
      oldestMs: Number.POSITIVE_INFINITY,
      id: null,
    });
  const chunkAt = chunkJobs.find((jobs) => jobs.kind === kind)?.oldestAt ?? null;
  if (chunkAt !== null && Date.parse(chunkAt) < oldest.oldestMs)
    return { kind, acceptedAt: chunkAt, destination: null };
  if (!Number.isFinite(oldest.oldestMs)) return { kind, acceptedAt: null, destination: null };
  return { kind, acceptedAt: isoOf(oldest.oldestMs), destination: oldest.id };
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

const sumOf = <Row extends { readonly kind: Mechanism }>(
  kind: Mechanism,
  rows: readonly Row[],
  valueOf: (row: Row) => number,
): number => sum(rows.filter((row) => row.kind === kind).map(valueOf));

async function readTotals(installation: Installation, places: readonly EngineKeys[]) {
  const { redis } = installation;
  const [waiting, deadLetters, resends] = await Promise.all([
    countUndelivered(installation),
    Promise.all([...new Set(places.map(({ deadLetters: key }) => key))].map((key) => redis.zcard(key))),
    Promise.all(places.map(({ due }) => redis.zcard(due))),
  ]);
  return { waiting, resends: sum(resends), deadLetters: sum(deadLetters) };
}

async function readAttemptLog(installation: Installation, nowMs: number): Promise<Overview['attemptLog']> {
  const places = installation.allKeys(['campaign']);
  const shares = await Promise.all(places.map(async (keys) => (await readBlocksShares(installation.redis, keys)).all));
  const missingUntilMs = Math.max(...shares.map((share) => share.missingUntilMs));
  return {
    bytes: sum(shares.map(({ bytes }) => bytes)),
    deliveredSince: missingUntilMs > nowMs - KEPT.days * DAY_MS ? isoOf(missingUntilMs) : null,
  };
}

/** The sums over all shards. */
const readChunkJobs = (redis: Redis, places: readonly EngineKeys[]): Promise<ChunkJobs[]> =>
  Promise.all(
    mechanism.options.map(async (kind) => {
      const shards = await Promise.all(
        places
          .filter((keys) => keys.kind === kind)
          .map(async (keys) => {
            const queue = chunkQueueKeys(keys);
            const [unordered, prioritized, active, oldestMs] = await Promise.all([
              redis.llen(queue.waiting),
              redis.zcard(queue.prioritized),
              redis.llen(queue.active),
              oldestChunkMs(redis, keys),
            ]);
            return { waiting: unordered + prioritized, active, oldestMs };
          }),
      );
      const oldestMs = Math.min(...shards.map((shard) => shard.oldestMs));
      return {
        kind,
        waiting: sum(shards.map(({ waiting }) => waiting)),
        active: sum(shards.map(({ active }) => active)),
        oldestAt: Number.isFinite(oldestMs) ? isoOf(oldestMs) : null,
      };
    }),
  );

const workersOf = (
  { kind, shard }: EngineKeys,
  workers: readonly WorkerRecord[],
  owned: ReadonlyMap<string, number> | undefined,
  nowMs: number,
): WorkerView[] =>
  workers.map(({ id, host, pid, leaseUntilMs }) => ({
    id,
    kind,
    shard,
    host,
    pid,
    lastHeartbeatAt: isoOf(Math.max(0, leaseUntilMs - LEASE_MS)),
    isAlive: leaseUntilMs > nowMs,
    destinations: owned?.get(id) ?? 0,
  }));
