import { randomBytes } from 'node:crypto';
import type { Destination } from '@mailhook/core';
import { emailKey, eventsIn, FRAGMENT_SEPARATOR, fragmentEmail, fragmentMessageId, mechanism } from '@mailhook/core';
import type { Redis } from '@mailhook/platform/redis';
import { readAccountSums } from '../mailbox/accounts.ts';
import type { EntryChange, EraseCommands, NewBatch } from '../mailbox/commands/manage.ts';
import { createEraseCommands } from '../mailbox/commands/manage.ts';
import { formatDeadLetterId, readListMember } from '../mailbox/dead-letter-id.ts';
import { filterEntry, fragmentsOf } from '../mailbox/entry.ts';
import type { Installation } from '../mailbox/installation.ts';
import type { EngineKeys } from '../mailbox/keys.ts';
import { readDeadLetter, readResend, readMailbox } from '../mailbox/records.ts';
import { bodyHours, readBodyRow } from '../record/kept-body.ts';
import type { DeadLetterBox } from './dead-letter-box.ts';
import { eraseAttempts } from './erase-attempts.ts';

/**
 * The events to erase: by their recipient, in any case, or by their `messageId`. Notifications of version 1 name no
 * recipient, and campaign events of version 1 no message.
 */
export type EventsToErase = { readonly email: string } | { readonly messageId: string };

/** The places that events are removed from. */
export type ErasedFrom = 'waiting' | 'resends' | 'deadLetters';

/** What a search left. */
export interface NotErased {
  /** Events in flight. They stay until their outcome is known. */
  readonly inFlight: number;
  /** Events in chunk jobs of the account, which are not searched. */
  readonly queued: number;
  /** Whether events moved during the search, so that it may have missed some. */
  readonly isDisturbed: boolean;
}

/**
 * Searches once through what the account's destinations and dead letters hold, and removes the events in small atomic
 * steps. Can be repeated, also by several processes at the same time. A batch in flight stays as it is. The rest of a
 * batch that was sent before gets a new `webhook-id`, because a `webhook-id` never names two contents. Rejects while
 * Redis is away.
 */
export type EraseEvents = (order: EraseOrder) => Promise<NotErased>;

interface EraseOrder {
  readonly account: string;
  readonly wanted: EventsToErase;
  /** Those of the account. */
  readonly destinations: readonly Pick<Destination, 'id' | 'kind'>[];
  /** Gets the number of events of each step, so that they count even if the search ends early. */
  readonly onErased: (from: ErasedFrom, events: number) => Promise<void>;
  /** Ends the search between two steps. It then rejects. */
  readonly signal: AbortSignal;
}

/** Entries that one step reads, and the most that it changes. */
const PAGE = 100;
/** Resends or dead letters that one step reads the ids of. Each may hold 1 MiB. */
const SCAN_COUNT = 50;

export const createEraseEvents =
  (installation: Installation, deadLetters: Pick<DeadLetterBox, 'discard'>): EraseEvents =>
  async (order) => {
    const { account } = order;
    const { redis } = installation;
    // Before the search: events leave chunk jobs for mailboxes.
    const { queuedEvents: queued } = await readAccountSums(redis, installation.keysOf(account, 'campaign'), account);
    const searches = mechanism.options.map(
      (kind) => new Search({ ...order, redis, keys: installation.keysOf(account, kind), deadLetters }),
    );
    for (const search of searches) await search.eraseUndelivered();
    // Of both mechanisms.
    await searches[0]?.eraseRecords(Date.now());
    return {
      inFlight: searches.reduce((sum, search) => sum + search.inFlight, 0),
      isDisturbed: searches.some((search) => search.isDisturbed),
      queued,
    };
  };

interface SearchOptions extends EraseOrder {
  readonly redis: Redis;
  readonly keys: EngineKeys;
  readonly deadLetters: Pick<DeadLetterBox, 'discard'>;
}

/** One search of a mechanism, in the order in which events move: from mailboxes to resends and dead letters. */
class Search {
  inFlight = 0;
  isDisturbed = false;
  readonly #options: SearchOptions;
  readonly #commands: EraseCommands;
  readonly #isWanted: (fragment: string) => boolean;

  constructor(options: SearchOptions) {
    this.#options = options;
    this.#commands = createEraseCommands(options.redis, options.keys);
    this.#isWanted = isWantedBy(options.wanted);
  }

  async eraseUndelivered(): Promise<void> {
    const { destinations, keys } = this.#options;
    for (const { id } of destinations.filter(({ kind }) => kind === keys.kind)) {
      await this.#eraseWaiting(id);
      await this.#eraseResends(id);
    }
    await this.#eraseDeadLetters();
  }

  /** Reads each lane from its end, because its first entries leave while a worker sends. */
  async #eraseWaiting(destination: string): Promise<void> {
    const { redis, keys, signal } = this.#options;
    for (const lane of ['u', 'f', 'r'] as const) {
      // Read before the list: an entry never moves from the list to the head.
      const { head } = await readMailbox(redis, keys, destination);
      const heads = lane === 'f' && head !== '' ? [head] : [];
      for (let end = -1, isMore = true; isMore;) {
        signal.throwIfAborted();
        const start = end - PAGE + 1;
        const listed = await redis.lrange(keys.lane(lane, destination), start, end);
        isMore = listed.length === PAGE;
        const entries = isMore ? listed : [...heads, ...listed];
        const changes = this.#changesOf(entries, end - entries.length + 1);
        end = start - 1;
        if (changes.length === 0) continue;
        const step = { destination, account: this.#options.account, lane, changes };
        const { removed, inFlight, moved, emptied } = await this.#commands.eraseWaiting(step);
        await this.#count('waiting', removed);
        this.inFlight += inFlight;
        this.isDisturbed ||= moved > 0;
        // Removed entries bring the next ones closer to the end. A page may be read twice, but none is skipped.
        end += emptied;
      }
    }
  }

  async #eraseResends(destination: string): Promise<void> {
    const key = this.#options.keys.resendsOf(destination);
    await this.#scan(
      (cursor) => this.#options.redis.sscan(key, cursor, 'COUNT', SCAN_COUNT),
      async (resend) => {
        const { redis, keys, account } = this.#options;
        const found = await readResend(redis, keys, resend);
        const rest = this.#restOf(found?.body);
        if (found === undefined || rest === undefined) return;
        const { webhookId, events } = found.resend;
        const removed = await this.#commands.eraseResend({ destination, account, resend, webhookId, rest });
        if (removed === 'in flight') this.inFlight += events - rest.events;
        else if (removed === 'moved') this.isDisturbed = true;
        else await this.#count('resends', removed);
      },
    );
  }

  async #eraseDeadLetters(): Promise<void> {
    const key = this.#options.keys.deadLettersOf(this.#options.account);
    await this.#scan(
      async (cursor) => {
        const [next, flat] = await this.#options.redis.zscan(key, cursor, 'COUNT', SCAN_COUNT);
        return [next, flat.filter((_, i) => i % 2 === 0)];
      },
      async (member) => {
        const place = readListMember(member, this.#options.keys.shard);
        if (place.kind === this.#options.keys.kind) await this.#eraseDeadLetter(place.id);
      },
    );
  }

  /**
   * What is kept of requests. A body goes as a whole, because the rest of it was never sent. These are copies, so they
   * do not count.
   */
  async eraseRecords(nowMs: number): Promise<void> {
    const { redis, keys, account, signal } = this.#options;
    this.isDisturbed ||= await eraseAttempts(this.#options);
    for (const hour of bodyHours(nowMs)) {
      const key = keys.bodies(account, hour);
      for (const row of await redis.lrange(key, 0, -1)) {
        if (!eventsIn(readBodyRow(row).fragments).some(this.#isWanted)) continue;
        signal.throwIfAborted();
        await redis.lrem(key, 1, row);
        this.isDisturbed = true;
      }
    }
  }

  async #eraseDeadLetter(deadLetter: string): Promise<void> {
    const { redis, keys, account } = this.#options;
    const place = { kind: keys.kind, shard: keys.shard, id: deadLetter };
    const found = await readDeadLetter(redis, keys.prefix, place);
    if (found === undefined) return;
    const { body, entries } = found;
    const rest = this.#restOf(body);
    const changes = this.#changesOf(entries, 0);
    if (rest === undefined && changes.length === 0) return;
    const emptied = changes.filter((change) => change.rest === '').length;
    const isEmptied = rest === undefined ? emptied === entries.length : rest.events === 0;
    if (isEmptied) return this.#discard(deadLetter);
    const step = { deadLetter, account, webhookId: found.deadLetter.webhookId, rest, changes };
    const done = await this.#commands.eraseDead(step);
    if (done === undefined) this.isDisturbed = true;
    else await this.#count('deadLetters', done.removed);
    if (done?.remaining === 0) await this.#discard(deadLetter);
  }

  async #scan(
    page: (cursor: string) => Promise<readonly [next: string, members: readonly string[]]>,
    visit: (member: string) => Promise<void>,
  ): Promise<void> {
    let cursor = '0';
    do {
      const [next, members] = await page(cursor);
      for (const member of members) {
        this.#options.signal.throwIfAborted();
        await visit(member);
      }
      cursor = next;
    } while (cursor !== '0');
  }

  async #discard(id: string): Promise<void> {
    const { kind, shard } = this.#options.keys;
    const ids = [formatDeadLetterId({ kind, shard, id })];
    const { events } = await this.#options.deadLetters.discard({ account: this.#options.account, ids });
    await this.#count('deadLetters', events[kind]);
  }

  async #count(from: ErasedFrom, events: number): Promise<void> {
    if (events > 0) await this.#options.onErased(from, events);
  }

  /** The changes to those of the entries that hold wanted events. `first`: the position of the first entry. */
  #changesOf(entries: readonly string[], first: number): EntryChange[] {
    return entries.flatMap((entry, i) => {
      if (!eventsIn(fragmentsOf(entry)).some(this.#isWanted)) return [];
      const rest = filterEntry(entry, (fragment) => !this.#isWanted(fragment));
      return [{ position: first + i, entry, rest }];
    });
  }

  /** The rest of a batch that was sent. Undefined if it holds no wanted event. */
  #restOf(body: string | undefined): NewBatch | undefined {
    if (body === undefined) return undefined;
    const events = eventsIn(body);
    const kept = events.filter((fragment) => !this.#isWanted(fragment));
    if (kept.length === events.length) return undefined;
    return { id: `e${randomBytes(8).toString('hex')}`, events: kept.length, body: kept.join(FRAGMENT_SEPARATOR) };
  }
}

function isWantedBy(wanted: EventsToErase): (fragment: string) => boolean {
  if ('messageId' in wanted) return (fragment) => fragmentMessageId(fragment) === wanted.messageId;
  const key = emailKey(wanted.email);
  return (fragment) => emailKey(fragmentEmail(fragment)) === key;
}
