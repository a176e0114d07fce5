import {
  destinationHealthOf,
  moduleOf,
  NO_DELIVERIES,
  readCoded,
  recentOf,
  RESENDS_READ,
  SHAPES,
  withoutQuotations,
} from '@mailhook/core';
import type { CodedText, Destination, DestinationView } from '@mailhook/core';
import { maskText } from '@mailhook/platform/logger';
import type { Redis } from '@mailhook/platform/redis';
import type { EngineKeys, Installation } from '@mailhook/delivery';
import {
  ACTIVE,
  BY_CUSTOMER,
  DELETED,
  findKeys,
  GONE,
  inFlightOf,
  OWNED,
  readMailbox,
  readOldestMs,
  readResends,
  newEvents,
} from '@mailhook/delivery/mailbox';
import type { MailboxState } from '@mailhook/delivery/mailbox';
import { readRecent } from './delivery-history.ts';
import type { RecentHistory } from './delivery-history.ts';

/** Returns undefined if the destination is unknown or deleted. */
export async function readDestination(
  redis: Redis,
  keys: EngineKeys,
  id: string,
): Promise<DestinationView | undefined> {
  const found = await readCurrent(redis, keys, id);
  if (found === undefined) return undefined;
  const history = await readRecent(redis, keys, found.account, [id], Date.now());
  return found.viewWith(history.get(id));
}

/** A destination as it is now. `viewWith` adds its last deliveries. */
interface Current {
  readonly account: string;
  readonly viewWith: (recent: RecentHistory | undefined) => DestinationView;
}

async function readCurrent(redis: Redis, keys: EngineKeys, id: string): Promise<Current | undefined> {
  const [mailbox, resendIds] = await Promise.all([
    readMailbox(redis, keys, id),
    redis.srandmember(keys.resendsOf(id), RESENDS_READ),
  ]);
  const { state, record } = mailbox;
  if (record === undefined || record.record === DELETED) return undefined;
  const nowMs = Date.now();
  const [[entriesMs = Number.POSITIVE_INFINITY], resends, dueTimes] = await Promise.all([
    readOldestMs(redis, keys, [mailbox]),
    readResends(redis, keys, resendIds),
    resendIds.length === 0 ? [] : redis.zmscore(keys.due, resendIds),
  ]);
  const resendEvents = resends.reduce((sum, { events }) => sum + events, 0);
  const waiting = newEvents(state) + Math.round((resendEvents * state.resends) / Math.max(1, resendIds.length));
  const inFlight = inFlightOf(state);
  // A resend in flight is counted with the resends.
  const newInFlight = inFlight.filter(({ lane }) => lane !== 'x').reduce((sum, { events }) => sum + events, 0);
  const nextResendMs = Math.min(...dueTimes.filter((time) => time !== null).map(Number));
  const resendTimes = resends.map(({ acceptedAtMs }) => acceptedAtMs).filter((time) => !Number.isNaN(time));
  const oldestMs = Math.min(entriesMs, ...resendTimes);
  const error = [state.error, ...resends.map((resend) => resend.error)].find((text) => text !== '');
  const isActive = record.record === ACTIVE;
  const standing = standingOf(state, nowMs, isActive, waiting);
  const viewWith: Current['viewWith'] = (found) => {
    const recent = found ?? { lastHour: recentOf(NO_DELIVERIES), isTried: false };
    return {
      id,
      kind: keys.kind,
      module: moduleOf(keys.kind),
      shape: SHAPES[record.shape] ?? 'single',
      account: record.account,
      address: record.address,
      state: standing,
      health: destinationHealthOf({
        isActive,
        isGone: record.record === GONE,
        held: standing === 'paused' || standing === 'parked' ? standing : undefined,
        failures: state.failures,
        ...recent,
      }),
      waiting,
      undelivered: waiting + newInFlight,
      resends: state.resends,
      inFlight: inFlight.length,
      failures: state.failures,
      ...recent,
      breaker: phaseOf(state.parkMs, state.parkedUntilMs > nowMs),
      ...(isActive ? {} : { inactiveReason: readCoded(record.reason) }),
      ...endsOf(state, nowMs),
      ...(Number.isFinite(nextResendMs) ? { nextResendAt: isoOf(nextResendMs) } : {}),
      ...(Number.isFinite(oldestMs) ? { oldestWaitingAt: isoOf(oldestMs) } : {}),
      ...(error === undefined ? {} : { lastError: forOperators(readCoded(error)) }),
    };
  };
  return { account: record.account, viewWith };
}

/** Its text quotes nothing of a reply. */
const forOperators = (error: CodedText): CodedText => error.shownAs(maskText(withoutQuotations(String(error))));

/** The ends of a parking and of a pause that have not ended. */
function endsOf(
  { parkedUntilMs, pausedUntilMs, pausedBy }: MailboxState,
  nowMs: number,
): Pick<DestinationView, 'parkedUntil' | 'pausedUntil' | 'pausedBy'> {
  const by = pausedBy === BY_CUSTOMER ? 'customer' : 'operator';
  return {
    ...(parkedUntilMs > nowMs ? { parkedUntil: isoOf(parkedUntilMs) } : {}),
    ...(pausedUntilMs > nowMs ? { pausedUntil: isoOf(pausedUntilMs), pausedBy: by } : {}),
  };
}

/** By internal id. Rejects while Redis is away. */
export type FindDestination = (id: string) => Promise<DestinationView | undefined>;

export const createFindDestination =
  (installation: Installation): FindDestination =>
  async (id) => {
    const keys = await findKeys(installation, id);
    return keys === undefined ? undefined : readDestination(installation.redis, keys, id);
  };

/** Reads some destinations of one account, by destination id. Leaves out unknown and deleted ones. */
export type ReadDestinations = (
  account: string,
  destinations: readonly Pick<Destination, 'id' | 'kind'>[],
) => Promise<ReadonlyMap<string, DestinationView>>;

export const createReadDestinations =
  (installation: Installation): ReadDestinations =>
  async (account, destinations) => {
    const { redis } = installation;
    const ids = destinations.map(({ id }) => id);
    const [history, ...found] = await Promise.all([
      readRecent(redis, installation.keysOf(account, 'campaign'), account, ids, Date.now()),
      ...destinations.map(({ id, kind }) => readCurrent(redis, installation.keysOf(account, kind), id)),
    ]);
    const views = found.map((one, i) => one?.viewWith(history.get(ids[i] ?? '')));
    return new Map(views.filter((view) => view !== undefined).map((view) => [view.id, view]));
  };

function standingOf(state: MailboxState, nowMs: number, isActive: boolean, waiting: number): DestinationView['state'] {
  if (!isActive) return 'inactive';
  if (state.pausedUntilMs > nowMs) return 'paused';
  if (state.parkedUntilMs > nowMs) return 'parked';
  if (state.status === OWNED) return 'sending';
  return waiting > 0 ? 'waiting' : 'idle';
}

export function phaseOf(parkMs: number, isOpen: boolean): DestinationView['breaker'] {
  if (isOpen) return 'open';
  return parkMs > 0 ? 'half-open' : 'closed';
}

export const isoOf = (ms: number): string => new Date(ms).toISOString();
