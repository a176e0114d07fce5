import type {
  DeadLetter,
  DeadLetterListFilter,
  DeadLetterGroups,
  DeadLetterSummary,
  Page,
  PageQuery,
  RedriveProgress,
} from '@mailhook/core';
import {
  causeOf,
  deadLetterGroupId,
  groupDeadLetters,
  keyOfPayload,
  moduleOf,
  payloadsOf,
  publicIdOf,
  readCoded,
  shardOf,
} from '@mailhook/core';
import { DEAD_LETTERS_KEPT_MS, REDRIVE_SILENT_MS } from '../mailbox/constants.ts';
import { formatDeadLetterId, parseDeadLetterId, readListMember } from '../mailbox/dead-letter-id.ts';
import type { DeadLetterId } from '../mailbox/dead-letter-id.ts';
import { readRedriven } from '../mailbox/accounts.ts';
import type { Redriven } from '../mailbox/accounts.ts';
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
  readonly groups?: readonly string[] | undefined;
  /** Only those given up since then (ISO 8601). */
  readonly from?: string | undefined;
}

interface ListFilter extends DeadLetterListFilter, Pick<DeadLetterSelection, 'account'> {}

export interface DeadLetters {
  /** Newest first. */
  list(filter: ListFilter, page: PageQuery): Promise<Page<DeadLetter & { readonly account: string }>>;
  /** The newest dead letters by cause and destination. `most`: about how many are counted. */
  groups(account: string, filter: DeadLetterListFilter, most?: number): Promise<DeadLetterGroups>;
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
  /** What names the first event in requests (`keyOfPayload`). */
  readonly firstKey: string;
}

const SCAN_PAGE = 200;
/** Dead letters that groups count, so that a page with an account's groups stays cheap. */
const GROUPED_MAX = 5000;

/** Reads the dead letters of all shards, which are kept for 7 days. */
export const createDeadLetters = (installation: Installation): DeadLetters => new RedisDeadLetters(installation);

class RedisDeadLetters implements DeadLetters {
  readonly #installation: Installation;

  constructor(installation: Installation) {
    this.#installation = installation;
  }

  async list({ account, ...filter }: ListFilter, { limit, cursor }: PageQuery): Promise<Page<OperatorDeadLetter>> {
    const { shards } = this.#installation;
    const wanted =
      account === undefined ? Array.from({ length: shards }, (_, shard) => shard) : [shardOf(account, shards)];
    const rows = (
      await Promise.all(wanted.map((shard) => this.#readShard(shard, account, { limit, cursor }, filter)))
    ).flat();
    rows.sort((a, b) => (orderOf(a) < orderOf(b) ? 1 : -1));
    const items = rows.slice(0, limit);
    const last = items.at(-1);
    return { items, ...(rows.length < limit || last === undefined ? {} : { nextCursor: orderOf(last) }) };
  }

  async groups(account: string, filter: DeadLetterListFilter, most = GROUPED_MAX): Promise<DeadLetterGroups> {
    let items: DeadLetterGroups['items'] = [];
    let read = 0;
    let cursor: string | undefined;
    do {
      const page = await this.list({ account, from: filter.from }, { limit: SCAN_PAGE, cursor });
      items = groupDeadLetters(
        page.items.filter((one) => isListed(filter, one)),
        items,
      );
      read += page.items.length;
      cursor = page.nextCursor;
    } while (cursor !== undefined && read < most);
    return { items, isComplete: cursor === undefined };
  }

  async read(account: string, id: string): Promise<DeadLetterContents | undefined> {
    const [place] = this.#placesOf([id]);
    const { redis, prefix } = this.#installation;
    const found = place === undefined ? undefined : await readDeadLetter(redis, prefix, place);
    if (place === undefined || found?.deadLetter.account !== account) return undefined;
    const { deadLetter, body, entries } = found;
    const texts = body === undefined ? entries.map(fragmentsOf) : [body];
    const payloads = texts.flatMap((text) => payloadsOf(text, Math.max(1, deadLetter.attempts), deadLetter.shape));
    return {
      ...viewOf(deadLetter),
      webhookId: deadLetter.webhookId === '' ? undefined : deadLetter.webhookId,
      payloads,
      firstKey: payloads[0] === undefined ? '' : keyOfPayload(payloads[0]),
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
    return { total, redriven: progressOf(redriven, Date.now()) };
  }

  async *pages(selection: DeadLetterSelection): AsyncGenerator<readonly OperatorDeadLetter[]> {
    const { account, ids, from } = selection;
    const groups = selection.groups && new Set(selection.groups);
    const isWanted = (one: OperatorDeadLetter): boolean => groups?.has(deadLetterGroupId(one)) !== false;
    if (ids !== undefined) {
      const places = this.#placesOf([...new Set(ids)]);
      for (const place of places) yield (await this.#readDeadLetters([place])).filter(isWanted);
      return;
    }
    let cursor: string | undefined;
    do {
      const page: Page<OperatorDeadLetter> = await this.list({ account, from }, { limit: SCAN_PAGE, cursor });
      yield page.items.filter(isWanted);
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
    { limit, cursor }: PageQuery,
    filter: DeadLetterListFilter,
  ): Promise<OperatorDeadLetter[]> {
    const { redis, prefix } = this.#installation;
    const keys = engineKeys(prefix, shard, 'campaign');
    const key = account === undefined ? keys.deadLetters : keys.deadLettersOf(account);
    const oldestMs = Math.max(Date.now() - DEAD_LETTERS_KEPT_MS, Date.parse(filter.from ?? '') || 0);
    const fromMs = cursor === undefined ? '+inf' : Date.parse(cursor.slice(0, cursor.indexOf('~')));
    // An invalid cursor gives an empty page.
    if (Number.isNaN(fromMs)) return [];
    const rows: OperatorDeadLetter[] = [];
    for (let offset = 0; rows.length < limit; offset += SCAN_PAGE) {
      const members = await redis.zrevrangebyscore(key, fromMs, oldestMs, 'LIMIT', offset, SCAN_PAGE);
      const read = await this.#readDeadLetters(members.map((member) => readListMember(member, shard)));
      rows.push(...read.filter((one) => isListed(filter, one) && (cursor === undefined || orderOf(one) < cursor)));
      if (members.length < SCAN_PAGE) break;
    }
    return rows;
  }

  async #readDeadLetters(places: readonly DeadLetterId[]): Promise<OperatorDeadLetter[]> {
    const { redis, prefix } = this.#installation;
    return (await readDeadLetters(redis, prefix, places)).map(viewOf);
  }
}

const isListed = (filter: DeadLetterListFilter, { destination, error }: DeadLetter): boolean =>
  (filter.destination ?? destination) === destination &&
  (filter.cause === undefined || filter.cause === causeOf(error));

function progressOf(redriven: Redriven, nowMs: number): RedriveProgress {
  const { resent, delivered, failed, returned, left, touchedMs, stoppedMs } = redriven;
  const startedAt = new Date(redriven.startedAtMs).toISOString();
  const waiting = Math.max(0, resent - delivered - failed);
  const isSilent = nowMs - touchedMs >= REDRIVE_SILENT_MS;
  const unended = stoppedMs >= touchedMs ? 'stopped' : isSilent ? 'interrupted' : 'running';
  return { state: left === 0 ? 'ended' : unended, left, startedAt, waiting, delivered, failed, returned };
}

const viewOf = ({ place, destination, timeMs, ...rest }: DeadLetterRecord): OperatorDeadLetter => ({
  id: formatDeadLetterId(place),
  time: new Date(timeMs).toISOString(),
  kind: place.kind,
  module: moduleOf(place.kind),
  shape: rest.shape,
  account: rest.account,
  destination: publicIdOf(rest.account, destination),
  address: rest.address,
  events: rest.events,
  attempts: rest.attempts,
  error: readCoded(rest.error),
});

const orderOf = ({ time, id }: OperatorDeadLetter): string => `${time}~${id}`;
