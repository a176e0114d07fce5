import type { AttemptStatus, DeliveryAttempt, EventType, Page, PageQuery } from '@mailhook/core';
import { hash32 } from '@mailhook/core';
import type { Installation } from '../mailbox/installation.ts';
import type { EngineKeys } from '../mailbox/keys.ts';
import type { AttemptFacts, AttemptRecord } from './attempt-record.ts';
import { emailKey } from './attempt-record.ts';
import { createRunner } from '../mailbox/functions.ts';
import type { RunCommand } from '../mailbox/functions.ts';
import { fingerprints, hasFingerprint, readFingerprints } from './fingerprints.ts';
import { readGoneReplyTimes } from './gone-reply-times.ts';
import { newestRows, orderBefore, orderOf, pagesOf, timeOfOrder } from './newest-rows.ts';
import type { RowSource, WantedRows } from './newest-rows.ts';

export interface AttemptLog {
  /**
   * Buffers an attempt and writes it later with others. Delivered attempts may be lost under overload, which is
   * counted, or while Redis is away.
   */
  record(attempt: AttemptRecord): void;
  /**
   * Whether a delivered attempt of the account would be kept now. If not, it counts as dropped, and the caller need not
   * build its record.
   */
  takesDelivered(account: string): boolean;
  /**
   * Attempts, newest first. `destination` is a subscription id or `campaign`. One call reads a limited number of rows.
   * A page with a `nextCursor` may therefore have fewer items than `limit`, or none.
   */
  list(account: string, query: AttemptQuery): Promise<Page<DeliveryAttempt>>;
  /**
   * Kept attempts that carried an event with this key, newest first. An attempt counts as delivered if it delivered
   * this event. Compares 32-bit fingerprints of keys and recipients, so one in four billion comparisons gives a false
   * match.
   */
  find(account: string, wanted: AttemptSearch): Promise<DeliveryAttempt[]>;
  /**
   * Kept attempts that carried events of this recipient, newest first, and the newest attempt of each event. Compares
   * fingerprints too.
   */
  findRecipient(account: string, email: string): Promise<RecipientAttempts>;
  /** One kept attempt with its facts. Undefined if it is gone. */
  read(account: string, id: string): Promise<KeptAttempt | undefined>;
  /** The subscriptions with a 410 as their newest attempt, and its time (ISO 8601). */
  goneSince(account: string, subscriptions: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Writes the buffered attempts. */
  close(): Promise<void>;
}

/** Times are Unix milliseconds. */
interface AttemptQuery extends PageQuery {
  readonly destination?: string | undefined;
  readonly status?: AttemptStatus | undefined;
  readonly type?: EventType | undefined;
  readonly fromMs?: number | undefined;
  /** Exclusive. */
  readonly toMs?: number | undefined;
}

/** `eventKey`: a hash or `messageId`. Older rows have no recipients and no `webhook-id`. */
type AttemptSearch = { readonly eventKey: string } | { readonly webhookId: string };

export interface RecipientAttempts {
  /** An attempt counts as delivered if it delivered all events of the recipient that it carried. */
  readonly attempts: readonly DeliveryAttempt[];
  readonly events: readonly {
    /** `hash32` of its hash. */
    readonly fingerprint: number;
    /** Undefined if the attempt delivered many events, because their hashes are not kept. */
    readonly hash: string | undefined;
    /** Counts as delivered if it delivered this event. */
    readonly newest: DeliveryAttempt;
  }[];
}

export interface KeptAttempt {
  readonly attempt: DeliveryAttempt;
  /** Undefined after an internal error. */
  readonly facts: AttemptFacts | undefined;
  /** Whether its request carried an event with this key (see `find`). */
  readonly carried: (eventKey: string) => boolean;
}

interface AttemptLogOptions {
  /** Gets the number of delivered attempts that were dropped because there were too many. */
  readonly onDropped?: (attempts: number) => void;
  readonly onError: (error: Error) => void;
  /** Gets the number of rows whenever a search has read some. */
  readonly onRead?: (account: string, rows: number) => void;
}

/** Delivered attempts kept per account. As many failed and dead ones are kept in a second list. */
const KEPT_PER_ACCOUNT = 10_000;
/** Most bytes of each of the two lists. Decision 0005 has the sizes of rows. */
const KEPT_BYTES = 5_000_000;
const KEPT_S = 7 * 86_400;
const FLUSH_MS = 100;
const RETRY_MS = 1000;
/**
 * Most delivered attempts in one flush, per account and in total. The rest is dropped and counted. Failed and dead ones
 * are not dropped.
 */
const DELIVERED_PER_FLUSH = { account: 20, total: 100 };
const perSecond = (perFlush: number): string => shown((perFlush * 1000) / FLUSH_MS);
const shown = (count: number): string => count.toLocaleString('en-US');
/**
 * Text for customers about the kept attempts. A customer who searches for an event must know what may be missing
 * (docs/decisions/0005).
 */
export const KEPT_ATTEMPTS =
  `the newest ${shown(KEPT_PER_ACCOUNT)} delivered attempts and as many others, at most ${shown(KEPT_BYTES / 1_000_000)} MB of each, for 7 days; of delivered ones only a sample while a worker ` +
  `makes more than ${perSecond(DELIVERED_PER_FLUSH.account)} a second, or over ${perSecond(DELIVERED_PER_FLUSH.total)} for all accounts`;
/** Rows of each list that one call of `list` reads before it returns the attempts that it found so far. */
const ROWS_PER_CALL = 5000;

interface NewestRows {
  readonly rows: DeliveryAttempt[];
  readonly unreadBeforeMs: number | undefined;
}

/** The buffered attempts of one account. */
interface Buffered {
  readonly delivered: AttemptRecord[];
  readonly others: AttemptRecord[];
}

/** The attempt logs of all accounts in Redis, each of bounded size. */
export function createAttemptLog(installation: Installation, options: AttemptLogOptions): AttemptLog {
  return new RedisAttemptLog(installation, options);
}

class RedisAttemptLog implements AttemptLog {
  readonly #installation: Installation;
  readonly #options: AttemptLogOptions;
  #buffer = new Map<string, Buffered>();
  #timer: NodeJS.Timeout | undefined;
  #isUrgent = false;
  #isClosed = false;
  #delivered = 0;
  #dropped = 0;
  readonly #run: RunCommand;

  constructor(installation: Installation, options: AttemptLogOptions) {
    this.#installation = installation;
    this.#options = options;
    this.#run = createRunner(installation.redis);
  }

  record(attempt: AttemptRecord): void {
    let rows = this.#buffer.get(attempt.account);
    if (rows === undefined) this.#buffer.set(attempt.account, (rows = { delivered: [], others: [] }));
    if (attempt.status !== 'delivered') {
      rows.others.push(attempt);
      // Write it soon, normally before its settle, so that the attempt of a dead letter can be found.
      if (!this.#isUrgent) setImmediate(() => void this.#flush());
      this.#isUrgent = true;
    } else {
      if (!this.takesDelivered(attempt.account)) return;
      rows.delivered.push(attempt);
      this.#delivered += 1;
      this.#flushAfter(FLUSH_MS);
    }
  }

  takesDelivered(account: string): boolean {
    const isRoom =
      this.#delivered < DELIVERED_PER_FLUSH.total &&
      (this.#buffer.get(account)?.delivered.length ?? 0) < DELIVERED_PER_FLUSH.account;
    if (!isRoom) this.#dropped += 1;
    return isRoom;
  }

  async list(account: string, query: AttemptQuery): Promise<Page<DeliveryAttempt>> {
    const { status, limit, fromMs, toMs = Infinity, cursor = '' } = query;
    const { delivered, others } = this.#keysOf(account);
    const lists = status === undefined ? [delivered, others] : [status === 'delivered' ? delivered : others];
    const { rows, unreadBeforeMs } = await this.#newest(account, lists, {
      texts: textsOf(query),
      isWanted: (row) => isWanted(row, query),
      limit: limit + 1,
      fromMs,
      beforeMs: Math.min(toMs, timeOfOrder(cursor)),
      rowsMax: ROWS_PER_CALL,
    });
    const found = rows.filter(({ time }) => Date.parse(time) >= (unreadBeforeMs ?? 0));
    const items = found.slice(0, limit);
    const last = items.at(-1);
    if (found.length > limit && last !== undefined) return { items, nextCursor: orderOf(last) };
    return { items, ...(unreadBeforeMs === undefined ? {} : { nextCursor: orderBefore(unreadBeforeMs) }) };
  }

  async find(account: string, wanted: AttemptSearch): Promise<DeliveryAttempt[]> {
    const { delivered, others } = this.#keysOf(account);
    const confirmed = new Set<string>();
    const carried = (row: Row): boolean => {
      if ('webhookId' in wanted) return isOrPartOf(row.webhookId, wanted.webhookId);
      if (row.unconfirmed !== undefined && !hasFingerprint(row.unconfirmed, wanted.eventKey)) confirmed.add(row.id);
      return hasFingerprint(row.keys, wanted.eventKey);
    };
    const texts = 'webhookId' in wanted ? [JSON.stringify(wanted.webhookId).slice(1, -1)] : [];
    const { rows } = await this.#newest(account, [delivered, others], { texts, isWanted: carried });
    return withConfirmed(rows, confirmed);
  }

  async findRecipient(account: string, email: string): Promise<RecipientAttempts> {
    const { delivered, others } = this.#keysOf(account);
    const wanted = hash32(emailKey(email));
    const confirmed = new Set<string>();
    const events = new Map<number, RecipientAttempts['events'][number]>();
    const carried = (row: Row): boolean => {
      const emails = readFingerprints(row.emails ?? '');
      if (!emails.includes(wanted)) return false;
      const keys = readFingerprints(row.keys).filter((_key, position) => emails[position] === wanted);
      const open = row.unconfirmed === undefined ? undefined : readFingerprints(row.unconfirmed);
      const isConfirmed = (key: number): boolean => open !== undefined && !open.includes(key);
      if (keys.every(isConfirmed)) confirmed.add(row.id);
      for (const fingerprint of keys) {
        const newest = isConfirmed(fingerprint) ? deliveredRow(shownRow(row)) : shownRow(row);
        const known = events.get(fingerprint)?.newest;
        if (known !== undefined && orderOf(newest) < orderOf(known)) continue;
        const hash = row.facts?.eventKeys.find((key) => hash32(key) === fingerprint);
        events.set(fingerprint, { fingerprint, hash, newest });
      }
      return true;
    };
    const { rows } = await this.#newest(account, [delivered, others], { texts: [], isWanted: carried });
    return { attempts: withConfirmed(rows, confirmed), events: [...events.values()] };
  }

  async read(account: string, id: string): Promise<KeptAttempt | undefined> {
    const { delivered, others } = this.#keysOf(account);
    const start = `{"id":${JSON.stringify(id)},`;
    for (const key of [others, delivered]) {
      for await (const texts of pagesOf(this.#source(account), key)) {
        const text = texts.find((one) => one.startsWith(start));
        if (text === undefined) continue;
        const row = JSON.parse(text) as Row;
        const carried = (eventKey: string): boolean => hasFingerprint(row.keys, eventKey);
        return { attempt: shownRow(row), facts: row.facts, carried };
      }
    }
    return undefined;
  }

  goneSince(account: string, subscriptions: readonly string[]): Promise<ReadonlyMap<string, string>> {
    return readGoneReplyTimes(this.#source(account), this.#keysOf(account), subscriptions);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#flush();
  }

  #source(account: string): RowSource {
    const { onRead } = this.#options;
    return { redis: this.#installation.redis, onRead: (rows) => onRead?.(account, rows) };
  }

  async #newest(account: string, lists: readonly string[], wanted: WantedRows<Row>): Promise<NewestRows> {
    const { rows, unreadBeforeMs } = await newestRows(this.#source(account), lists, wanted);
    return { rows: rows.map(shownRow), unreadBeforeMs };
  }

  #keysOf(account: string): { delivered: string; others: string; engine: EngineKeys } {
    const keys = this.#installation.keysOf(account, 'campaign');
    const [delivered, others] = [keys.attempts(account, 'delivered'), keys.attempts(account, 'failed')];
    return { delivered, others, engine: keys };
  }

  async #flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isUrgent = false;
    const full = this.#buffer;
    this.#buffer = new Map();
    this.#delivered = 0;
    if (this.#dropped > 0) this.#options.onDropped?.(this.#dropped);
    this.#dropped = 0;
    await Promise.all(
      this.#byShard(full).map(async (part) => {
        try {
          await this.#write(part);
        } catch (error) {
          this.#options.onError(error as Error);
          this.#keepForLater(part);
        }
      }),
    );
  }

  /** Splits the buffer by shard, because the keys of one script call must lie in one shard. */
  #byShard(full: ReadonlyMap<string, Buffered>): Map<string, Buffered>[] {
    const parts = new Map<number, Map<string, Buffered>>();
    for (const [account, rows] of full) {
      const { shard } = this.#installation.keysOf(account, 'campaign');
      parts.set(shard, (parts.get(shard) ?? new Map<string, Buffered>()).set(account, rows));
    }
    return [...parts.values()];
  }

  async #write(full: ReadonlyMap<string, Buffered>): Promise<void> {
    const args: (string | number)[] = [KEPT_PER_ACCOUNT, KEPT_BYTES, KEPT_S];
    let written: EngineKeys | undefined;
    for (const [account, { delivered, others }] of full) {
      const keys = this.#keysOf(account);
      for (const [key, rows] of [[keys.delivered, delivered] as const, [keys.others, others] as const]) {
        if (rows.length === 0) continue;
        written = keys.engine;
        args.push(key, rows.length, ...rows.map(rowOf));
      }
    }
    if (written !== undefined) await this.#run('add-rows', written, ...args);
  }

  /** Keeps failed and dead attempts until Redis is back, up to the limit per account. */
  #keepForLater(unwritten: ReadonlyMap<string, Buffered>): void {
    for (const [account, { others }] of unwritten) {
      if (others.length === 0) continue;
      const rows = this.#buffer.get(account) ?? { delivered: [], others: [] };
      const kept = [...others, ...rows.others].slice(-KEPT_PER_ACCOUNT);
      this.#buffer.set(account, { delivered: rows.delivered, others: kept });
    }
    this.#flushAfter(RETRY_MS);
  }

  #flushAfter(waitMs: number): void {
    if (!this.#isClosed) this.#timer ??= setTimeout(() => void this.#flush(), waitMs);
  }
}

/** A request with a part of a batch has the batch's id and the positions of its events. */
const isOrPartOf = (webhookId: string | undefined, wanted: string): boolean =>
  webhookId === wanted || webhookId?.startsWith(`${wanted}-`) === true;

/** In these partly acknowledged batches, the receiver acknowledged the wanted events. */
const withConfirmed = (rows: readonly DeliveryAttempt[], confirmed: ReadonlySet<string>): DeliveryAttempt[] =>
  rows.map((row) => (confirmed.has(row.id) ? deliveredRow(row) : row));

function deliveredRow({ error: _error, nextAttemptAt: _nextAttemptAt, ...row }: DeliveryAttempt): DeliveryAttempt {
  return { ...row, status: 'delivered' };
}

/** An attempt as stored, with fingerprints of its events. The key of the list names the account. */
type Row = Omit<DeliveryAttempt, 'unconfirmed'> & {
  readonly keys: string;
  readonly unconfirmed?: string;
  readonly emails?: string;
  readonly facts?: AttemptFacts;
};

function shownRow({ keys: _keys, unconfirmed, emails: _emails, facts: _facts, ...attempt }: Row): DeliveryAttempt {
  return unconfirmed === undefined ? attempt : { ...attempt, unconfirmed: readFingerprints(unconfirmed).length };
}

/** Parts of the text of each row that `isWanted` accepts. */
const textsOf = ({ destination, status, type }: AttemptQuery): string[] => [
  ...(status === undefined ? [] : [`"status":"${status}"`]),
  ...(type === undefined ? [] : [`"${type}"`]),
  ...(destination === undefined ? [] : [textOfDestination(destination)]),
];

const textOfDestination = (destination: string): string =>
  destination === 'campaign' ? '"kind":"campaign"' : `"subscription":${JSON.stringify(destination)}`;

function isWanted(row: Row, { destination, status, type, fromMs, toMs, cursor }: AttemptQuery): boolean {
  const timeMs = Date.parse(row.time);
  return (
    (status === undefined || row.status === status) &&
    (destination === undefined || destination === (row.kind === 'campaign' ? 'campaign' : row.subscription)) &&
    (type === undefined || row.types?.includes(type) === true) &&
    (fromMs === undefined || timeMs >= fromMs) &&
    (toMs === undefined || timeMs < toMs) &&
    (cursor === undefined || orderOf(row) < cursor)
  );
}

/** A row begins with its id (see `read`). */
const rowOf = ({ id, eventKeys, unconfirmedKeys, emails, ...attempt }: AttemptRecord): string =>
  JSON.stringify({
    id,
    ...attempt,
    account: undefined,
    keys: fingerprints(eventKeys),
    unconfirmed: unconfirmedKeys && fingerprints(unconfirmedKeys),
    emails: emails && fingerprints(emails),
  });
