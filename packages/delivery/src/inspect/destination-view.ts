import { shardOf, withoutQuotations } from '@mailhook/core';
import type { Destination, Mechanism, RecentDeliveries } from '@mailhook/core';
import { maskText } from '@mailhook/platform/logger';
import type { Redis } from '@mailhook/platform/redis';
import { engineKeys } from '../mailbox/keys.ts';
import type { EngineKeys } from '../mailbox/keys.ts';
import { acceptedAtMs } from '../mailbox/entry.ts';
import type { PausedBy } from '../mailbox/commands.ts';
import { readLastHour } from '../record/delivery-history.ts';
import { readWindow } from '../mailbox/window.ts';

/** `paused` by a person, `parked` by its breaker, `sending` (owned by a worker), `waiting` for a worker or a resend's due time, `idle` without events. */
export type DestinationState = 'inactive' | 'paused' | 'parked' | 'sending' | 'waiting' | 'idle';

/** `open`: parked, nothing but due resends is sent. `half-open`: the parking has ended, and the next attempt decides. */
export type BreakerPhase = 'closed' | 'open' | 'half-open';

/** A destination as operators see it, without recipients' data. */
export interface DestinationView {
  readonly id: string;
  readonly kind: Mechanism;
  readonly account: string;
  readonly address: string;
  readonly state: DestinationState;
  /** New events that are not in flight, and the events of all resends, those in flight included. An estimate if there are more than 100 resends. */
  readonly waiting: number;
  /** `waiting`, and the new events in flight. */
  readonly undelivered: number;
  /** Failed batches and notifications that are sent again, those in flight included. */
  readonly resends: number;
  /** Batches and notifications in flight. */
  readonly inFlight: number;
  /** Failures in a row. */
  readonly failures: number;
  readonly lastHour: RecentDeliveries;
  readonly breaker: BreakerPhase;
  readonly inactiveReason?: string;
  readonly parkedUntil?: string;
  readonly pausedUntil?: string;
  /** With `pausedUntil`. */
  readonly pausedBy?: PausedBy;
  /** When the next resend is due. Considers 100 resends at most. */
  readonly nextResendAt?: string;
  /** When the oldest waiting event was accepted. Considers 100 resends at most. */
  readonly oldestWaitingAt?: string;
  /**
   * Error of the last failed attempt, until one succeeds, or else of one of the resends. Recipients' addresses are
   * masked.
   */
  readonly lastError?: string;
}

/** Most resends of a destination that are read. */
export const RESENDS_READ = 100;
const FIELDS = [
  'account',
  'address',
  'active',
  'reason',
  'deleted',
  'owner',
  'win',
  'bf',
  'bu',
  'paused',
  'version',
  'pausedby',
  'bp',
  'error',
];

/** Returns undefined if the destination is unknown or deleted. For the fields of a mailbox, see `mailbox/lua/README.md`. */
export async function readDestination(
  redis: Redis,
  keys: EngineKeys,
  id: string,
): Promise<DestinationView | undefined> {
  const [record, ef, eu, heads, resendIds, resends] = await Promise.all([
    redis.hmget(keys.destination(id), ...FIELDS),
    redis.hget(keys.destination(id), 'ef'),
    redis.hget(keys.destination(id), 'eu'),
    Promise.all([redis.lindex(keys.lane('f', id), 0), redis.lindex(keys.lane('u', id), 0)]),
    redis.srandmember(keys.resendsOf(id), RESENDS_READ),
    redis.scard(keys.resendsOf(id)),
  ]);
  const [account, address, active, reason, deleted, owner, win, bf, bu, paused, version, pausedBy, bp, lastError] =
    record;
  if (account == null || version == null || deleted === '1') return undefined;
  const nowMs = Date.now();
  const [failed, dueTimes, lastHour] = await Promise.all([
    Promise.all(resendIds.map((resend) => redis.hmget(keys.resend(resend), 'at', 'events', 'error'))),
    resendIds.length === 0 ? [] : redis.zmscore(keys.due, resendIds),
    readLastHour(redis, keys, account, id, nowMs),
  ]);
  const fresh = Math.max(0, Number(ef ?? 0)) + Math.max(0, Number(eu ?? 0));
  const failedEvents = failed.reduce((sum, [, events]) => sum + Number(events ?? 0), 0);
  const waiting = fresh + Math.round((failedEvents * resends) / Math.max(1, resendIds.length));
  const inFlight = readWindow(win).filter(({ isDone }) => !isDone);
  // A resend in flight is counted with the resends.
  const newInFlight = inFlight.filter(({ lane }) => lane !== 'x').reduce((sum, { events }) => sum + events, 0);
  const nextResendMs = Math.min(...dueTimes.filter((time) => time !== null).map(Number));
  const oldestMs = oldestOf([...heads, ...failed.map(([at]) => at)]);
  const ofFailures = Number(bf ?? 0) > 0 ? lastError : '';
  const error = [ofFailures, ...failed.map(([, , text]) => text)].find((text) => text != null && text !== '');
  const times = { parkedUntilMs: Number(bu ?? 0), pausedUntilMs: Number(paused ?? 0) };
  const isActive = active === '1';
  return {
    id,
    kind: keys.kind,
    account,
    address: address ?? '',
    state: stateOf({ ...times, nowMs, isActive, isOwned: (owner ?? '') !== '', waiting }),
    waiting,
    undelivered: waiting + newInFlight,
    resends,
    inFlight: inFlight.length,
    failures: Number(bf ?? 0),
    lastHour,
    breaker: phaseOf(Number(bp ?? 0), times.parkedUntilMs > nowMs),
    ...(isActive || reason == null ? {} : { inactiveReason: reason }),
    ...endsOf(times, nowMs, pausedBy === 'customer' ? pausedBy : 'operator'),
    ...(Number.isFinite(nextResendMs) ? { nextResendAt: isoOf(nextResendMs) } : {}),
    ...(oldestMs === undefined ? {} : { oldestWaitingAt: isoOf(oldestMs) }),
    ...(error == null ? {} : { lastError: maskText(withoutQuotations(error)) }),
  };
}

/** The ends of a parking and of a pause that have not ended. */
function endsOf(
  { parkedUntilMs, pausedUntilMs }: { readonly parkedUntilMs: number; readonly pausedUntilMs: number },
  nowMs: number,
  pausedBy: PausedBy,
): Pick<DestinationView, 'parkedUntil' | 'pausedUntil' | 'pausedBy'> {
  return {
    ...(parkedUntilMs > nowMs ? { parkedUntil: isoOf(parkedUntilMs) } : {}),
    ...(pausedUntilMs > nowMs ? { pausedUntil: isoOf(pausedUntilMs), pausedBy } : {}),
  };
}

/** Reads some destinations of one account, by destination id. Leaves out unknown and deleted ones. */
export type ReadDestinations = (
  account: string,
  destinations: readonly Pick<Destination, 'id' | 'kind'>[],
) => Promise<ReadonlyMap<string, DestinationView>>;

export const createReadDestinations =
  (options: { readonly redis: Redis; readonly queuePrefix: string; readonly shards: number }): ReadDestinations =>
  async (account, destinations) => {
    const shard = shardOf(account, options.shards);
    const views = await Promise.all(
      destinations.map(({ id, kind }) =>
        readDestination(options.redis, engineKeys(options.queuePrefix, shard, kind), id),
      ),
    );
    return new Map(views.filter((view) => view !== undefined).map((view) => [view.id, view]));
  };

function stateOf(facts: {
  readonly nowMs: number;
  readonly isActive: boolean;
  readonly isOwned: boolean;
  readonly pausedUntilMs: number;
  readonly parkedUntilMs: number;
  readonly waiting: number;
}): DestinationState {
  if (!facts.isActive) return 'inactive';
  if (facts.pausedUntilMs > facts.nowMs) return 'paused';
  if (facts.parkedUntilMs > facts.nowMs) return 'parked';
  if (facts.isOwned) return 'sending';
  return facts.waiting > 0 ? 'waiting' : 'idle';
}

function phaseOf(parkMs: number, isOpen: boolean): BreakerPhase {
  if (isOpen) return 'open';
  return parkMs > 0 ? 'half-open' : 'closed';
}

function oldestOf(entries: readonly (string | null | undefined)[]): number | undefined {
  const times = entries.map((entry) => acceptedAtMs(entry ?? '')).filter((time) => !Number.isNaN(time));
  return times.length === 0 ? undefined : Math.min(...times);
}

export const isoOf = (ms: number): string => new Date(ms).toISOString();
