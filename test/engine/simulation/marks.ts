import type { Redis } from '@mailhook/platform/redis';
import type { LuaChange } from './simulated-redis.ts';

/** A set in Redis, beside the keys of the engine: what the commands of a run have reached. */
const REACHED = 'simulation-marks';

export const MARK_FUNCTION = `
local function reach(name) redis.call('SADD', '${REACHED}', name) end`;

const mark = (name: string, from: string, before: string): readonly [string, LuaChange] => {
  if (!from.includes(before)) throw new Error(`${from} does not have ${before}`);
  return [name, { from, to: from.replace(before, () => `reach('${name}') ${before}`) }];
};

/** The branches of the commands that only a fault or a full worker leads to. */
const IN_COMMANDS: readonly (readonly [string, LuaChange])[] = [
  mark('a call of a worker that is not the owner is refused', "then return reply('refused', '')", 'return'),
  mark('Redis has more batches in flight than the worker', "reply('lost', save())", 'reply'),
  mark('a batch in flight comes again', 'b.attempt = min(b.attempt + 1, ATTEMPT_MAX)', 'b.attempt'),
  mark('a slice was appended before', "return 'again'", 'return'),
  mark('the job of a slice is gone', "return 'gone'", 'return'),
  mark('an attempt was settled before', 'if not b or b.attempt ~= attempt then return end', 'return'),
  mark('a mailbox of a dead worker is put back', 'moved = moved + 1', 'moved'),
  mark('a dead worker is forgotten', "call('ZREM', K .. 'workers', dead)", 'call'),
  mark('leases are longer after a stall', "call('ZADD', K .. 'workers', till, alive)", 'call'),
  mark('a heartbeat finds lost writes', 'if number < known then lost', 'lost'),
  mark('a heartbeat wakes a resend', 'resends = resends + wasMissed', 'resends'),
  mark('a resend is brought forward', "call('ZADD', K .. 'due', latest, id)", 'call'),
  mark(
    'a parking is cut short',
    's.parkedUntilMs > NOW + s.parkMs then s.parkedUntilMs = NOW',
    's.parkedUntilMs = NOW',
  ),
  mark('a heartbeat wakes a parked mailbox', "parkings = parkings + wake(parked[i], '')", 'parkings'),
  [
    'a worker without a lease claims nothing',
    {
      from: 'return not till or tonumber(till) > NOW',
      to:
        "if till and tonumber(till) <= NOW then reach('a worker without a lease claims nothing') end\n  return not " +
        'till or tonumber(till) > NOW',
    },
  ],
  mark('a worker gets a lease with its first claim', "if not till then call('ZADD'", 'call'),
  mark('events expire', "status = 'expired'", 'status'),
  mark('a mailbox is parked', "status = 'parked'", 'status'),
  mark('a mailbox is released for others', "status = 'released'", 'status'),
];

/** The branches of a worker. */
const IN_WORKERS = [
  'a claim that no pool knows is put back',
  'a local fault',
  'a request is cut',
  'a command runs after its connection broke',
  'a command times out',
] as const;
export type WorkerMark = (typeof IN_WORKERS)[number];

export const MARKS: readonly string[] = [...IN_COMMANDS.map(([name]) => name), ...IN_WORKERS];

/** Makes the commands note what they reach. */
export const MARKED: readonly LuaChange[] = IN_COMMANDS.map(([, change]) => change);

/** What the commands have reached since the last call. */
export async function takeReached(redis: Redis): Promise<readonly string[]> {
  const [reached] = await Promise.all([redis.smembers(REACHED), redis.del(REACHED)]);
  return reached;
}
