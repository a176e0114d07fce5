import { randomBytes } from 'node:crypto';
import type { DeadLetter } from '@mailhook/core';
import { engineQueues, shardOf } from '@mailhook/core';
import { OPENS_WITHOUT_REDIS } from '@mailhook/platform/queue';
import { Queue } from 'bullmq';
import type { Redis } from '@mailhook/platform/redis';
import { engineKeys } from '../mailbox/keys.ts';
import type { Discarded } from './discard.ts';
import type { Page, PageQuery } from '../record/page.ts';
import { createMailboxCommands } from '../mailbox/commands.ts';
import { deadLetterJobId } from '../mailbox/dead-letter-id.ts';
import { addDiscarded, discardDeadLetters, NOTHING_DISCARDED } from './discard.ts';
import { DEAD_LETTERS_KEPT_MS } from '../mailbox/constants.ts';
import { parseDeadLetterId, readListMember, formatDeadLetterId } from '../mailbox/dead-letter-id.ts';
import type { DeadLetterId } from '../mailbox/dead-letter-id.ts';

export interface DeadLetterFilter {
  /** Without it, all accounts (for operators). */
  readonly account?: string | undefined;
  readonly address?: string | undefined;
  readonly ids?: readonly string[] | undefined;
}

export interface DeadLetterBox {
  /** Newest first. */
  list(
    filter: Pick<DeadLetterFilter, 'account'>,
    page: PageQuery,
  ): Promise<Page<DeadLetter & { readonly account: string }>>;
  /** Turns dead letters into resends that are due now. They leave the list, and their `attempt` continues. Returns their number. */
  redrive(filter: DeadLetterFilter): Promise<number>;
  /** Deletes dead letters permanently, page by page, for an operator with a full Redis. Those that arrive meanwhile may stay. */
  discard(filter: DeadLetterFilter): Promise<Discarded>;
}

export interface DeadLetterBoxOptions {
  readonly redis: Redis;
  readonly queuePrefix: string;
  readonly shards: number;
}

/** A dead letter as operators see it. */
type Entry = DeadLetter & { readonly account: string };

const SCAN_PAGE = 200;

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

  async list({ account }: Pick<DeadLetterFilter, 'account'>, { limit, cursor }: PageQuery): Promise<Page<Entry>> {
    const { shards } = this.#options;
    const wanted =
      account === undefined ? Array.from({ length: shards }, (_, shard) => shard) : [shardOf(account, shards)];
    const rows = (await Promise.all(wanted.map((shard) => this.#readShard(shard, account, limit, cursor)))).flat();
    rows.sort((a, b) => (orderOf(a) < orderOf(b) ? 1 : -1));
    const items = rows.slice(0, limit);
    const last = items.at(-1);
    return { items, ...(rows.length < limit || last === undefined ? {} : { nextCursor: orderOf(last) }) };
  }

  async redrive(filter: DeadLetterFilter): Promise<number> {
    if (filter.ids !== undefined) return this.#redriveAll([...new Set(filter.ids)], filter);
    let redriven = 0;
    let cursor: string | undefined;
    do {
      const page: Page<Entry> = await this.list(filter, { limit: SCAN_PAGE, cursor });
      redriven += await this.#redriveAll(
        page.items.map(({ id }) => id),
        filter,
      );
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    return redriven;
  }

  async discard(filter: DeadLetterFilter): Promise<Discarded> {
    const { account, address } = filter;
    let done = NOTHING_DISCARDED;
    for await (const page of this.#pages(filter)) {
      const places = page
        .filter((one) => (account ?? one.account) === one.account && (address ?? one.address) === one.address)
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
  async *#pages({ account, ids }: DeadLetterFilter): AsyncGenerator<readonly Entry[]> {
    if (ids !== undefined) {
      for (const place of this.#placesOf([...new Set(ids)])) yield this.#readEntries([place]);
      return;
    }
    let cursor: string | undefined;
    do {
      const page: Page<Entry> = await this.list({ account }, { limit: SCAN_PAGE, cursor });
      yield page.items;
      cursor = page.nextCursor;
    } while (cursor !== undefined);
  }

  #placesOf(ids: readonly string[]): DeadLetterId[] {
    return ids
      .map(parseDeadLetterId)
      .filter((place) => place !== undefined && place.shard < this.#options.shards) as DeadLetterId[];
  }

  async #redriveAll(ids: readonly string[], filter: DeadLetterFilter): Promise<number> {
    const done = await Promise.all(this.#placesOf(ids).map((place) => this.#redriveOne(place, filter)));
    return done.filter(Boolean).length;
  }

  async #redriveOne(place: DeadLetterId, { account, address }: DeadLetterFilter): Promise<boolean> {
    const { redis, queuePrefix } = this.#options;
    const keys = engineKeys(queuePrefix, place.shard, place.kind);
    const [owner, where] = await redis.hmget(keys.deadLetter(place.id), 'account', 'address');
    if ((account !== undefined && owner !== account) || (address !== undefined && where !== address)) return false;
    const isRedriven = await createMailboxCommands(redis, keys).redrive(place.id, `r${randomBytes(8).toString('hex')}`);
    if (isRedriven) await this.#removeJob(place);
    return isRedriven;
  }

  /** Removes a dead letter's job from Bull Board. A job that is left behind does no harm, because it finds nothing to re-drive. */
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
  ): Promise<Entry[]> {
    const { redis, queuePrefix } = this.#options;
    const keys = engineKeys(queuePrefix, shard, 'campaign');
    const key = account === undefined ? keys.deadLetters : keys.deadLettersOf(account);
    const oldestMs = Date.now() - DEAD_LETTERS_KEPT_MS;
    const fromMs = cursor === undefined ? '+inf' : Date.parse(cursor.slice(0, cursor.indexOf('~')));
    // An invalid cursor gives an empty page.
    if (Number.isNaN(fromMs)) return [];
    const rows: Entry[] = [];
    for (let offset = 0; rows.length < limit; offset += SCAN_PAGE) {
      const members = await redis.zrevrangebyscore(key, fromMs, oldestMs, 'LIMIT', offset, SCAN_PAGE);
      const read = await this.#readEntries(members.map((member) => readListMember(member, shard)));
      rows.push(...read.filter((entry) => cursor === undefined || orderOf(entry) < cursor));
      if (members.length < SCAN_PAGE) break;
    }
    return rows;
  }

  /** Reads dead letters of one shard. */
  async #readEntries(places: readonly DeadLetterId[]): Promise<Entry[]> {
    const pipeline = this.#options.redis.pipeline();
    for (const { kind, shard, id } of places) {
      const keys = engineKeys(this.#options.queuePrefix, shard, kind);
      pipeline.hmget(keys.deadLetter(id), 'account', 'address', 'events', 'attempts', 'error', 'time');
    }
    const replies = (await pipeline.exec()) ?? [];
    return places.flatMap((place, i) => {
      const [error, fields] = replies[i] as [Error | null, (string | null)[]];
      if (error !== null) throw error;
      const [account, address, events, attempts, why, time] = fields;
      // The record of the dead letter has expired, but its place in the list has not.
      if (account == null) return [];
      return [
        {
          id: formatDeadLetterId(place),
          time: new Date(Number(time)).toISOString(),
          kind: place.kind,
          account,
          address: address ?? '',
          events: Number(events),
          attempts: Number(attempts),
          error: why ?? '',
        },
      ];
    });
  }
}

const orderOf = ({ time, id }: Entry): string => `${time}~${id}`;
