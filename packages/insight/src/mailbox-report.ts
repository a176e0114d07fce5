import type { DestinationView, Mechanism } from '@mailhook/core';
import { readCoded, withoutQuotations } from '@mailhook/core';
import { maskReceiverAddress, maskText } from '@mailhook/platform/logger';
import type { Redis } from '@mailhook/platform/redis';
import type { EngineKeys, Installation } from '@mailhook/delivery';
import {
  ACTIVE,
  BY_CUSTOMER,
  DELETED,
  GONE,
  hasMailbox,
  IDLE,
  INACTIVE,
  inFlightOf,
  OWNED,
  placesOf,
  readMailbox,
  readOldestMs,
  readResends,
  readWorkers,
  READY,
  sizeLimitOf,
  UNKNOWN,
  WAITING,
  workerOf,
} from '@mailhook/delivery/mailbox';
import type { Mailbox, MailboxState } from '@mailhook/delivery/mailbox';
import { isoOf, phaseOf } from './destination-view.ts';

/** A mailbox as Redis has it, in words. Times are ISO 8601, null for none. */
export interface MailboxReport {
  /** By Redis's clock. */
  readonly time: string;
  readonly destination: string;
  readonly kind: Mechanism;
  readonly shard: number;
  /** Null if events have arrived before the record of their destination. */
  readonly record: {
    readonly state: 'active' | 'inactive' | 'gone' | 'deleted';
    readonly account: string;
    /** Its origin. */
    readonly address: string;
    /** Why it is inactive. */
    readonly reason: string;
    readonly version: number;
    readonly revision: number;
    /** Whether its last attempt succeeded. */
    readonly isProven: boolean;
  } | null;
  readonly status: 'idle' | 'ready' | 'owned' | 'waiting';
  readonly owner: {
    readonly token: string;
    readonly worker: string;
    readonly host: string | null;
    readonly pid: number | null;
    readonly leaseUntil: string | null;
  } | null;
  readonly events: {
    /** That are not in flight. */
    readonly fresh: number;
    readonly unsubscribes: number;
    /** Of replays. */
    readonly replayed: number;
    /** Those of resends included. */
    readonly inFlight: number;
    readonly since: string | null;
    /** Of the first entries of both lanes. */
    readonly oldestAcceptedAt: string | null;
    readonly isInBacklog: boolean;
  };
  readonly window: readonly {
    readonly id: string;
    readonly lane: 'fresh' | 'unsubscribes' | 'replayed' | 'resends';
    readonly isSettled: boolean;
    readonly entries: number;
    readonly events: number;
    readonly attempt: number;
    readonly bytes: number;
  }[];
  readonly breaker: {
    readonly phase: DestinationView['breaker'];
    readonly failures: number;
    readonly parkMs: number;
    readonly parkedUntil: string | null;
    /** Of the last failure. Addresses of recipients are masked. */
    readonly error: string;
  };
  readonly pause: { readonly until: string; readonly by: 'customer' | 'operator' } | null;
  /** Events that were accepted until then are given up. */
  readonly giveUpUntil: string | null;
  readonly sizeLimitBytes: number | null;
  /** `start`, or the position of a "send now" in the set of resends. */
  readonly sendNow: string | null;
  readonly resends: {
    readonly due: number;
    readonly all: number;
    /** Up to 20 of them. */
    readonly some: readonly {
      readonly id: string;
      readonly webhookId: string;
      readonly events: number;
      readonly attempt: number;
      readonly acceptedAt: string | null;
      /** Null if it is due or in flight. */
      readonly dueAt: string | null;
      readonly error: string;
    }[];
  };
}

/** Resends that a report shows. */
const RESENDS_SHOWN = 20;

const RECORD_STATES = { [ACTIVE]: 'active', [INACTIVE]: 'inactive', [GONE]: 'gone', [DELETED]: 'deleted' } as const;
const STATUSES = { [IDLE]: 'idle', [READY]: 'ready', [OWNED]: 'owned', [WAITING]: 'waiting' } as const;
const LANES = { f: 'fresh', u: 'unsubscribes', r: 'replayed', x: 'resends' } as const;

/**
 * Finds the mailbox of a destination by its internal id, in its mechanism and shard. Reads only. Undefined if Redis
 * has neither a record nor a mailbox of this name. Rejects while Redis is away.
 */
export async function readMailboxReport(
  installation: Installation,
  destination: string,
): Promise<MailboxReport | undefined> {
  const { redis } = installation;
  for (const keys of placesOf(installation, destination)) {
    if (await hasMailbox(redis, keys, destination)) return reportOf(redis, keys, destination);
  }
  return undefined;
}

async function reportOf(redis: Redis, keys: EngineKeys, destination: string): Promise<MailboxReport> {
  const mailbox = await readMailbox(redis, keys, destination);
  const { state } = mailbox;
  const [[seconds], [oldestMs = Number.NaN], owner, some] = await Promise.all([
    redis.time(),
    readOldestMs(redis, keys, [mailbox]),
    ownerOf(redis, keys, state.owner),
    someResends(redis, keys, destination),
  ]);
  const nowMs = Number(seconds) * 1000;
  return {
    time: isoOf(nowMs),
    destination,
    kind: keys.kind,
    shard: keys.shard,
    record: recordOf(mailbox),
    status: STATUSES[state.status as keyof typeof STATUSES],
    owner,
    events: {
      fresh: state.fresh,
      unsubscribes: state.unsubscribes,
      replayed: state.replayed,
      inFlight: inFlightOf(state).reduce((sum, { events }) => sum + events, 0),
      since: timeOf(state.holdsEventsSinceMs),
      oldestAcceptedAt: timeOf(oldestMs),
      isInBacklog: state.isListed,
    },
    window: state.window.map((batch) => ({
      id: batch.id,
      lane: LANES[batch.lane],
      isSettled: batch.isSettled,
      entries: batch.entries,
      events: batch.events,
      attempt: batch.attempt,
      bytes: batch.bytes,
    })),
    breaker: {
      phase: phaseOf(state.parkMs, state.parkedUntilMs > nowMs),
      failures: state.failures,
      parkMs: state.parkMs,
      parkedUntil: timeOf(state.parkedUntilMs),
      error: errorText(state.error),
    },
    pause: pauseOf(state),
    giveUpUntil: timeOf(state.giveUpUntilMs),
    sizeLimitBytes: sizeLimitOf(state)?.maxBytes ?? null,
    sendNow: state.sendNow === '' ? null : state.sendNow,
    resends: { due: state.dueResends, all: state.resends, some },
  };
}

function recordOf({ record }: Mailbox): MailboxReport['record'] {
  if (record === undefined || record.record === UNKNOWN) return null;
  return {
    state: RECORD_STATES[record.record as keyof typeof RECORD_STATES],
    account: record.account,
    address: maskReceiverAddress(record.address),
    reason: errorText(record.reason),
    version: record.version,
    revision: record.revision,
    isProven: record.isProven,
  };
}

const pauseOf = ({ pausedUntilMs, pausedBy }: MailboxState): MailboxReport['pause'] =>
  pausedUntilMs === 0 ? null : { until: isoOf(pausedUntilMs), by: pausedBy === BY_CUSTOMER ? 'customer' : 'operator' };

async function ownerOf(redis: Redis, keys: EngineKeys, token: string): Promise<MailboxReport['owner']> {
  if (token === '') return null;
  const worker = workerOf(token);
  const found = (await readWorkers(redis, keys)).find(({ id }) => id === worker);
  const { host = null, pid = null, leaseUntilMs = 0 } = found ?? {};
  return { token, worker, host, pid, leaseUntil: timeOf(leaseUntilMs) };
}

async function someResends(
  redis: Redis,
  keys: EngineKeys,
  destination: string,
): Promise<MailboxReport['resends']['some']> {
  const resends = await readResends(redis, keys, await redis.srandmember(keys.resendsOf(destination), RESENDS_SHOWN));
  const ids = resends.map(({ id }) => id);
  const due = ids.length === 0 ? [] : await redis.zmscore(keys.due, ids);
  return resends.map(({ id, webhookId, events, attempt, acceptedAtMs, error }, i) => ({
    id,
    webhookId,
    events,
    attempt,
    acceptedAt: timeOf(acceptedAtMs),
    dueAt: timeOf(Number(due[i] ?? 0)),
    error: errorText(error),
  }));
}

const timeOf = (ms: number): string | null => (ms > 0 && Number.isFinite(ms) ? isoOf(ms) : null);

const errorText = (packed: string): string =>
  packed === '' ? '' : maskText(withoutQuotations(String(readCoded(packed))));
