import { Queue } from 'bullmq';
import { readIdTable } from '../../packages/delivery/src/mailbox/id-table.suite.ts';
import { readPackedCounts } from '../../packages/delivery/src/record/history.ts';
import { SLOTS, SLOTS_PER_CELL } from '../../packages/delivery/src/record/history-keys.ts';
import { readTarget } from '../../packages/delivery/src/mailbox/records.ts';
import { readState } from '../../packages/delivery/src/mailbox/state.ts';
import { readSums } from '../../packages/delivery/src/mailbox/sums.ts';
import type { Rig } from './rig.ts';

/** The jobs of one of the engine's queues. */
export async function jobsIn(rig: Rig, name: string, prefix = `{${rig.queuePrefix}:0}`) {
  const queue = new Queue<Record<string, unknown>>(name, { connection: rig.redis, prefix });
  const jobs = await queue.getJobs(['waiting', 'prioritized', 'delayed', 'failed', 'completed']);
  await queue.close();
  return jobs.map((job) => ({ queue: name, id: job.id, name: job.name, data: job.data }));
}

/** Keys whose content depends on the moment. */
const PASSING = /:(workers|hosts|beat|beats|lost|proven|ready|backlog|parked)$/;

/** Every key of the mailboxes and of what both mechanisms share, with its content. Without those of BullMQ. */
export async function keysOf({ redis, queuePrefix }: Rig): Promise<Record<string, unknown>> {
  const keys = await redis.keys(`{${queuePrefix}:0}:*`);
  const own = keys.filter((key) => !/\}:(campaign|transactional)-/.test(key) && !PASSING.test(key));
  const entries = await Promise.all(own.map(async (key) => [key, await contentOf({ redis }, key)] as const));
  return Object.fromEntries(entries);
}

/** Whether an owned mailbox is in the backlog depends on the moment, like the set of the backlog. */
function stateOf(bytes: Buffer) {
  const state = readState(bytes);
  return state.owner === '' ? state : { ...state, isListed: false };
}

/** What a field of a packed hash says. `packed.test.ts` of the mailbox has the bytes. */
const READERS: Readonly<Record<string, (bytes: Buffer) => unknown>> = {
  live: stateOf,
  records: (bytes) => bytes.toString('hex'),
  targets: readTarget,
  sums: readSums,
};

/** Packed counts, by the number of the slot. The cell and the bucket of a reply time depend on the moment. */
async function countsOf(redis: Rig['redis'], key: string): Promise<unknown> {
  const fields = Object.entries(await redis.hgetallBuffer(key));
  const named = (number: number) => Math.min(number % SLOTS_PER_CELL, SLOTS.replies);
  return Object.fromEntries(
    fields.map(([field, bytes]) => [
      field,
      Object.fromEntries([...readPackedCounts(bytes)].map(([number, count]) => [named(number), count])),
    ]),
  );
}

/** The digests of a bucket of ids, each with the period of its id. */
async function idsOf(redis: Rig['redis'], key: string): Promise<unknown> {
  const fields = (await redis.callBuffer('HGETALL', key)) as Buffer[];
  return fields.flatMap((digest, i) => (i % 2 === 0 ? [[digest.toString('base64url'), String(fields[i + 1])]] : []));
}

async function hashOf(redis: Rig['redis'], key: string): Promise<unknown> {
  const read = READERS[key.slice(key.lastIndexOf(':') + 1)];
  if (key.includes(':history:')) return countsOf(redis, key);
  if (key.includes(':ids:')) return idsOf(redis, key);
  if (read === undefined) return redis.hgetall(key);
  const fields = Object.entries(await redis.hgetallBuffer(key));
  return Object.fromEntries(fields.map(([field, bytes]) => [field, bytes.length === 0 ? '' : read(bytes)]));
}

async function contentOf({ redis }: Pick<Rig, 'redis'>, key: string): Promise<unknown> {
  switch (await redis.type(key)) {
    case 'hash':
      return hashOf(redis, key);
    case 'list':
      return redis.lrange(key, 0, -1);
    case 'set':
      return (await redis.smembers(key)).sort();
    case 'zset':
      return (await redis.zrange(key, '0', '-1')).sort();
    default:
      // How much of the ids a period has searched depends on the moment.
      return key.endsWith(':ids') ? { ...(await readIdTable(redis, { ids: key })), swept: 0 } : redis.get(key);
  }
}

/** The stored texts with names in place of ids, times, addresses and durations, and with sorted keys. */
export function withoutRandomParts(
  stored: unknown,
  { queuePrefix, receiver }: Record<'queuePrefix' | 'receiver', string>,
) {
  const text = JSON.stringify(stored)
    .replaceAll(receiver, 'http://receiver')
    .replaceAll(queuePrefix, 'P')
    .replaceAll(/w[0-9a-f]{12}[\w-]*/g, '<worker id>')
    .replaceAll(/p[0-9a-f]{16}-1/g, '<given up>')
    .replaceAll(/c[0-9a-f]{24}/g, '<chunk>')
    .replaceAll(/park-([\w~-]+?)-[0-9a-f]{12}x/g, 'park-$1-<random>x')
    .replaceAll(/\b1[789]\d{11}\b/g, '0')
    .replaceAll(/"m[0-9a-z]{7}(?=\d{4}|")/g, '"<time>')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<iso>')
    .replaceAll(/(?<=\\"durationMs\\":)[\d.]+/g, '0')
    .replaceAll(/(?<=\\"at\\":)\d+/g, '0')
    .replaceAll(/(?<=\\"by\\":\\")[^\\]+/g, '<version>')
    .replaceAll(/(?<=history:[\w-]+:[mh])\d+/g, '<block>');
  return sorted(JSON.parse(text));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, content]) => [name, sorted(content)]));
}
