import { PassThrough } from 'node:stream';
import type { ChunkJob } from '@mailhook/core';
import { engineQueues } from '@mailhook/core';
import { createOperationsPublisher, engineKeys, Installation } from '@mailhook/delivery';
import { createAccountUsages, createReadDestinations } from '@mailhook/insight';
import type { OperationsPublisher } from '@mailhook/delivery';
import { createLogger } from '@mailhook/platform/logger';
import { closeRedis, connectRedis, whenReady } from '@mailhook/platform/redis';
import type { Redis } from '@mailhook/platform/redis';
import type { TestRedis } from '@mailhook/testing';
import { eventually, startRedis, uniqueName } from '@mailhook/testing';
import { withFields } from '@mailhook/delivery/mailbox';
import type { Queue } from 'bullmq';
import type { MessageListener } from './message-listener.ts';
import { startWatch } from './watch.ts';
import { createWebhookListener } from './webhook-listener.ts';

const PARKED = 100_000;
/** Undelivered messages at the start. */
const WAITING_BEFORE = 9000;
/** The most that one check may do, with any number of parked destinations. */
const MESSAGES_PER_CHECK = 200;
const READ_PER_CHECK = 16_000;

/** Parks destinations without events. */
const PARK = withFields(`
local pack, s, target = struct.pack, {}, { account = 'a', address = 'http://127.0.0.1:9/' }
--- @clear HEAD s
--- @clear RARE s
s.status, s.record, s.hasRare, s.version, s.revision, s.failures, s.parkMs = 3, 1, true, 1, 1, 5, 5000
s.parkedUntilMs, target.reason, target.credentials = tonumber(ARGV[3]), '', ''
local head = --- @pack HEAD s
local rare = --- @pack RARE s
local record = --- @pack RECORD s
local texts = --- @pack TARGET target
for i = ARGV[1], ARGV[2] do
  redis.call('HSET', KEYS[1], 'd' .. i, head .. rare)
  redis.call('HSET', KEYS[2], 'd' .. i, record)
  redis.call('HSET', KEYS[3], 'd' .. i, texts)
  redis.call('ZADD', KEYS[4], ARGV[3], 'd' .. i)
end`);

describe('with 100,000 parked destinations', () => {
  // The test counts the commands of the whole server.
  let server: TestRedis;
  let redis: Redis;
  let messages: OperationsPublisher;
  let queue: Queue<ChunkJob>;
  const queuePrefix = uniqueName('watch');
  let installation: Installation;
  const keys = engineKeys(queuePrefix, 0, 'transactional');

  beforeAll(async () => {
    server = await startRedis();
    redis = connectRedis({ url: server.url, role: 'fail-fast', name: 'test', onError: () => undefined });
    await whenReady(redis, 5000);
    installation = new Installation(redis, queuePrefix, 1);
    messages = createOperationsPublisher(installation);
    queue = installation.queue(engineQueues('transactional').chunks, 0) as Queue<ChunkJob>;
    const until = Date.now() + 3_600_000;
    const sums = Buffer.alloc(20);
    sums.writeUInt32BE(WAITING_BEFORE, 0);
    await redis.hset(keys.sums, '*operations', sums);
    for (let from = 0; from < PARKED; from += 5000)
      await redis.eval(PARK, 4, keys.live, keys.records, keys.targets, keys.parked, from, from + 4999, until);
  }, 60_000);
  afterAll(async () => {
    await installation.close();
    await closeRedis(redis);
    await server.stop();
  });

  test('a check reads and publishes a bounded number, and stops while the platform is far behind', async () => {
    const secret = `whsec_${Buffer.alloc(24).toString('base64')}`;
    const listener = createWebhookListener(installation, { url: 'http://127.0.0.1:9/', secret });
    const checks: { published: number; commands: number }[] = [];
    let published = 0;
    let commands = await commandsOf(redis);
    const counting: MessageListener = {
      ...listener,
      async publish(list) {
        published += list.length;
        await messages.publish(list);
      },
      // Each check begins with this call.
      async isBehind() {
        const now = await commandsOf(redis);
        checks.push({ published, commands: now - commands });
        [published, commands] = [0, now];
        return listener.isBehind?.() ?? false;
      },
    };
    const watch = startWatch({
      installation,
      settings: {
        debounceMs: 1000,
        limits: { events: 1, bytes: 1 },
      },
      state: {
        publisher: { overfullAccounts: () => [] },
        usages: createAccountUsages(installation),
        readDestinations: createReadDestinations(installation),
      },
      listeners: [counting],
      logger: createLogger({ level: 'error', service: 'test', stream: new PassThrough().resume() }),
    });
    try {
      await eventually(async () => (await messages.countWaiting()) >= 10_000, {
        withinMs: 60_000,
        what: 'the limit of waiting messages',
      });
      const before = checks.length;
      await eventually(() => checks.length > before + 4, { what: 'checks that wait' });
    } finally {
      await watch.close();
    }
    expect(Math.max(...checks.map((check) => check.published))).toBe(MESSAGES_PER_CHECK);
    expect(Math.max(...checks.map((check) => check.commands))).toBeLessThan(READ_PER_CHECK + 20 * MESSAGES_PER_CHECK);
    const jobs = await queue.getJobs(['waiting', 'prioritized'], 0, 1000);
    const ids = jobs.flatMap(({ data }) => data.groups.flatMap(([, , , , , list]) => list ?? []));
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBeLessThanOrEqual(10_000 - WAITING_BEFORE + MESSAGES_PER_CHECK);
  }, 120_000);
});

const commandsOf = async (redis: Redis): Promise<number> =>
  Number(/total_commands_processed:(\d+)/.exec(await redis.info('stats'))?.[1]);
