import { randomBytes } from 'node:crypto';
import type { Mechanism } from '@mailhook/core';
import { engineQueues, shardOf } from '@mailhook/core';
import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { engineKeys } from '../keys.ts';
import type { DeadLetterBox, DeadLetterFilter, Page } from '../ports.ts';
import { createScripts } from '../scripts/scripts.ts';
import { deadLetterJobId } from './dead-letter-job.ts';

type Entry = Page<Awaited<ReturnType<DeadLetterBox['list']>>['items'][number]>['items'][number];

/** A dead letter's public id: where it lies (mechanism, shard) and its id there. */
interface Place {
  readonly kind: Mechanism;
  readonly shard: number;
  readonly id: string;
}

const publicId = ({ kind, shard, id }: Place): string => `${kind === 'campaign' ? 'c' : 't'}${shard}_${id}`;

function placeOf(text: string): Place | undefined {
  const found = /^([ct])(\d{1,4})_([\w.-]{1,200})$/.exec(text);
  if (found === null) return undefined;
  return { kind: found[1] === 'c' ? 'campaign' : 'transactional', shard: Number(found[2]), id: found[3] as string };
}

const KEPT_MS = 7 * 86_400_000;
const SCAN_PAGE = 200;

/** Dead letters are kept 7 days (design, section 3). */
export function createDeadLetterBox(options: {
  readonly redis: Redis;
  readonly queuePrefix: string;
  readonly shards: number;
}): DeadLetterBox & { close(): Promise<void> } {
  const { redis, queuePrefix, shards } = options;
  const queues = new Map<string, Queue>();
  const queueOf = ({ kind, shard }: Place): Queue => {
    const key = `${kind}${shard}`;
    const known = queues.get(key);
    if (known !== undefined) return known;
    const queue = new Queue(engineQueues(kind).deadLetters, {
      connection: redis,
      prefix: engineKeys(queuePrefix, shard, kind).queuePrefix,
    });
    queue.on('error', () => undefined);
    queues.set(key, queue);
    return queue;
  };
  const shardsOf = (account: string | undefined): number[] =>
    account === undefined ? Array.from({ length: shards }, (_, shard) => shard) : [shardOf(account, shards)];

  async function page(
    account: string | undefined,
    limit: number,
    before: string,
  ): Promise<{ entries: Entry[]; next: string | undefined }> {
    const rows = (
      await Promise.all(shardsOf(account).map((shard) => readShard(redis, queuePrefix, shard, account, limit, before)))
    ).flat();
    rows.sort((a, b) => b.timeMs - a.timeMs || (a.entry.id < b.entry.id ? 1 : -1));
    const kept = rows.slice(0, limit);
    const last = kept.at(-1);
    return {
      entries: kept.map(({ entry }) => entry),
      next: rows.length < limit || last === undefined ? undefined : `${last.timeMs}~${last.entry.id}`,
    };
  }

  async function redriveOne(place: Place, account: string | undefined, address: string | undefined): Promise<boolean> {
    const keys = engineKeys(queuePrefix, place.shard, place.kind);
    if (place.shard >= shards) return false;
    if (account !== undefined || address !== undefined) {
      const [owner, where] = await redis.hmget(`${keys.base}dl:${place.id}`, 'account', 'address');
      if ((account !== undefined && owner !== account) || (address !== undefined && where !== address)) return false;
    }
    const isRedriven = await createScripts(redis, keys).redrive(place.id, `r${randomBytes(8).toString('hex')}`);
    // Its job is only the operators' view of it: what is left behind finds nothing to re-drive.
    if (isRedriven)
      await queueOf(place)
        .remove(deadLetterJobId(place.id))
        .catch(() => 0);
    return isRedriven;
  }

  return {
    async list({ account }, { limit, cursor }) {
      const { entries, next } = await page(account, limit, cursor ?? '');
      return { items: entries, ...(next === undefined ? {} : { nextCursor: next }) };
    },
    async redrive(filter: DeadLetterFilter) {
      let redriven = 0;
      const drive = async (ids: readonly string[]): Promise<void> => {
        const done = await Promise.all(
          ids.map((id) => {
            const place = placeOf(id);
            return place !== undefined && redriveOne(place, filter.account, filter.address);
          }),
        );
        redriven += done.filter(Boolean).length;
      };
      if (filter.ids !== undefined) {
        await drive([...new Set(filter.ids)]);
        return redriven;
      }
      for (let cursor: string | undefined = ''; cursor !== undefined;) {
        const { entries, next }: Awaited<ReturnType<typeof page>> = await page(filter.account, SCAN_PAGE, cursor);
        await drive(entries.map(({ id }) => id));
        cursor = next;
      }
      return redriven;
    },
    async close() {
      await Promise.all([...queues.values()].map((queue) => queue.close()));
    },
  };
}

async function readShard(
  redis: Redis,
  queuePrefix: string,
  shard: number,
  account: string | undefined,
  limit: number,
  before: string,
) {
  const { shared } = engineKeys(queuePrefix, shard, 'campaign');
  const key = account === undefined ? `${shared}dls` : `${shared}dls:${account}`;
  const [beforeMs, beforeId] =
    before === '' ? [undefined, undefined] : [Number(before.split('~')[0]), before.split('~')[1]];
  const rows: { timeMs: number; entry: Entry }[] = [];
  const oldestMs = Date.now() - KEPT_MS;
  await redis.zremrangebyscore(key, '-inf', oldestMs);
  for (let offset = 0; rows.length < limit; offset += SCAN_PAGE) {
    const members = await redis.zrevrangebyscore(
      key,
      beforeMs ?? '+inf',
      oldestMs,
      'WITHSCORES',
      'LIMIT',
      offset,
      SCAN_PAGE,
    );
    const places = Array.from({ length: members.length / 2 }, (_, i) => ({
      member: members[2 * i] as string,
      timeMs: Number(members[2 * i + 1]),
    }));
    const read = await readEntries(redis, queuePrefix, shard, places);
    rows.push(
      ...read.filter(({ timeMs, entry }) => beforeId === undefined || timeMs < (beforeMs ?? 0) || entry.id < beforeId),
    );
    if (members.length < 2 * SCAN_PAGE) break;
  }
  return rows;
}

async function readEntries(
  redis: Redis,
  queuePrefix: string,
  shard: number,
  places: { member: string; timeMs: number }[],
) {
  const pipeline = redis.pipeline();
  const known = places.map(({ member, timeMs }) => {
    const kind: Mechanism = member.startsWith('c') ? 'campaign' : 'transactional';
    const id = member.slice(1);
    pipeline.hmget(
      `${engineKeys(queuePrefix, shard, kind).base}dl:${id}`,
      'account',
      'address',
      'events',
      'attempts',
      'error',
    );
    return { kind, id, timeMs };
  });
  const replies = (await pipeline.exec()) ?? [];
  return known.flatMap(({ kind, id, timeMs }, i) => {
    const [error, fields] = replies[i] as [Error | null, (string | null)[]];
    if (error !== null) throw error;
    const [account, address, events, attempts, why] = fields;
    if (account == null) return [];
    const entry: Entry = {
      id: publicId({ kind, shard, id }),
      time: new Date(timeMs).toISOString(),
      kind,
      account,
      address: address ?? '',
      events: Number(events),
      attempts: Number(attempts),
      error: why ?? '',
    };
    return [{ timeMs, entry }];
  });
}
