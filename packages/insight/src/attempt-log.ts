import type { AttemptStatus, DeliveryAttempt, EventType, Page, PageQuery } from '@mailhook/core';
import { batchBody, hash32, readCoded } from '@mailhook/core';
import { batchOfAttempt, bodyHour, emailKey, readBodyRow } from '@mailhook/delivery';
import type { AttemptRow as Row, Installation } from '@mailhook/delivery';
import { hasFingerprint, readFingerprints } from '@mailhook/delivery/mailbox';
import { readGoneReplyTimes } from './gone-reply-times.ts';
import { newestRows, orderBefore, orderOf, pagesOf, timeOfOrder } from './newest-rows.ts';
import type { RowSource, WantedRows } from './newest-rows.ts';

/** The kept attempts of each account. A worker and tests of receivers record them. */
export interface AttemptLog {
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
  /**
   * The kept attempts at the batch of this one, oldest first: those with its `webhook-id`, and those that carried the
   * first of its events that was not acknowledged. Empty for a test.
   */
  findBatch(account: string, kept: KeptAttempt): Promise<DeliveryAttempt[]>;
  /** One kept attempt with its facts. Undefined if it is gone. */
  read(account: string, id: string): Promise<KeptAttempt | undefined>;
  /** The body of the attempt's request, if Mailhook keeps it (`DELIVERED_BODY_RETENTION`). */
  readBody(account: string, attempt: DeliveryAttempt): Promise<string | undefined>;
  /** The subscriptions with a 410 as their newest attempt, and its time (ISO 8601). */
  goneSince(account: string, subscriptions: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

/** Times are Unix milliseconds. */
interface AttemptQuery extends PageQuery {
  readonly destination?: string | undefined;
  readonly status?: AttemptStatus | undefined;
  readonly type?: EventType | undefined;
  readonly fromMs?: number | undefined;
  /** Exclusive. */
  readonly toMs?: number | undefined;
  /** `first`: of the requests that a batch was split in, only the first one. */
  readonly split?: 'first' | undefined;
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
  readonly facts: Row['facts'];
  /** Whether its request carried an event with this key (see `find`). */
  readonly carried: (eventKey: string) => boolean;
}

interface AttemptLogOptions {
  /** Gets the number of rows whenever a search has read some. */
  readonly onRead?: (account: string, rows: number) => void;
}

/** Rows of each list that one call of `list` reads before it returns the attempts that it found so far. */
const ROWS_PER_CALL = 5000;
/** Attempts at one batch that are further apart are not shown together. */
const BATCH_AGE_MAX_MS = 2 * 86_400_000;

interface NewestRows {
  readonly rows: DeliveryAttempt[];
  readonly unreadBeforeMs: number | undefined;
}

/** Reads the attempt logs of all accounts. */
export function createAttemptLog(installation: Installation, options: AttemptLogOptions = {}): AttemptLog {
  return new RedisAttemptLog(installation, options);
}

class RedisAttemptLog implements AttemptLog {
  readonly #installation: Installation;
  readonly #options: AttemptLogOptions;

  constructor(installation: Installation, options: AttemptLogOptions) {
    this.#installation = installation;
    this.#options = options;
  }

  async list(account: string, query: AttemptQuery): Promise<Page<DeliveryAttempt>> {
    const { status, limit, fromMs, toMs = Infinity, cursor = '' } = query;
    const { delivered, others } = this.#keysOf(account);
    const lists = status === undefined ? [delivered, others] : [status === 'delivered' ? delivered : others];
    const newest = new Map<string, number>();
    const { rows, unreadBeforeMs } = await this.#newest(account, lists, {
      texts: textsOf(query),
      isWanted: (row) => isWanted(row, query) && (query.split === undefined || isFirst(row, newest)),
      limit: limit + 1,
      fromMs,
      beforeMs: Math.min(toMs, timeOfOrder(cursor)),
      rowsMax: ROWS_PER_CALL,
    });
    const found = rows.filter(({ time }) => Date.parse(time) >= (unreadBeforeMs ?? 0));
    const items = found.slice(0, limit).map((row) => (cursor === '' ? withRequests(row, newest) : row));
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

  async findBatch(account: string, { attempt, facts }: KeptAttempt): Promise<DeliveryAttempt[]> {
    const { webhookId, kind, split = { id: batchOfAttempt(attempt.id) } } = attempt;
    if (webhookId === undefined || kind === 'test') return [];
    // The requests of a split batch go on after one of them has delivered its part.
    const isLast = attempt.status === 'delivered' && attempt.split === undefined;
    if (isLast && attempt.attempt === 1) return [attempt];
    const { delivered, others } = this.#keysOf(account);
    const batch = wholeBatch(webhookId);
    const [firstKey] = facts?.eventKeys ?? [];
    const timeMs = Date.parse(attempt.time);
    const { rows } = await this.#newest(account, [delivered, others], {
      texts: [textOfDestination(destinationOf(attempt))],
      isWanted: (row) =>
        isOrPartOf(row.webhookId, batch) ||
        row.split?.id === split.id ||
        (firstKey !== undefined && hasFingerprint(row.keys, firstKey)),
      fromMs: attempt.attempt === 1 ? timeMs : timeMs - BATCH_AGE_MAX_MS,
      beforeMs: isLast ? timeMs : timeMs + BATCH_AGE_MAX_MS,
    });
    return rows.toReversed();
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
    for (const key of [others, delivered]) {
      const text = await this.#findRow(account, key, id);
      if (text === undefined) continue;
      const row = JSON.parse(text) as Row;
      const carried = (eventKey: string): boolean => hasFingerprint(row.keys, eventKey);
      return { attempt: shownRow(row), facts: row.facts, carried };
    }
    return undefined;
  }

  async readBody(account: string, { id, time, kind, attempt }: DeliveryAttempt): Promise<string | undefined> {
    const key = this.#installation.keysOf(account, 'campaign').bodies(account, bodyHour(Date.parse(time)));
    const row = await this.#findRow(account, key, id);
    if (row === undefined) return undefined;
    const { fragments } = readBodyRow(row);
    return kind === 'campaign' ? batchBody(fragments, attempt) : fragments;
  }

  async #findRow(account: string, key: string, id: string): Promise<string | undefined> {
    const start = `{"id":${JSON.stringify(id)},`;
    for await (const texts of pagesOf(this.#source(account), key)) {
      const text = texts.find((one) => one.startsWith(start));
      if (text !== undefined) return text;
    }
    return undefined;
  }

  goneSince(account: string, subscriptions: readonly string[]): Promise<ReadonlyMap<string, string>> {
    return readGoneReplyTimes(this.#source(account), this.#keysOf(account), subscriptions);
  }

  #source(account: string): RowSource {
    const { onRead } = this.#options;
    return { redis: this.#installation.redis, onRead: (rows) => onRead?.(account, rows) };
  }

  async #newest(account: string, lists: readonly string[], wanted: WantedRows<Row>): Promise<NewestRows> {
    const { rows, unreadBeforeMs } = await newestRows(this.#source(account), lists, wanted);
    return { rows: rows.map(shownRow), unreadBeforeMs };
  }

  #keysOf(account: string): { delivered: string; others: string } {
    const keys = this.#installation.keysOf(account, 'campaign');
    return { delivered: keys.attempts(account, 'delivered'), others: keys.attempts(account, 'failed') };
  }
}

/** A request with a part of a batch has the batch's id and the positions of its events. */
const wholeBatch = (webhookId: string): string => webhookId.replace(/-\d+-\d+$/, '');
const isOrPartOf = (webhookId: string | undefined, wanted: string): boolean =>
  webhookId === wanted || webhookId?.startsWith(`${wanted}-`) === true;

/** In these partly acknowledged batches, the receiver acknowledged the wanted events. */
const withConfirmed = (rows: readonly DeliveryAttempt[], confirmed: ReadonlySet<string>): DeliveryAttempt[] =>
  rows.map((row) => (confirmed.has(row.id) ? deliveredRow(row) : row));

function deliveredRow({ error: _error, nextAttemptAt: _nextAttemptAt, ...row }: DeliveryAttempt): DeliveryAttempt {
  return { ...row, status: 'delivered' };
}

function shownRow({ keys: _keys, unconfirmed, emails: _emails, facts: _facts, error, ...row }: Row): DeliveryAttempt {
  const attempt = error === undefined ? row : { ...row, error: readCoded(error) };
  return unconfirmed === undefined ? attempt : { ...attempt, unconfirmed: readFingerprints(unconfirmed).length };
}

/** Whether the row is no later request of a split batch. Notes the newest attempt of each. */
function isFirst({ split, attempt }: Row, newest: Map<string, number>): boolean {
  if (split === undefined) return true;
  newest.set(split.id, Math.max(attempt, newest.get(split.id) ?? 0));
  return attempt === split.attempt + 1;
}

function withRequests(row: DeliveryAttempt, newest: ReadonlyMap<string, number>): DeliveryAttempt {
  const { split } = row;
  const last = newest.get(split?.id ?? '');
  return split === undefined || last === undefined
    ? row
    : { ...row, split: { ...split, requests: last - split.attempt } };
}

/** Parts of the text of each row that `isWanted` accepts. */
const textsOf = ({ destination, status, type }: AttemptQuery): string[] => [
  ...(status === undefined ? [] : [`"status":"${status}"`]),
  ...(type === undefined ? [] : [`"${type}"`]),
  ...(destination === undefined ? [] : [textOfDestination(destination)]),
];

const destinationOf = ({ kind, subscription = '' }: Pick<DeliveryAttempt, 'kind' | 'subscription'>): string =>
  kind === 'campaign' ? kind : subscription;

const textOfDestination = (destination: string): string =>
  destination === 'campaign' ? '"kind":"campaign"' : `"subscription":${JSON.stringify(destination)}`;

function isWanted(row: Row, { destination, status, type, fromMs, toMs, cursor }: AttemptQuery): boolean {
  const timeMs = Date.parse(row.time);
  return (
    (status === undefined || row.status === status) &&
    (destination === undefined || destination === destinationOf(row)) &&
    (type === undefined || row.types?.includes(type) === true) &&
    (fromMs === undefined || timeMs >= fromMs) &&
    (toMs === undefined || timeMs < toMs) &&
    (cursor === undefined || orderOf(row) < cursor)
  );
}
