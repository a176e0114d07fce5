import { randomBytes } from 'node:crypto';
import type { DeadLetter, Mechanism } from '@mailhook/core';
import { engineQueues, shardOf } from '@mailhook/core';
import { Queue } from 'bullmq';
import type { Redis } from '@mailhook/platform/redis';
import { engineKeys } from '../keys.ts';
import type { DeadLetterBox, DeadLetterFilter, Page, PageQuery } from '../ports.ts';
import { createScripts } from '../scripts/scripts.ts';
import { deadLetterJobId } from './dead-letter-job.ts';
import { KEPT_MS } from './kept.ts';

export interface DeadLetterBoxOptions {
  readonly redis: Redis;
  readonly queuePrefix: string;
  readonly shards: number;
}

/** A dead letter as operators see it. */
type Entry = DeadLetter & { readonly account: string };

/** Where a dead letter lies: its public id tells. */
interface Place {
  readonly kind: Mechanism;
  readonly shard: number;
  readonly id: string;
}

const publicId = ({ kind, shard, id }: Place): string => `${kind === 'campaign' ? 'c' : 't'}${shard}_${id}`;

function placeOf(text: string): Place | undefined {
  const [, letter, shard, id] = /^([ct])(\d{1,4})_([\w.-]{1,200})$/.exec(text) ?? [];
  if (id === undefined) return undefined;
  return { kind: letter === 'c' ? 'campaign' : 'transactional', shard: Number(shard), id };
}

const SCAN_PAGE = 200;

/** Dead letters are kept 7 days (design, section 3; see `DeadLetterBox`). */
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

  async close(): Promise<void> {
    await Promise.all([...this.#queues.values()].map((queue) => queue.close()));
  }

  async #redriveAll(ids: readonly string[], filter: DeadLetterFilter): Promise<number> {
    const places = ids.map(placeOf).filter((place) => place !== undefined && place.shard < this.#options.shards);
    const done = await Promise.all(places.map((place) => this.#redriveOne(place as Place, filter)));
    return done.filter(Boolean).length;
  }

  async #redriveOne(place: Place, { account, address }: DeadLetterFilter): Promise<boolean> {
    const { redis, queuePrefix } = this.#options;
    const keys = engineKeys(queuePrefix, place.shard, place.kind);
    const [owner, where] = await redis.hmget(`${keys.base}dl:${place.id}`, 'account', 'address');
    if ((account !== undefined && owner !== account) || (address !== undefined && where !== address)) return false;
    const isRedriven = await createScripts(redis, keys).redrive(place.id, `r${randomBytes(8).toString('hex')}`);
    // Its job is only the operators' view of it: one that is left behind finds nothing to re-drive.
    if (isRedriven)
      await this.#queueOf(place)
        .remove(deadLetterJobId(place.id))
        .catch(() => 0);
    return isRedriven;
  }

  #queueOf({ kind, shard }: Place): Queue {
    const { redis, queuePrefix } = this.#options;
    const key = `${kind}${shard}`;
    let queue = this.#queues.get(key);
    if (queue === undefined) {
      queue = new Queue(engineQueues(kind).deadLetters, {
        connection: redis,
        prefix: engineKeys(queuePrefix, shard, kind).queuePrefix,
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
    const { shared } = engineKeys(queuePrefix, shard, 'campaign');
    const key = account === undefined ? `${shared}dls` : `${shared}dls:${account}`;
    const oldestMs = Date.now() - KEPT_MS;
    await redis.zremrangebyscore(key, '-inf', oldestMs);
    const fromMs = cursor === undefined ? '+inf' : Date.parse(cursor.slice(0, cursor.indexOf('~')));
    // A cursor that nobody gave out: there is nothing behind it.
    if (Number.isNaN(fromMs)) return [];
    const rows: Entry[] = [];
    for (let offset = 0; rows.length < limit; offset += SCAN_PAGE) {
      const members = await redis.zrevrangebyscore(key, fromMs, oldestMs, 'LIMIT', offset, SCAN_PAGE);
      const read = await this.#readEntries(shard, members);
      rows.push(...read.filter((entry) => cursor === undefined || orderOf(entry) < cursor));
      if (members.length < SCAN_PAGE) break;
    }
    return rows;
  }

  async #readEntries(shard: number, members: readonly string[]): Promise<Entry[]> {
    const pipeline = this.#options.redis.pipeline();
    const places = members.map((member): Place => ({
      kind: member.startsWith('c') ? 'campaign' : 'transactional',
      shard,
      id: member.slice(1),
    }));
    for (const { kind, id } of places) {
      const { base } = engineKeys(this.#options.queuePrefix, shard, kind);
      pipeline.hmget(`${base}dl:${id}`, 'account', 'address', 'events', 'attempts', 'error', 'time');
    }
    const replies = (await pipeline.exec()) ?? [];
    return places.flatMap((place, i) => {
      const [error, fields] = replies[i] as [Error | null, (string | null)[]];
      if (error !== null) throw error;
      const [account, address, events, attempts, why, time] = fields;
      // The letter itself has run out, its place in the list not yet.
      if (account == null) return [];
      return [
        {
          id: publicId(place),
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
