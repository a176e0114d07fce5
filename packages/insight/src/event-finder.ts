import { Semaphore } from 'async-mutex';
import type { DeliveryAttempt, Destination, EventTrace, EventTraces, EventType, Mechanism } from '@mailhook/core';
import { FRAGMENT_SEPARATOR, fragmentEmail, fragmentHash, fragmentType, hash32, readCoded } from '@mailhook/core';
import type { Redis } from '@mailhook/platform/redis';
import { batchOfAttempt, emailKey, KEPT_ATTEMPTS } from '@mailhook/delivery';
import type { EngineKeys, Installation } from '@mailhook/delivery';
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
import type { AttemptLog, RecipientAttempts } from './attempt-log.ts';
import { DEAD_LETTERS_MAX, RESENDS_MAX } from './held-events.ts';

/** What an event is searched by: keys of the event, the `webhook-id` of a request that carried it, or its recipient. */
export type EventSearch =
  | { readonly hash: string }
  | { readonly messageId: string }
  | { readonly webhookId: string }
  | { readonly email: string };

/** Finds where an event is (see `EventTraces`). */
export interface EventFinder {
  /**
   * `destinations` are those of the account that are searched. Only campaign events have a hash or a recipient, only
   * others a `messageId`.
   */
  find(
    account: string,
    wanted: EventSearch,
    destinations: readonly Pick<Destination, 'id' | 'kind'>[],
  ): Promise<EventTraces>;
}

type Attempts = Pick<AttemptLog, 'find' | 'findRecipient'>;

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
  `the first ${SEARCHED_MAX.waiting} waiting events of each destination, ${SEARCHED_MAX.resends} resends of each, the newest ${SEARCHED_MAX.deadLetters} dead letters, ` +
  `and the log of attempts: ${KEPT_ATTEMPTS}`;

/** Finds events in the data that the engine keeps for its work, without an index. */
export const createEventFinder = (installation: Installation, attempts: Attempts): EventFinder => ({
  async find(account, wanted, destinations) {
    const { redis } = installation;
    const keysOf = (kind: Mechanism): EngineKeys => installation.keysOf(account, kind);
    const search = matcherOf(wanted);
    const { attempts: tried, events } = await findTried(attempts, account, wanted);
    const failed = tried.filter(({ status }) => status === 'failed').slice(0, FOUND_MAX);
    const batches = failed.map(({ id }) => batchOfAttempt(id));
    const limit = new Semaphore(DESTINATIONS_AT_ONCE);
    const held = await Promise.all(
      destinations.map(({ id, kind }) =>
        limit.runExclusive(async () => [
          await findInMailbox(redis, keysOf(kind), id, search),
          await findResends(redis, keysOf(kind), id, search, batches),
        ]),
      ),
    );
    const kinds = [...new Set(destinations.map(({ kind }) => kind))];
    const dead = await Promise.all(kinds.map((kind) => findDead(redis, keysOf(kind), account, search)));
    const places = [...held.flat(), ...dead];
    const found = places.flatMap(({ traces }) => traces);
    const items = found.slice(0, FOUND_MAX);
    const isComplete = found.length === items.length && places.every((place) => place.isComplete);
    const rest = events === undefined ? ended(tried, items, isComplete) : endedOf(events, items, isComplete);
    return {
      items: [...items, ...rest].slice(0, FOUND_MAX),
      attempts: tried.slice(0, FOUND_MAX),
      searched: SEARCHED,
      isComplete,
    };
  },
});

/** What a search found in one place, and whether it searched all of it. */
interface Found {
  readonly traces: EventTrace[];
  readonly isComplete: boolean;
}

/** The wanted attempts in the log. `events`: those of the recipient, after a search by recipient. */
async function findTried(
  attempts: Attempts,
  account: string,
  wanted: EventSearch,
): Promise<{
  readonly attempts: readonly DeliveryAttempt[];
  readonly events: RecipientAttempts['events'] | undefined;
}> {
  if ('email' in wanted) return attempts.findRecipient(account, wanted.email);
  const search = 'webhookId' in wanted ? wanted : { eventKey: 'hash' in wanted ? wanted.hash : wanted.messageId };
  return { attempts: await attempts.find(account, search), events: undefined };
}

/** The wanted events in a text of fragments. After a search by recipient, they are named. */
interface Matcher {
  readonly inText: (fragments: string) => readonly Pick<EventTrace, 'hash' | 'type'>[];
  /** Whether a frozen batch or a resend with this `webhook-id` is wanted as a whole. */
  readonly isRequest: (webhookId: string) => boolean;
}

function matcherOf(wanted: EventSearch): Matcher {
  if ('email' in wanted) {
    const key = emailKey(wanted.email);
    const needle = JSON.stringify(key).slice(1, -1);
    return {
      inText: (fragments) =>
        // Most texts do not contain the address at all, and splitting all of them would take long.
        fragments.toLowerCase().includes(needle)
          ? fragments
              .split(FRAGMENT_SEPARATOR)
              .filter((fragment) => emailKey(fragmentEmail(fragment)) === key)
              .map((fragment) => ({
                hash: fragmentHash(fragment),
                type: fragmentType(fragment, 'campaign') as EventType,
              }))
          : [],
      isRequest: () => false,
    };
  }
  if ('webhookId' in wanted) {
    const { webhookId } = wanted;
    // A transactional entry begins with its `webhook-id`.
    return {
      inText: (fragments) => (fragments.startsWith(`${webhookId}${FRAGMENT_SEPARATOR}`) ? [{}] : []),
      isRequest: (id) => id === webhookId,
    };
  }
  const text = JSON.stringify('hash' in wanted ? wanted.hash : wanted.messageId);
  // Of version 1 and of version 2.
  const needles = 'hash' in wanted ? [`{"hash":${text},`, `,"hash":${text},"attempt":`] : [`"messageId":${text},`];
  const count = (fragments: string) => needles.reduce((sum, needle) => sum + fragments.split(needle).length - 1, 0);
  return {
    inText: (fragments) => Array.from({ length: count(fragments) }, () => ({})),
    isRequest: () => false,
  };
}

const destinationNameOf = (keys: EngineKeys, destination: string): string =>
  keys.kind === 'campaign' ? 'campaign' : destination;

const acceptedAt = (entry: string): string => new Date(acceptedAtMs(entry)).toISOString();

async function findInMailbox(redis: Redis, keys: EngineKeys, destination: string, search: Matcher): Promise<Found> {
  const mailbox = await readMailbox(redis, keys, destination);
  const { window } = mailbox.state;
  const found: EventTrace[] = [];
  let isComplete = true;
  for (const lane of ['u', 'f'] as const) {
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
        const isRequest = batch !== undefined && keys.kind === 'campaign' && search.isRequest(`msg_${batch.id}`);
        for (const event of isRequest ? [{}] : search.inText(fragmentsOf(entry))) {
          found.push({
            destination: destinationNameOf(keys, destination),
            acceptedAt: acceptedAt(entry),
            state: batch === undefined ? 'waiting' : 'in_flight',
            attempts: batch?.attempt ?? 0,
            ...event,
          });
        }
      }
      if (entries.length < PAGE) break;
    }
  }
  return { traces: found, isComplete };
}

/** @param batches ids of batches whose resends are read in any case. */
async function findResends(
  redis: Redis,
  keys: EngineKeys,
  destination: string,
  search: Matcher,
  batches: readonly string[],
): Promise<Found> {
  const [ids, count] = await Promise.all([
    redis.srandmember(keys.resendsOf(destination), RESENDS_MAX),
    redis.scard(keys.resendsOf(destination)),
  ]);
  const found: EventTrace[] = [];
  for (const id of new Set([...batches, ...ids])) {
    const one = await readResend(redis, keys, id);
    if (one?.resend.destination !== destination) continue;
    const { webhookId, attempt, error, acceptedAtMs: at } = one.resend;
    const events = search.isRequest(webhookId) ? [{}] : search.inText(one.body);
    if (events.length === 0) continue;
    const due = await redis.zscore(keys.due, id);
    const trace: EventTrace = {
      destination: destinationNameOf(keys, destination),
      state: 'resend',
      attempts: attempt,
      ...(Number.isNaN(at) ? {} : { acceptedAt: new Date(at).toISOString() }),
      ...(error === '' ? {} : { error: readCoded(error) }),
      ...(due === null ? {} : { nextAttemptAt: new Date(Number(due)).toISOString() }),
    };
    found.push(...events.map((event) => ({ ...trace, ...event })));
  }
  return { traces: found, isComplete: count <= RESENDS_MAX };
}

async function findDead(redis: Redis, keys: EngineKeys, account: string, search: Matcher): Promise<Found> {
  const [members, count] = await Promise.all([
    redis.zrevrange(keys.deadLettersOf(account), 0, DEAD_LETTERS_MAX - 1),
    redis.zcard(keys.deadLettersOf(account)),
  ]);
  const found: EventTrace[] = [];
  for (const member of members) {
    const place = readListMember(member, keys.shard);
    const one = place.kind === keys.kind ? await readDeadLetter(redis, keys.prefix, place) : undefined;
    if (one === undefined) continue;
    const { webhookId, destination, attempts, error } = one.deadLetter;
    const texts = one.body === undefined ? one.entries.map(fragmentsOf) : [one.body];
    const events = search.isRequest(webhookId) ? [{}] : texts.flatMap(search.inText);
    if (events.length === 0) continue;
    const trace: EventTrace = {
      destination: destinationNameOf(keys, destination),
      state: 'dead',
      attempts,
      deadLetter: formatDeadLetterId(place),
      error: readCoded(error),
    };
    found.push(...events.map((event) => ({ ...trace, ...event })));
  }
  return { traces: found, isComplete: count <= DEAD_LETTERS_MAX };
}

/**
 * Traces from the log of attempts only: the newest attempt of each destination that no longer holds the event. After an
 * incomplete search, an event whose newest attempt failed may still be held, so it has no trace.
 */
function ended(
  tried: readonly DeliveryAttempt[],
  undelivered: readonly EventTrace[],
  isComplete: boolean,
): EventTrace[] {
  const newest = new Map<string, DeliveryAttempt>();
  for (const attempt of tried) {
    const destination = attempt.subscription ?? 'campaign';
    if (!newest.has(destination)) newest.set(destination, attempt);
  }
  return [...newest]
    .filter(([destination]) => !undelivered.some((trace) => trace.destination === destination))
    .filter(([, { status }]) => isComplete || status !== 'failed')
    .map(([destination, attempt]) => traceOf(destination, attempt));
}

/** The same for the events of a recipient, each of which has its own newest attempt. */
const endedOf = (
  events: RecipientAttempts['events'],
  undelivered: readonly EventTrace[],
  isComplete: boolean,
): EventTrace[] => {
  const held = new Set(undelivered.map(({ hash = '' }) => hash32(hash)));
  return events
    .filter(({ fingerprint }) => !held.has(fingerprint))
    .filter(({ newest }) => isComplete || newest.status !== 'failed')
    .map(({ hash, newest }) => {
      const [type, another] = newest.types ?? [];
      return {
        ...traceOf('campaign', newest),
        ...(hash === undefined ? {} : { hash }),
        ...(type === undefined || another !== undefined ? {} : { type }),
      };
    });
};

const traceOf = (destination: string, { status, attempt, time, error }: DeliveryAttempt): EventTrace => ({
  destination,
  state: status,
  attempts: attempt,
  ...(status === 'delivered' ? { deliveredAt: time } : {}),
  ...(error === undefined ? {} : { error }),
});
