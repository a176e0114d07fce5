import type { DeliveryAttempt } from '@mailhook/core';
import { shardOf } from '@mailhook/core';
import type { Redis } from 'ioredis';
import { engineKeys } from '../keys.ts';
import type { AttemptLog, AttemptRecord } from '../ports.ts';

export interface AttemptLogOptions {
  readonly redis: Redis;
  readonly queuePrefix: string;
  readonly shards: number;
  /** Delivered attempts that were not written because there were too many. */
  readonly onDropped?: (attempts: number) => void;
  readonly onError: (error: Error) => void;
}

/** Attempts kept for an account: this many delivered ones, and as many failed and dead ones beside them. */
const KEPT_PER_ACCOUNT = 10_000;
const KEPT_S = 7 * 86_400;
const FLUSH_MS = 100;
/** Delivered attempts of one account written in one flush; the rest is dropped and counted. Failed and dead ones are never dropped. */
const DELIVERED_PER_FLUSH_MAX = 200;
const READ_PAGE = 500;
/** A row may reach Redis this much later than its attempt ended, so lists are in order only up to this. */
const DISORDER_MS = 10_000;

interface Buffered {
  delivered: AttemptRecord[];
  others: AttemptRecord[];
}

/** The attempt log of every account, in Redis, bounded (see `AttemptLog`). */
export function createAttemptLog(options: AttemptLogOptions): AttemptLog {
  const { redis, queuePrefix, shards } = options;
  const keysOf = (account: string) => {
    const { shared } = engineKeys(queuePrefix, shardOf(account, shards), 'campaign');
    return { delivered: `${shared}attempts:${account}:delivered`, others: `${shared}attempts:${account}:failed` };
  };
  let buffer = new Map<string, Buffered>();
  let timer: NodeJS.Timeout | undefined;
  let dropped = 0;

  async function flush(): Promise<void> {
    timer = undefined;
    const full = buffer;
    buffer = new Map();
    if (dropped > 0) options.onDropped?.(dropped);
    dropped = 0;
    const pipeline = redis.pipeline();
    for (const [account, { delivered, others }] of full) {
      const keys = keysOf(account);
      for (const [key, rows] of [
        [keys.delivered, delivered],
        [keys.others, others],
      ] as const) {
        if (rows.length === 0) continue;
        pipeline.lpush(key, ...rows.map(rowOf));
        pipeline.ltrim(key, 0, KEPT_PER_ACCOUNT - 1);
        pipeline.expire(key, KEPT_S);
      }
    }
    try {
      await pipeline.exec();
    } catch (error) {
      options.onError(error as Error);
      // What failed must be seen: it waits for Redis, as far as that is bounded.
      for (const { others } of full.values()) for (const attempt of others.slice(-KEPT_PER_ACCOUNT)) put(attempt);
    }
  }

  function put(attempt: AttemptRecord): void {
    let rows = buffer.get(attempt.account);
    if (rows === undefined) buffer.set(attempt.account, (rows = { delivered: [], others: [] }));
    if (attempt.status !== 'delivered') rows.others.push(attempt);
    else if (rows.delivered.length < DELIVERED_PER_FLUSH_MAX) rows.delivered.push(attempt);
    else dropped += 1;
    timer ??= setTimeout(() => void flush(), FLUSH_MS);
  }

  return {
    record: put,
    async list(account, { destination, status, limit, cursor }) {
      const keys = keysOf(account);
      const lists =
        status === undefined ? [keys.delivered, keys.others] : [status === 'delivered' ? keys.delivered : keys.others];
      const isWanted = (attempt: DeliveryAttempt): boolean =>
        (status === undefined || attempt.status === status) &&
        (destination === undefined ||
          destination === (attempt.kind === 'campaign' ? 'campaign' : attempt.subscription)) &&
        (cursor === undefined || orderOf(attempt) < cursor);
      const rows = await newest(redis, lists, isWanted, limit + 1);
      const items = rows.slice(0, limit);
      const last = items.at(-1);
      return { items, ...(rows.length > limit && last !== undefined ? { nextCursor: orderOf(last) } : {}) };
    },
    async close() {
      clearTimeout(timer);
      await flush();
    },
  };
}

const orderOf = ({ time, id }: DeliveryAttempt): string => `${time}~${id}`;

const rowOf = ({ account: _account, ...attempt }: AttemptRecord): string => JSON.stringify(attempt);

/** The newest rows of several lists that are wanted, in order of time. */
async function newest(
  redis: Redis,
  lists: readonly string[],
  isWanted: (attempt: DeliveryAttempt) => boolean,
  limit: number,
): Promise<DeliveryAttempt[]> {
  const found = new Map<string, DeliveryAttempt>();
  await Promise.all(
    lists.map(async (key) => {
      let wanted = 0;
      for (let from = 0; ; from += READ_PAGE) {
        const texts = await redis.lrange(key, from, from + READ_PAGE - 1);
        const rows = texts.map((text) => JSON.parse(text) as DeliveryAttempt);
        for (const row of rows) {
          if (!isWanted(row) || found.has(row.id)) continue;
          found.set(row.id, row);
          wanted += 1;
        }
        const last = rows.at(-1);
        if (last === undefined || rows.length < READ_PAGE) return;
        if (wanted >= limit && Date.parse(last.time) + DISORDER_MS < oldestOf(found.values(), limit)) return;
      }
    }),
  );
  return inOrder(found.values()).slice(0, limit);
}

const inOrder = (rows: Iterable<DeliveryAttempt>): DeliveryAttempt[] =>
  [...rows].sort((a, b) => (orderOf(a) < orderOf(b) ? 1 : -1));

const oldestOf = (rows: Iterable<DeliveryAttempt>, limit: number): number =>
  Date.parse(inOrder(rows)[limit - 1]?.time ?? '9999-12-31');
