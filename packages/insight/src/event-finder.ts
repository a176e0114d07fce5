import { Semaphore } from 'async-mutex';
import type { DeliveryAttempt, Destination, EventTrace, EventTraces, EventType, Mechanism } from '@mailhook/core';
import {
  emailKey,
  eventsIn,
  fragmentEmail,
  fragmentHash,
  fragmentId,
  fragmentMessageId,
  fragmentType,
  hash32,
  isNotification,
  isVersion2,
  mechanism,
  publicIdOf,
  readCoded,
} from '@mailhook/core';
import type { Redis } from '@mailhook/platform/redis';
import { batchOfAttempt, KEPT_ATTEMPTS } from '@mailhook/delivery';
import type { EngineKeys, EventSearch, Installation } from '@mailhook/delivery';
import {
  acceptedAtMs,
  eventsOf,
  formatDeadLetterId,
  fragmentsOf,
  readDeadLetter,
  readEntries,
  readListMember,
  readMailbox,
  readResend,
} from '@mailhook/delivery/mailbox';
import type { AttemptLog, TriedEvent } from './attempt-log.ts';
import { DEAD_LETTERS_MAX, RESENDS_MAX } from './held-events.ts';

/** Finds where an event is (see `EventTraces`). */
export interface EventFinder {
  /** `destinations`: those of the account. */
  find(
    account: string,
    wanted: EventSearch,
    destinations: readonly Pick<Destination, 'id' | 'kind'>[],
  ): Promise<EventTraces>;
}

/**
 * Destinations searched at once. Each search holds a page of the mailbox in memory, and Redis serves one call at a time
 * anyway.
 */
const DESTINATIONS_AT_ONCE = 4;
const PAGE = 500;
/** Most items and most attempts of a result. Only a recipient has so many. */
const FOUND_MAX = 200;

/** How many events a search covers at most. */
export const SEARCHED_MAX = { waiting: 10_000, resends: RESENDS_MAX, deadLetters: DEAD_LETTERS_MAX } as const;
const SEARCHED =
  `the first ${SEARCHED_MAX.waiting} waiting events of each destination, ${SEARCHED_MAX.resends} resends of each, ` +
  `the newest ${SEARCHED_MAX.deadLetters} dead letters, and the log of attempts: ${KEPT_ATTEMPTS}`;

/** Finds events in the data that the engine keeps for its work, without an index. */
export const createEventFinder = (installation: Installation, attempts: Pick<AttemptLog, 'find'>): EventFinder => ({
  async find(account, wanted, destinations) {
    const { redis } = installation;
    const placeOf = (kind: Mechanism): Place => ({ redis, keys: installation.keysOf(account, kind), account });
    const search = matcherOf(wanted);
    const { attempts: tried, events } = await attempts.find(account, wanted);
    const failed = tried.filter(({ status }) => status === 'failed').slice(0, FOUND_MAX);
    const batches = failed.map(({ id }) => batchOfAttempt(id));
    const limit = new Semaphore(DESTINATIONS_AT_ONCE);
    const held = await Promise.all(
      destinations.map(({ id, kind }) =>
        limit.runExclusive(async () => [
          await findInMailbox(placeOf(kind), id, search),
          await findResends(placeOf(kind), id, search, batches),
        ]),
      ),
    );
    // Also those of deleted destinations.
    const dead = await Promise.all(mechanism.options.map((kind) => findDead(placeOf(kind), search)));
    const searched = [...held.flat(), ...dead];
    const found = searched.flatMap((one) => one.found);
    const items = found.slice(0, FOUND_MAX);
    const isComplete = found.length === items.length && searched.every((one) => one.isComplete);
    return {
      items: [...items.map(({ trace }) => trace), ...ended(events, items, isComplete)].slice(0, FOUND_MAX),
      attempts: tried.slice(0, FOUND_MAX),
      searched: SEARCHED,
      isComplete,
    };
  },
});

/** The mailboxes of one mechanism, in the shard of an account. */
interface Place {
  readonly redis: Redis;
  readonly keys: EngineKeys;
  readonly account: string;
}

/** A wanted event, and what its trace says of it. */
interface WantedEvent extends Pick<TriedEvent, 'fingerprint'> {
  readonly name: Pick<EventTrace, 'id' | 'hash' | 'type'>;
}

interface FoundEvent extends Pick<WantedEvent, 'fingerprint'> {
  readonly trace: EventTrace;
}

/** What a search found in one place, and whether it searched all of it. */
interface Found {
  readonly found: readonly FoundEvent[];
  readonly isComplete: boolean;
}

interface Matcher {
  /** The wanted events in a text of fragments. */
  readonly inText: (fragments: string) => readonly WantedEvent[];
  /** The same for the content of a frozen batch or a resend with this `webhook-id`. */
  readonly inRequest: (webhookId: string, fragments: string) => readonly WantedEvent[];
}

/** What names an event in a search, '' where it has no such name. */
const NAMES = {
  id: (fragment: string) => (isVersion2(fragment) ? fragmentId(fragment) : ''),
  hash: (fragment: string) => (isNotification(fragment) ? '' : fragmentHash(fragment)),
  messageId: fragmentMessageId,
  email: (fragment: string) => emailKey(fragmentEmail(fragment)),
};

function matcherOf(wanted: EventSearch): Matcher {
  if ('webhookId' in wanted) {
    const { webhookId } = wanted;
    const one: readonly WantedEvent[] = [{ fingerprint: hash32(webhookId), name: {} }];
    return {
      // An entry of version 1 begins with its `webhook-id`.
      inText: (fragments) => (fragments.startsWith(`${webhookId}\n`) ? one : []),
      inRequest: (id) => (id === webhookId ? one : []),
    };
  }
  const [[field, value]] = Object.entries(wanted) as [[keyof typeof NAMES, string]];
  const name = field === 'email' ? emailKey(value) : value;
  const needle = JSON.stringify(name).slice(1, -1);
  const inText = (fragments: string): WantedEvent[] => {
    // Most texts do not contain the name at all, and splitting all of them would take long.
    const searched = field === 'email' ? fragments.toLowerCase() : fragments;
    if (name === '' || !searched.includes(needle)) return [];
    return eventsIn(fragments)
      .filter((fragment) => NAMES[field](fragment) === name)
      .map((fragment) => wantedEvent(fragment, field === 'email'));
  };
  return { inText, inRequest: (_webhookId, fragments) => inText(fragments) };
}

/** Events of version 1 are named only after a search by recipient. */
function wantedEvent(fragment: string, isByEmail: boolean): WantedEvent {
  const type = fragmentType(fragment, 'campaign') as EventType;
  if (isVersion2(fragment)) {
    const id = fragmentId(fragment);
    return { fingerprint: hash32(id), name: { id, type } };
  }
  if (isNotification(fragment)) return { fingerprint: hash32(fragmentMessageId(fragment)), name: {} };
  const hash = fragmentHash(fragment);
  return { fingerprint: hash32(hash), name: isByEmail ? { hash, type } : {} };
}

const acceptedAt = (entry: string): string => new Date(acceptedAtMs(entry)).toISOString();

async function findInMailbox({ redis, keys, account }: Place, destination: string, search: Matcher): Promise<Found> {
  const mailbox = await readMailbox(redis, keys, destination);
  const { window } = mailbox.state;
  const found: FoundEvent[] = [];
  let isComplete = true;
  for (const lane of ['u', 'f', 'r'] as const) {
    // The batch of each frozen entry, by the entry's position in the lane.
    const frozen = window
      .filter((batch) => batch.lane === lane)
      .flatMap((batch) => Array.from({ length: batch.entries }, () => batch));
    let events = 0;
    for (let from = 0; ; from += PAGE) {
      if (events >= SEARCHED_MAX.waiting) {
        isComplete = false;
        break;
      }
      const entries = await readEntries(redis, keys, mailbox, lane, from, PAGE);
      for (const [i, entry] of entries.entries()) {
        events += eventsOf(entry);
        const batch = frozen[from + i];
        // This entry is settled but not trimmed yet. The attempt log, the resends or the dead letters have its events.
        if (batch?.isSettled === true) continue;
        const fragments = fragmentsOf(entry);
        // The request of a notification of version 1 has another `webhook-id`, which its entry begins with.
        const isNamedByBatch = batch !== undefined && !isNotification(fragments);
        const wanted = isNamedByBatch ? search.inRequest(`msg_${batch.id}`, fragments) : search.inText(fragments);
        const trace: EventTrace = {
          destination: publicIdOf(account, destination),
          acceptedAt: acceptedAt(entry),
          state: batch === undefined ? 'waiting' : 'in_flight',
          attempts: batch?.attempt ?? 0,
        };
        found.push(...traced(wanted, trace));
      }
      if (entries.length < PAGE) break;
    }
  }
  return { found, isComplete };
}

const traced = (events: readonly WantedEvent[], trace: EventTrace): FoundEvent[] =>
  events.map(({ fingerprint, name }) => ({ fingerprint, trace: { ...trace, ...name } }));

/** @param batches ids of batches whose resends are read in any case. */
async function findResends(
  { redis, keys, account }: Place,
  destination: string,
  search: Matcher,
  batches: readonly string[],
): Promise<Found> {
  const [ids, count] = await Promise.all([
    redis.srandmember(keys.resendsOf(destination), RESENDS_MAX),
    redis.scard(keys.resendsOf(destination)),
  ]);
  const found: FoundEvent[] = [];
  for (const id of new Set([...batches, ...ids])) {
    const one = await readResend(redis, keys, id);
    if (one?.resend.destination !== destination) continue;
    const { webhookId, attempt, error, acceptedAtMs: at } = one.resend;
    const events = search.inRequest(webhookId, one.body);
    if (events.length === 0) continue;
    const due = await redis.zscore(keys.due, id);
    const trace: EventTrace = {
      destination: publicIdOf(account, destination),
      state: 'resend',
      attempts: attempt,
      ...(Number.isNaN(at) ? {} : { acceptedAt: new Date(at).toISOString() }),
      ...(error === '' ? {} : { error: readCoded(error) }),
      ...(due === null ? {} : { nextAttemptAt: new Date(Number(due)).toISOString() }),
    };
    found.push(...traced(events, trace));
  }
  return { found, isComplete: count <= RESENDS_MAX };
}

async function findDead({ redis, keys, account }: Place, search: Matcher): Promise<Found> {
  const [members, count] = await Promise.all([
    redis.zrevrange(keys.deadLettersOf(account), 0, DEAD_LETTERS_MAX - 1),
    redis.zcard(keys.deadLettersOf(account)),
  ]);
  const found: FoundEvent[] = [];
  for (const member of members) {
    const place = readListMember(member, keys.shard);
    const one = place.kind === keys.kind ? await readDeadLetter(redis, keys.prefix, place) : undefined;
    if (one === undefined) continue;
    const { webhookId, destination, attempts, error } = one.deadLetter;
    const events =
      one.body === undefined
        ? one.entries.map(fragmentsOf).flatMap(search.inText)
        : search.inRequest(webhookId, one.body);
    if (events.length === 0) continue;
    const trace: EventTrace = {
      destination: publicIdOf(account, destination),
      state: 'dead',
      attempts,
      deadLetter: formatDeadLetterId(place),
      error: readCoded(error),
    };
    found.push(...traced(events, trace));
  }
  return { found, isComplete: count <= DEAD_LETTERS_MAX };
}

/**
 * Traces from the log of attempts only: the newest attempt of each event at each destination that no longer holds it.
 * After an incomplete search, an event whose newest attempt failed may still be held, so it has no trace.
 */
function ended(events: readonly TriedEvent[], held: readonly FoundEvent[], isComplete: boolean): EventTrace[] {
  const placeOf = (fingerprint: number, destination: string): string => `${fingerprint} ${destination}`;
  const places = new Set(held.map(({ fingerprint, trace }) => placeOf(fingerprint, trace.destination)));
  return events.flatMap(({ fingerprint, name, newest }) => {
    const { destination, types: [type, another] = [] } = newest;
    // A test is no delivery.
    if (destination === undefined || newest.kind === 'test') return [];
    if (places.has(placeOf(fingerprint, destination)) || (!isComplete && newest.status === 'failed')) return [];
    const isTypeKnown = Object.keys(name).length > 0 && type !== undefined && another === undefined;
    return [{ ...traceOf(destination, newest), ...name, ...(isTypeKnown ? { type } : {}) }];
  });
}

const traceOf = (destination: string, { status, attempt, time, error }: DeliveryAttempt): EventTrace => ({
  destination,
  state: status,
  attempts: attempt,
  ...(status === 'delivered' ? { deliveredAt: time } : {}),
  ...(error === undefined ? {} : { error }),
});
