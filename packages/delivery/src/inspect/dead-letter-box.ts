import { randomBytes } from 'node:crypto';
import type { DeadLetter, DeadLetterSummary, RedriveResult } from '@mailhook/core';
import { campaignDestinationId, engineQueues, payloadsOf, shardOf } from '@mailhook/core';
import { OPENS_WITHOUT_REDIS } from '@mailhook/platform/queue';
import { Queue } from 'bullmq';
import type { Redis } from '@mailhook/platform/redis';
import { engineKeys } from '../mailbox/keys.ts';
import type { Discarded } from './discard.ts';
import type { Page, PageQuery } from '../record/page.ts';
import { createMailboxCommands } from '../mailbox/commands.ts';
import { deadLetterJobId } from '../mailbox/dead-letter-id.ts';
import { addDiscarded, discardDeadLetters, NOTHING_DISCARDED } from './discard.ts';
import { fragmentsOf } from '../mailbox/entry.ts';
import { DEAD_LETTERS_KEPT_MS } from '../mailbox/constants.ts';
import { parseDeadLetterId, readListMember, formatDeadLetterId } from '../mailbox/dead-letter-id.ts';
import type { DeadLetterId } from '../mailbox/dead-letter-id.ts';

interface DeadLetterFilter {
  /** Without it, all accounts (for operators). */
  readonly account?: string | undefined;
  readonly address?: string | undefined;
  readonly ids?: readonly string[] | undefined;
  /** For a redrive: a subscription id, or `campaign-<account>`. */
  readonly destination?: string | undefined;
}

export interface DeadLetterBox {
  /** Newest first. */
  list(
    filter: Pick<DeadLetterFilter, 'account'>,
    page: PageQuery,
  ): Promise<Page<DeadLetter & { readonly account: string }>>;
  /** How many dead letters the account has, and what became of those that were redriven. */
  summary(account: string): Promise<DeadLetterSummary>;
  /** A dead letter of this account with its events. Undefined if it is gone. */
  read(account: string, id: string): Promise<DeadLetterContents | undefined>;
  /** Turns dead letters into resends that are due now. They leave the list, and their `attempt` continues. */
  redrive(filter: DeadLetterFilter): Promise<RedriveResult>;
  /**
   * Deletes dead letters permanently, page by page, for an operator with a full Redis. Those that arrive meanwhile may
   * stay.
   */
  discard(filter: DeadLetterFilter): Promise<Discarded>;
}

export interface DeadLetterBoxOptions {
  readonly redis: Redis;
  readonly queuePrefix: string;
  readonly shards: number;
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
const FIELDS = ['account', 'dest', 'address', 'events', 'attempts', 'error', 'time'] as const;

/** Id of the destination of a dead letter: that of the subscription, or `campaign-<account>`. */
export const destinationIdOf = ({ kind, account, destination }: OperatorDeadLetter): string =>
  kind === 'campaign' ? campaignDestinationId(account) : destination;

type Place = Readonly<Record<'account' | 'address' | 'destination', string | null | undefined>>;

const isSelected = (filter: DeadLetterFilter, { account, address, destination }: Place): boolean =>
  (filter.account ?? account) === account &&
  (filter.address ?? address) === address &&
  (filter.destination ?? destination) === destination;

/** The dead letters of all shards, which are kept for 7 days. */
export function createDeadLetterBox(options: DeadLetterBoxOptions): DeadLetterBox & { close(): Promise<void> } {
  return new RedisDeadLetterBox(options);
}

class RedisDeadLetterBox implements DeadLetterBox {
  readonly #options: DeadLetterBoxOptions;
  readonly #queues = new Map<string, Queue>();

  constructor(options: DeadLetterBoxOptions) {
    this.#options = options;
  }

  async list(
    { account }: Pick<DeadLetterFilter, 'account'>,
    { limit, cursor }: PageQuery,
  ): Promise<Page<OperatorDeadLetter>> {
    const { shards } = this.#options;
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
    const entry = place === undefined ? undefined : (await this.#readDeadLetters([place]))[0];
    if (place === undefined || entry?.account !== account) return undefined;
    const { redis, queuePrefix } = this.#options;
    const { kind, shard } = place;
    const keys = engineKeys(queuePrefix, shard, kind);
    const [body, webhookId] = await redis.hmget(keys.deadLetter(place.id), 'body', 'wid');
    const texts =
      body == null ? (await redis.lrange(keys.deadLetterEntries(place.id), 0, -1)).map(fragmentsOf) : [body];
    const payloads = texts.flatMap((text) => payloadsOf(text, kind, Math.max(1, entry.attempts)));
    return {
      ...entry,
      webhookId: webhookId ?? undefined,
      payloads,
      firstKey: (payloads[0]?.[kind === 'campaign' ? 'hash' : 'messageId'] ?? '') as string,
    };
  }

  async summary(account: string): Promise<DeadLetterSummary> {
    const { redis, queuePrefix, shards } = this.#options;
    const keys = engineKeys(queuePrefix, shardOf(account, shards), 'campaign');
    const [total, counts] = await Promise.all([
      redis.zcount(keys.deadLettersOf(account), Date.now() - DEAD_LETTERS_KEPT_MS, '+inf'),
      redis.hgetall(keys.redriven(account)),
    ]);
    if (counts['at'] === undefined) return { total };
    const of = (field: string): number => Number(counts[field] ?? 0);
    const [delivered, failed] = [of('delivered'), of('failed')];
    const startedAt = new Date(of('at')).toISOString();
    const waiting = Math.max(0, of('events') - delivered - failed);
    return { total, redriven: { startedAt, waiting, delivered, failed, returned: of('returned') } };
  }

  async redrive(filter: DeadLetterFilter): Promise<RedriveResult> {
    const run = randomBytes(8).toString('hex');
    let redriven = 0;
    let inactive = 0;
    for await (const page of this.#pages(filter)) {
      const results = await Promise.all(
        page.map(({ id }) => this.#redriveOne(parseDeadLetterId(id) as DeadLetterId, filter, run)),
      );
      redriven += results.filter((result) => result === 'redriven').length;
      inactive += results.filter((result) => result === 'inactive').length;
    }
    return { redriven, ...(inactive === 0 ? {} : { inactive }) };
  }

  async discard(filter: DeadLetterFilter): Promise<Discarded> {
    let done = NOTHING_DISCARDED;
    for await (const page of this.#pages(filter)) {
      const places = page
        .filter((one) => isSelected(filter, { ...one, destination: destinationIdOf(one) }))
        .map(({ id }) => parseDeadLetterId(id) as DeadLetterId);
      done = addDiscarded(done, await discardDeadLetters(this.#options, places));
      await Promise.all(places.map((place) => this.#removeJob(place)));
    }
    return done;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#queues.values()].map((queue) => queue.close()));
  }

  /** The dead letters that a filter may match, page by page. The caller may delete a page before it reads the next. */
  async *#pages({ account, ids }: DeadLetterFilter): AsyncGenerator<readonly OperatorDeadLetter[]> {
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
      .filter((place) => place !== undefined && place.shard < this.#options.shards) as DeadLetterId[];
  }

  async #redriveOne(
    place: DeadLetterId,
    filter: DeadLetterFilter,
    run: string,
  ): Promise<'redriven' | 'gone' | 'inactive'> {
    const { redis, queuePrefix } = this.#options;
    const keys = engineKeys(queuePrefix, place.shard, place.kind);
    const [account, address, destination] = await redis.hmget(
      keys.deadLetter(place.id),
      ...['account', 'address', 'dest'],
    );
    if (!isSelected(filter, { account, address, destination })) return 'gone';
    const resend = `r${randomBytes(8).toString('hex')}`;
    const result = await createMailboxCommands(redis, keys).redrive(place.id, resend, run);
    if (result === 'redriven') await this.#removeJob(place);
    return result;
  }

  /**
   * Removes a dead letter's job from Bull Board. A job that is left behind does no harm, because it finds nothing to
   * re-drive.
   */
  async #removeJob(place: DeadLetterId): Promise<void> {
    await this.#queueOf(place)
      .remove(deadLetterJobId(place.id))
      .catch(() => 0);
  }

  #queueOf({ kind, shard }: DeadLetterId): Queue {
    const { redis, queuePrefix } = this.#options;
    const key = `${kind}${shard}`;
    let queue = this.#queues.get(key);
    if (queue === undefined) {
      queue = new Queue(engineQueues(kind).deadLetters, {
        connection: redis,
        prefix: engineKeys(queuePrefix, shard, kind).queuePrefix,
        ...OPENS_WITHOUT_REDIS,
      });
      queue.on('error', () => undefined);
      this.#queues.set(key, queue);
    }
    return queue;
  }

  async #readShard(
    shard: number,
    account: string | undefined,
    limit: number,
    cursor: string | undefined,
  ): Promise<OperatorDeadLetter[]> {
    const { redis, queuePrefix } = this.#options;
    const keys = engineKeys(queuePrefix, shard, 'campaign');
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

  /** Reads dead letters of one shard. */
  async #readDeadLetters(places: readonly DeadLetterId[]): Promise<OperatorDeadLetter[]> {
    const pipeline = this.#options.redis.pipeline();
    for (const { kind, shard, id } of places) {
      const keys = engineKeys(this.#options.queuePrefix, shard, kind);
      pipeline.hmget(keys.deadLetter(id), ...FIELDS);
    }
    const replies = (await pipeline.exec()) ?? [];
    return places.flatMap((place, i) => {
      const [error, fields] = replies[i] as [Error | null, (string | null)[]];
      if (error !== null) throw error;
      const [account, destination, address, events, attempts, why, time] = fields;
      // The record of the dead letter has expired, but its place in the list has not.
      if (account == null) return [];
      return [
        {
          id: formatDeadLetterId(place),
          time: new Date(Number(time)).toISOString(),
          kind: place.kind,
          account,
          destination: place.kind === 'campaign' ? 'campaign' : (destination ?? ''),
          address: address ?? '',
          events: Number(events),
          attempts: Number(attempts),
          error: why ?? '',
        },
      ];
    });
  }
}

const orderOf = ({ time, id }: OperatorDeadLetter): string => `${time}~${id}`;
