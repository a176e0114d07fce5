import type { DeadLetter, DeadLetterSummary, Page, PageQuery } from '@mailhook/core';
import { payloadsOf, shardOf } from '@mailhook/core';
import { DEAD_LETTERS_KEPT_MS } from '../mailbox/constants.ts';
import { formatDeadLetterId, parseDeadLetterId, readListMember } from '../mailbox/dead-letter-id.ts';
import type { DeadLetterId } from '../mailbox/dead-letter-id.ts';
import { readRedriven } from '../mailbox/accounts.ts';
import { fragmentsOf } from '../mailbox/entry.ts';
import type { Installation } from '../mailbox/installation.ts';
import { engineKeys } from '../mailbox/keys.ts';
import { readDeadLetter, readDeadLetters } from '../mailbox/records.ts';
import type { DeadLetterRecord } from '../mailbox/records.ts';

/** Selects dead letters to read. */
interface DeadLetterSelection {
  /** Without it, all accounts (for operators). */
  readonly account?: string | undefined;
  readonly ids?: readonly string[] | undefined;
}

export interface DeadLetters {
  /** Newest first. */
  list(
    filter: Pick<DeadLetterSelection, 'account'>,
    page: PageQuery,
  ): Promise<Page<DeadLetter & { readonly account: string }>>;
  /** How many dead letters the account has, and what became of those that were redriven. */
  summary(account: string): Promise<DeadLetterSummary>;
  /** A dead letter of this account with its events. Undefined if it is gone. */
  read(account: string, id: string): Promise<DeadLetterContents | undefined>;
  /** The selected dead letters, page by page. The caller may delete a page before it reads the next. */
  pages(selection: DeadLetterSelection): AsyncGenerator<readonly OperatorDeadLetter[]>;
}

/** A dead letter as operators see it. */
type OperatorDeadLetter = DeadLetter & { readonly account: string };

interface DeadLetterContents extends DeadLetter {
  /** Undefined if it was never sent. */
  readonly webhookId: string | undefined;
  readonly payloads: readonly Readonly<Record<string, unknown>>[];
  /** Hash or `messageId` of the first event. */
  readonly firstKey: string;
}

const SCAN_PAGE = 200;

/** Reads the dead letters of all shards, which are kept for 7 days. */
export const createDeadLetters = (installation: Installation): DeadLetters => new RedisDeadLetters(installation);

class RedisDeadLetters implements DeadLetters {
  readonly #installation: Installation;

  constructor(installation: Installation) {
    this.#installation = installation;
  }

  async list(
    { account }: Pick<DeadLetterSelection, 'account'>,
    { limit, cursor }: PageQuery,
  ): Promise<Page<OperatorDeadLetter>> {
    const { shards } = this.#installation;
    const wanted =
      account === undefined ? Array.from({ length: shards }, (_, shard) => shard) : [shardOf(account, shards)];
    const rows = (await Promise.all(wanted.map((shard) => this.#readShard(shard, account, limit, cursor)))).flat();
    rows.sort((a, b) => (orderOf(a) < orderOf(b) ? 1 : -1));
    const items = rows.slice(0, limit);
    const last = items.at(-1);
    return { items, ...(rows.length < limit || last === undefined ? {} : { nextCursor: orderOf(last) }) };
  }

  async read(account: string, id: string): Promise<DeadLetterContents | undefined> {
    const [place] = this.#placesOf([id]);
    const { redis, prefix } = this.#installation;
    const found = place === undefined ? undefined : await readDeadLetter(redis, prefix, place);
    if (place === undefined || found?.deadLetter.account !== account) return undefined;
    const { kind } = place;
    const { deadLetter, body, entries } = found;
    const texts = body === undefined ? entries.map(fragmentsOf) : [body];
    const payloads = texts.flatMap((text) => payloadsOf(text, kind, Math.max(1, deadLetter.attempts)));
    return {
      ...viewOf(deadLetter),
      webhookId: deadLetter.webhookId === '' ? undefined : deadLetter.webhookId,
      payloads,
      firstKey: (payloads[0]?.[kind === 'campaign' ? 'hash' : 'messageId'] ?? '') as string,
    };
  }

  async summary(account: string): Promise<DeadLetterSummary> {
    const { redis } = this.#installation;
    const keys = this.#installation.keysOf(account, 'campaign');
    const [total, redriven] = await Promise.all([
      redis.zcount(keys.deadLettersOf(account), Date.now() - DEAD_LETTERS_KEPT_MS, '+inf'),
      readRedriven(redis, keys, account),
    ]);
    if (redriven === undefined) return { total };
    const { resent, delivered, failed, returned } = redriven;
    const startedAt = new Date(redriven.startedAtMs).toISOString();
    const waiting = Math.max(0, resent - delivered - failed);
    return { total, redriven: { startedAt, waiting, delivered, failed, returned } };
  }

  async *pages({ account, ids }: DeadLetterSelection): AsyncGenerator<readonly OperatorDeadLetter[]> {
    if (ids !== undefined) {
      for (const place of this.#placesOf([...new Set(ids)])) yield this.#readDeadLetters([place]);
      return;
    }
    let cursor: string | undefined;
    do {
      const page: Page<OperatorDeadLetter> = await this.list({ account }, { limit: SCAN_PAGE, cursor });
      yield page.items;
      cursor = page.nextCursor;
    } while (cursor !== undefined);
  }

  #placesOf(ids: readonly string[]): DeadLetterId[] {
    return ids
      .map(parseDeadLetterId)
      .filter((place) => place !== undefined && place.shard < this.#installation.shards) as DeadLetterId[];
  }

  async #readShard(
    shard: number,
    account: string | undefined,
    limit: number,
    cursor: string | undefined,
  ): Promise<OperatorDeadLetter[]> {
    const { redis, prefix } = this.#installation;
    const keys = engineKeys(prefix, shard, 'campaign');
    const key = account === undefined ? keys.deadLetters : keys.deadLettersOf(account);
    const oldestMs = Date.now() - DEAD_LETTERS_KEPT_MS;
    const fromMs = cursor === undefined ? '+inf' : Date.parse(cursor.slice(0, cursor.indexOf('~')));
    // An invalid cursor gives an empty page.
    if (Number.isNaN(fromMs)) return [];
    const rows: OperatorDeadLetter[] = [];
    for (let offset = 0; rows.length < limit; offset += SCAN_PAGE) {
      const members = await redis.zrevrangebyscore(key, fromMs, oldestMs, 'LIMIT', offset, SCAN_PAGE);
      const read = await this.#readDeadLetters(members.map((member) => readListMember(member, shard)));
      rows.push(...read.filter((entry) => cursor === undefined || orderOf(entry) < cursor));
      if (members.length < SCAN_PAGE) break;
    }
    return rows;
  }

  async #readDeadLetters(places: readonly DeadLetterId[]): Promise<OperatorDeadLetter[]> {
    const { redis, prefix } = this.#installation;
    return (await readDeadLetters(redis, prefix, places)).map(viewOf);
  }
}

const viewOf = ({ place, destination, timeMs, ...rest }: DeadLetterRecord): OperatorDeadLetter => ({
  id: formatDeadLetterId(place),
  time: new Date(timeMs).toISOString(),
  kind: place.kind,
  account: rest.account,
  destination: place.kind === 'campaign' ? 'campaign' : destination,
  address: rest.address,
  events: rest.events,
  attempts: rest.attempts,
  error: rest.error,
});

const orderOf = ({ time, id }: OperatorDeadLetter): string => `${time}~${id}`;
