import type { Mechanism } from '@mailhook/core';
import { engineQueues, mechanism } from '@mailhook/core';
import type { Redis } from '@mailhook/platform/redis';
import { oldestChunkMs } from './gauges.ts';
import type { Installation } from '../mailbox/installation.ts';
import type { EngineKeys } from '../mailbox/keys.ts';
import { LEASE_MS } from '../mailbox/constants.ts';
import { countLive } from '../mailbox/records.ts';
import { readWorkers } from '../mailbox/workers.ts';
import type { WorkerRecord } from '../mailbox/workers.ts';
import type { ScannedDestination } from './destination-scan.ts';
import { scanDestinations } from './destination-scan.ts';
import type { DestinationView } from './destination-view.ts';
import { isoOf, readDestination, RESENDS_READ } from './destination-view.ts';
import { mapWithConcurrency } from './map-with-concurrency.ts';
import { countUndelivered } from './undelivered.ts';

/** A worker of one mechanism and shard. */
export interface WorkerView {
  readonly id: string;
  readonly kind: Mechanism;
  readonly shard: number;
  /** Null for a worker without a heartbeat yet. */
  readonly host: string | null;
  readonly pid: number | null;
  readonly lastHeartbeatAt: string;
  /** Whether its lease is still valid. A worker that did not give up its lease stays in the list for a day. */
  readonly isAlive: boolean;
  /**
   * Destinations that it owns. An estimate if its mechanism and shard have more than 10,000 destinations with events.
   */
  readonly destinations: number;
}

/** The chunk jobs of one mechanism: accepted events that are not in a mailbox yet. */
interface ChunkJobs {
  readonly kind: Mechanism;
  /** Jobs that wait for a worker, and jobs that a worker runs. */
  readonly waiting: number;
  readonly active: number;
  /** When the oldest of the waiting jobs was published. */
  readonly oldestAt: string | null;
}

/**
 * The state of the whole installation, from one reading: the totals count what the list holds, and what did not fit
 * into it.
 */
export interface Overview {
  readonly time: string;
  /** `QUEUE_SHARDS`. Every shard needs a worker of each mechanism. */
  readonly shards: number;
  /**
   * Per mechanism, when the oldest undelivered event was accepted, and its destination. Null when none waits. In a
   * chunk job, it has no destination yet.
   */
  readonly oldestWaiting: readonly {
    readonly kind: Mechanism;
    readonly acceptedAt: string | null;
    readonly destination: string | null;
  }[];
  /**
   * Per mechanism, since when the oldest event that could be sent now waits for a worker: in a chunk job, or in a
   * mailbox. Null when none does.
   */
  readonly oldestReady: readonly { readonly kind: Mechanism; readonly acceptedAt: string | null }[];
  readonly totals: {
    /** Undelivered events, resends and events in flight included, but without those in chunk jobs. */
    readonly waiting: number;
    /** Batches and notifications that failed and wait for their next attempt. */
    readonly resends: number;
    /** Destinations with an open breaker, or with a half-open one and events. */
    readonly parked: number;
    /** Those of `parked` that hold no event. */
    readonly parkedEmpty: number;
    /** Destinations that a person paused. */
    readonly paused: number;
    /** Other destinations with an event older than a minute, of those that one reading considers. */
    readonly late: number;
    readonly deadLetters: number;
    /**
     * False if there are more destinations than one reading considers. `late` and `parkedEmpty` are then lower bounds.
     */
    readonly isComplete: boolean;
  };
  /**
   * Per mechanism, the destinations with undelivered events, an open or half-open breaker, or a pause, and the parked
   * ones (see `totals`).
   */
  readonly destinations: readonly { readonly kind: Mechanism; readonly busy: number; readonly parked: number }[];
  readonly chunkJobs: readonly ChunkJobs[];
  readonly workers: readonly WorkerView[];
  /**
   * Destinations that are parked and hold events, that are paused, or that have events older than a minute. At most 50
   * of each by default, those with the oldest events first.
   */
  readonly attention: readonly DestinationView[];
}

const EACH_AT_MOST = 50;
const LATE_MS = 60_000;
const READ_AT_ONCE = 20;

/** `most`: most parked, paused and late destinations in the list, of each. Default: 50. */
export type ReadOverview = (most?: number) => Promise<Overview>;

/** Reads the overview from Redis, by default as of now. Rejects while Redis is away. `now` is in Unix milliseconds. */
export function createOverview(installation: Installation, now: () => number = Date.now): ReadOverview {
  const { redis, shards } = installation;
  const places = installation.allKeys();
  return async (most = EACH_AT_MOST) => {
    const nowMs = now();
    const [found, totals, busy, chunkJobs, workers] = await Promise.all([
      readDestinations(redis, places, nowMs, most),
      readTotals(installation, places),
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
  const read = await mapWithConcurrency([...chosen], READ_AT_ONCE, async (one) => {
    const view = await readDestination(redis, one.place, one.id);
    return view === undefined ? undefined : withView(one, view);
  });
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

/** The sums over all shards. */
const readChunkJobs = (redis: Redis, places: readonly EngineKeys[]): Promise<ChunkJobs[]> =>
  Promise.all(
    mechanism.options.map(async (kind) => {
      const shards = await Promise.all(
        places
          .filter((keys) => keys.kind === kind)
          .map(async (keys) => {
            const queue = `${keys.queuePrefix}:${engineQueues(kind).chunks}`;
            const [unordered, prioritized, active, oldestMs] = await Promise.all([
              redis.llen(`${queue}:wait`),
              redis.zcard(`${queue}:prioritized`),
              redis.llen(`${queue}:active`),
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
