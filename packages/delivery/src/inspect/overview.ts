import type { Mechanism } from '@mailhook/core';
import { mechanism } from '@mailhook/core';
import type { Redis } from '@mailhook/platform/redis';
import { oldestReadyMs, oldestWaitingMs } from './gauges.ts';
import type { EngineKeys } from '../mailbox/keys.ts';
import { allEngineKeys } from '../mailbox/keys.ts';
import { LEASE_MS } from '../mailbox/constants.ts';
import type { DestinationLists } from './destination-list.ts';
import { createDestinationLists } from './destination-list.ts';
import type { DestinationView } from './destination-view.ts';
import { isoOf } from './destination-view.ts';
import { countUndelivered } from './undelivered.ts';

/** A worker of one mechanism and shard. */
export interface WorkerView {
  readonly id: string;
  readonly kind: Mechanism;
  readonly shard: number;
  readonly lastHeartbeatAt: string;
  /** Whether its lease is still valid. */
  readonly isAlive: boolean;
  /** Destinations that it owns. */
  readonly destinations: number;
}

/** The state of the whole installation. */
export interface Overview {
  readonly time: string;
  /** Per mechanism, when the oldest undelivered event was accepted. Null when none waits. */
  readonly oldestWaiting: readonly { readonly kind: Mechanism; readonly acceptedAt: string | null }[];
  readonly totals: {
    /** Undelivered events, resends and events in flight included, but without those in chunk jobs. */
    readonly waiting: number;
    /** Batches and notifications that failed and wait for their next attempt. */
    readonly resends: number;
    /** Destinations with an open breaker. */
    readonly parked: number;
    /** Destinations that an operator paused. */
    readonly paused: number;
    readonly deadLetters: number;
  };
  readonly workers: readonly WorkerView[];
  /** Destinations that are parked, paused, or have events older than a minute, at most 50 of each, those with the oldest events first. */
  readonly attention: readonly DestinationView[];
}

const EACH_AT_MOST = 50;
const LATE_MS = 60_000;

/** Reads the overview from Redis. Rejects while Redis is away. */
export function createOverview(options: {
  readonly redis: Redis;
  readonly queuePrefix: string;
  readonly shards: number;
}): () => Promise<Overview> {
  const { redis } = options;
  const places = allEngineKeys(options.queuePrefix, options.shards);
  const lists = createDestinationLists(options);
  return async () => {
    const nowMs = Date.now();
    const [oldestWaiting, totals, workers, attention] = await Promise.all([
      readOldest(redis, places),
      readTotals(redis, places, nowMs),
      Promise.all(places.map((keys) => readWorkers(redis, keys, nowMs))),
      readAttention(lists, nowMs),
    ]);
    return { time: isoOf(nowMs), oldestWaiting, totals, workers: workers.flat(), attention };
  };
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

const readOldest = (redis: Redis, places: readonly EngineKeys[]): Promise<Overview['oldestWaiting']> =>
  Promise.all(
    mechanism.options.map(async (kind) => {
      const own = places.filter((keys) => keys.kind === kind);
      const oldest = await Promise.all(
        own.flatMap((keys) => [oldestWaitingMs(redis, keys), oldestReadyMs(redis, keys)]),
      );
      const oldestMs = Math.min(...oldest);
      return { kind, acceptedAt: Number.isFinite(oldestMs) ? isoOf(oldestMs) : null };
    }),
  );

async function readTotals(redis: Redis, places: readonly EngineKeys[], nowMs: number): Promise<Overview['totals']> {
  const overPlaces = async (read: (keys: EngineKeys) => Promise<number>): Promise<number> =>
    sum(await Promise.all(places.map(read)));
  const [waiting, deadLetters, resends, held, paused] = await Promise.all([
    countUndelivered(redis, places),
    Promise.all([...new Set(places.map(({ deadLetters: key }) => key))].map((key) => redis.zcard(key))),
    overPlaces(({ due }) => redis.zcard(due)),
    overPlaces((keys) => redis.zcount(keys.parked, nowMs, '+inf')),
    overPlaces((keys) => redis.zcount(keys.paused, nowMs, '+inf')),
  ]);
  // Paused destinations that no worker owns are in the set of parked ones too.
  const parked = Math.max(0, held - paused);
  return { waiting, resends, parked, paused, deadLetters: sum(deadLetters) };
}

async function readWorkers(redis: Redis, keys: EngineKeys, nowMs: number): Promise<WorkerView[]> {
  const { kind, shard } = keys;
  const rows = await redis.zrange(keys.workers, '0', '-1', 'WITHSCORES');
  const found = rows.flatMap((id, i) => (i % 2 === 0 ? [{ id, leaseUntilMs: Number(rows[i + 1]) }] : []));
  return Promise.all(
    found.map(async ({ id, leaseUntilMs }) => ({
      id,
      kind,
      shard,
      lastHeartbeatAt: isoOf(Math.max(0, leaseUntilMs - LEASE_MS)),
      isAlive: leaseUntilMs > nowMs,
      destinations: await redis.scard(keys.owned(id)),
    })),
  );
}

async function readAttention(lists: DestinationLists, nowMs: number): Promise<DestinationView[]> {
  const page = { limit: EACH_AT_MOST };
  const [parked, paused, waiting] = await Promise.all([
    lists.list('parked', page),
    lists.list('paused', page),
    lists.list('waiting', page),
  ]);
  const isLate = ({ oldestWaitingAt }: DestinationView): boolean =>
    oldestWaitingAt !== undefined && Date.parse(oldestWaitingAt) < nowMs - LATE_MS;
  const found = [...parked.items, ...paused.items, ...waiting.items.filter(isLate)];
  const unique = [...new Map(found.map((view) => [view.id, view])).values()];
  return unique.sort((a, b) => timeOf(a) - timeOf(b));
}

const timeOf = ({ oldestWaitingAt }: DestinationView): number =>
  oldestWaitingAt === undefined ? Number.POSITIVE_INFINITY : Date.parse(oldestWaitingAt);
