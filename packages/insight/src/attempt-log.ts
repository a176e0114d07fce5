import type { AttemptStatusFilter, DeliveriesPage, DeliveryAttempt, EventType, Page, PageQuery } from '@mailhook/core';
import { hash32, moduleOf, readCoded, requestBody } from '@mailhook/core';
import { batchOfAttempt, bodyHour, isOrPartOf, KEPT, keysIn, readBodyRow, wantedIn } from '@mailhook/delivery';
import type { AttemptRow as Row, AttemptSearch, Installation } from '@mailhook/delivery';
import { hasFingerprint, readBlocksShares, readFingerprints } from '@mailhook/delivery/mailbox';
import { newestRows, orderBefore, orderOf, pagesOf, timeOfOrder } from './newest-rows.ts';
import type { RowList, RowSource, WantedRows } from './newest-rows.ts';

/** The kept attempts of each account. A worker and tests of receivers record them. */
export interface AttemptLog {
  /**
   * Attempts, newest first. `destination` is a public id. One call reads a limited number of rows.
   * A page with a `nextCursor` may therefore have fewer items than `limit`, or none.
   */
  list(account: string, query: AttemptQuery): Promise<DeliveriesPage>;
  /**
   * Kept attempts that carried wanted events, and these events at each destination, both newest first. An attempt
   * counts as delivered if it delivered all wanted events that it carried. Compares 32-bit fingerprints, so one in four
   * billion comparisons gives a false match.
   */
  find(account: string, wanted: AttemptSearch): Promise<FoundAttempts>;
  /**
   * The kept attempts at the batch of this one, oldest first: those with its `webhook-id`, and those that carried the
   * first of its events that was not acknowledged. Empty for a test.
   */
  findBatch(account: string, kept: KeptAttempt): Promise<DeliveryAttempt[]>;
  /** One kept attempt with its facts. Undefined if it is gone. */
  read(account: string, id: string): Promise<KeptAttempt | undefined>;
  /** The body of the attempt's request, if Mailhook keeps it (`DELIVERED_BODY_RETENTION`). */
  readBody(account: string, attempt: DeliveryAttempt): Promise<string | undefined>;
}

/** Times are Unix milliseconds. */
interface AttemptQuery extends PageQuery {
  readonly destination?: string | undefined;
  readonly status?: AttemptStatusFilter | undefined;
  readonly type?: EventType | undefined;
  readonly kind?: 'test' | undefined;
  /** A status, a class of them such as `5xx`, or `none`. */
  readonly reply?: string | undefined;
  readonly attempt?: 'first' | 'later' | undefined;
  /** A part of the kept reply's body, in any case. */
  readonly text?: string | undefined;
  readonly fromMs?: number | undefined;
  /** Exclusive. */
  readonly toMs?: number | undefined;
  /** `first`: of the requests that a batch was split in, only the first one. */
  readonly split?: 'first' | undefined;
}

/** An event that attempts carried, with the newest of them at one destination. */
export interface TriedEvent {
  /** `hash32` of the key that names the event. After a search by `webhook-id`, of that. */
  readonly fingerprint: number;
  /** What is known of the event. Of an attempt that delivered many, the keys are not kept. */
  readonly name: { readonly id?: string; readonly hash?: string };
  /** Counts as delivered if it delivered this event. */
  readonly newest: DeliveryAttempt;
}

interface FoundAttempts {
  readonly attempts: readonly DeliveryAttempt[];
  readonly events: readonly TriedEvent[];
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

const DAY_MS = 86_400_000;
/** Rows of each list that one call of `list` reads before it returns the attempts that it found so far. */
const ROWS_PER_CALL = 5000;
/** Attempts at one batch that are further apart are not shown together. */
const BATCH_AGE_MAX_MS = 2 * DAY_MS;

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

  async list(account: string, query: AttemptQuery): Promise<DeliveriesPage> {
    const [page, since] = await Promise.all([this.#page(account, query), this.#deliveredSince(account)]);
    return { ...page, ...(since === undefined ? {} : { deliveredSince: since }) };
  }

  async #deliveredSince(account: string): Promise<string | undefined> {
    const { redis } = this.#installation;
    const { own, all } = await readBlocksShares(redis, this.#installation.keysOf(account, 'campaign'), account);
    const missingUntilMs = Math.max(own.missingUntilMs, all.missingUntilMs);
    return missingUntilMs > Date.now() - KEPT.days * DAY_MS ? new Date(missingUntilMs).toISOString() : undefined;
  }

  async #page(account: string, query: AttemptQuery): Promise<Page<DeliveryAttempt>> {
    const { status, limit, fromMs, toMs = Infinity, cursor = '' } = query;
    const { delivered, others } = this.#listsOf(account);
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

  async find(account: string, wanted: AttemptSearch): Promise<FoundAttempts> {
    const { delivered, others } = this.#listsOf(account);
    const confirmed = new Set<string>();
    const events = new Map<string, TriedEvent>();
    const carried = (row: Row): boolean => {
      const found = wantedIn(row, wanted);
      if (found.length > 0 && found.every(({ isConfirmed }) => isConfirmed)) confirmed.add(row.id);
      for (const { key, isConfirmed } of found) {
        const newest = isConfirmed ? deliveredRow(shownRow(row)) : shownRow(row);
        const place = `${key} ${newest.destination ?? ''}`;
        const known = events.get(place)?.newest;
        if (known !== undefined && orderOf(newest) < orderOf(known)) continue;
        events.set(place, { fingerprint: key, name: nameIn(row, key, wanted), newest });
      }
      return found.length > 0;
    };
    const { rows } = await this.#newest(account, [delivered, others], {
      texts: textsOfSearch(wanted),
      isWanted: carried,
    });
    return {
      attempts: rows.map((row) => (confirmed.has(row.id) ? deliveredRow(row) : row)),
      events: [...events.values()].sort((a, b) => (orderOf(a.newest) < orderOf(b.newest) ? 1 : -1)),
    };
  }

  async findBatch(account: string, { attempt, facts }: KeptAttempt): Promise<DeliveryAttempt[]> {
    const { webhookId, kind, destination = '', split = { id: batchOfAttempt(attempt.id) } } = attempt;
    if (webhookId === undefined || kind === 'test') return [];
    // The requests of a split batch go on after one of them has delivered its part.
    const isLast = attempt.status === 'delivered' && attempt.split === undefined;
    if (isLast && attempt.attempt === 1) return [attempt];
    const { delivered, others } = this.#listsOf(account);
    const batch = wholeBatch(webhookId);
    const [firstKey] = facts?.eventKeys ?? [];
    const timeMs = Date.parse(attempt.time);
    const { rows } = await this.#newest(account, [delivered, others], {
      texts: [textOfDestination(destination)],
      isWanted: (row) =>
        isOrPartOf(row.webhookId, batch) ||
        row.split?.id === split.id ||
        (firstKey !== undefined && hasFingerprint(keysIn(row), firstKey)),
      fromMs: attempt.attempt === 1 ? timeMs : timeMs - BATCH_AGE_MAX_MS,
      beforeMs: isLast ? timeMs : timeMs + BATCH_AGE_MAX_MS,
    });
    return rows.toReversed();
  }

  async read(account: string, id: string): Promise<KeptAttempt | undefined> {
    const { delivered, others } = this.#listsOf(account);
    for (const list of [others, delivered]) {
      const text = await this.#findRow(account, list, id);
      if (text === undefined) continue;
      const row = JSON.parse(text) as Row;
      const carried = (eventKey: string): boolean => hasFingerprint(keysIn(row), eventKey);
      return { attempt: shownRow(row), facts: row.facts, carried };
    }
    return undefined;
  }

  async readBody(account: string, { id, time, attempt, shape }: DeliveryAttempt): Promise<string | undefined> {
    const rows = this.#installation.keysOf(account, 'campaign').bodies(account, bodyHour(Date.parse(time)));
    const row = await this.#findRow(account, { rows }, id);
    return row === undefined || shape === undefined
      ? undefined
      : requestBody(readBodyRow(row).fragments, attempt, shape);
  }

  async #findRow(account: string, list: RowList, id: string): Promise<string | undefined> {
    const start = `{"id":${JSON.stringify(id)},`;
    for await (const texts of pagesOf(this.#source(account), list)) {
      const text = texts.find((one) => one.startsWith(start));
      if (text !== undefined) return text;
    }
    return undefined;
  }

  #source(account: string): RowSource {
    const { onRead } = this.#options;
    return { redis: this.#installation.redis, onRead: (rows) => onRead?.(account, rows) };
  }

  async #newest(account: string, lists: readonly RowList[], wanted: WantedRows<Row>): Promise<NewestRows> {
    const { rows, unreadBeforeMs } = await newestRows(this.#source(account), lists, wanted);
    return { rows: rows.map(shownRow), unreadBeforeMs };
  }

  #listsOf(account: string): { delivered: RowList; others: RowList } {
    const keys = this.#installation.keysOf(account, 'campaign');
    return {
      delivered: { rows: keys.attempts(account, 'delivered'), blocks: { keys, account } },
      others: { rows: keys.attempts(account, 'failed') },
    };
  }
}

/** The name of the event with this fingerprint, as its requests and a search by recipient show it. */
function nameIn({ kind, facts, messageIds }: Row, fingerprint: number, wanted: AttemptSearch): TriedEvent['name'] {
  const key = facts?.eventKeys.find((one) => hash32(one) === fingerprint);
  if (key === undefined) return {};
  if (messageIds !== undefined) return { id: key };
  return 'email' in wanted && kind === 'campaign' ? { hash: key } : {};
}

/** The id of the whole batch. */
const wholeBatch = (webhookId: string): string => webhookId.replace(/-\d+-\d+$/, '');

function deliveredRow({ error: _error, nextAttemptAt: _nextAttemptAt, ...row }: DeliveryAttempt): DeliveryAttempt {
  return { ...row, status: 'delivered' };
}

function shownRow({ kind, shape, destination, unconfirmed, error, ...row }: Row): DeliveryAttempt {
  const { keys: _keys, emails: _emails, messageIds: _messageIds, hashes: _hashes, facts: _facts, ...shown } = row;
  const { module = kind === 'test' ? undefined : moduleOf(kind) } = shown;
  const isSubscription = kind === 'transactional' && shape === 'single' && destination !== undefined;
  return {
    ...shown,
    kind,
    ...(module === undefined ? {} : { module }),
    ...(shape === undefined ? {} : { shape }),
    ...(destination === undefined ? {} : { destination }),
    ...(isSubscription ? { subscription: destination } : {}),
    ...(error === undefined ? {} : { error: readCoded(error) }),
    ...(unconfirmed === undefined ? {} : { unconfirmed: readFingerprints(unconfirmed).length }),
  };
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
const textsOf = ({ destination, status, type, kind }: AttemptQuery): string[] => [
  ...(kind === undefined ? [] : [`"kind":"${kind}"`]),
  ...(status === undefined || status === 'not_delivered' ? [] : [`"status":"${status}"`]),
  ...(type === undefined ? [] : [`"${type}"`]),
  ...(destination === undefined ? [] : [textOfDestination(destination)]),
];

/** A part of the text of each row that a search can find. */
const textsOfSearch = (wanted: AttemptSearch): string[] =>
  'webhookId' in wanted
    ? [JSON.stringify(wanted.webhookId).slice(1, -1)]
    : 'eventKey' in wanted
      ? [textOfDestination(wanted.destination)]
      : [];

const textOfDestination = (destination: string): string => `"destination":${JSON.stringify(destination)}`;

/** By the words of a query. */
const isReply = (httpStatus: number | undefined, wanted: string): boolean => {
  const status = httpStatus === undefined ? 'none' : String(httpStatus);
  return wanted === status || (wanted.endsWith('xx') && wanted[0] === status[0]);
};

const isStatus = (row: Row, wanted: AttemptStatusFilter): boolean =>
  wanted === 'not_delivered' ? row.status !== 'delivered' : row.status === wanted;

function isWanted(row: Row, query: AttemptQuery): boolean {
  const { destination, status, type, kind, reply, attempt, text, fromMs, toMs, cursor } = query;
  const timeMs = Date.parse(row.time);
  return (
    (status === undefined || isStatus(row, status)) &&
    (destination === undefined || destination === row.destination) &&
    (type === undefined || row.types?.includes(type) === true) &&
    (kind === undefined || row.kind === kind) &&
    (reply === undefined || isReply(row.httpStatus, reply)) &&
    (attempt === undefined || (attempt === 'first') === (row.attempt === 1)) &&
    (text === undefined || row.facts?.reply?.body.toLowerCase().includes(text.toLowerCase()) === true) &&
    (fromMs === undefined || timeMs >= fromMs) &&
    (toMs === undefined || timeMs < toMs) &&
    (cursor === undefined || orderOf(row) < cursor)
  );
}
