import { PassThrough } from 'node:stream';
import type { ProducerEvent } from '@mailhook/core';
import { EMAIL_EVENTS_QUEUE, shardOf } from '@mailhook/core';
import { engineKeys } from '@mailhook/delivery';
import type { Closeable } from '@mailhook/platform/lifecycle';
import { createLogger } from '@mailhook/platform/logger';
import { closeRedis, connectRedis, whenReady } from '@mailhook/platform/redis';
import type { Redis } from '@mailhook/platform/redis';
import type { FakeReceiver, TestRedisCluster } from '@mailhook/testing';
import { aCampaignEvent, acknowledge, anOpen, eventually, startReceiver, startRedisCluster } from '@mailhook/testing';
import { Queue } from 'bullmq';
import type { ApiRig, TestAccount } from '../../services/api/src/api-rig.suite.ts';
import { ADMIN_TOKEN, startApi } from '../../services/api/src/api-rig.suite.ts';
import { compose as composeBatcher } from '../../services/campaign-batcher/src/compose.ts';
import { loadConfig as loadBatcherConfig } from '../../services/campaign-batcher/src/config.ts';
import { compose as composeNotifier } from '../../services/transactional-notifier/src/compose.ts';
import { loadConfig as loadNotifierConfig } from '../../services/transactional-notifier/src/config.ts';

const SHARDS = 3;
const PREFIX = '{cluster}';

describe('the product on a Redis Cluster of three nodes, with three shards', () => {
  let cluster: TestRedisCluster;
  let redis: Redis;
  let api: ApiRig;
  let receiver: FakeReceiver;
  const workers: Closeable[] = [];
  const accounts: TestAccount[] = [];

  beforeAll(async () => {
    cluster = await startRedisCluster();
    redis = connectRedis({ url: cluster.url, role: 'worker', name: 'test', onError: () => undefined });
    await whenReady(redis, 30_000);
    receiver = await startReceiver();
    const environment = { REDIS_URL: cluster.url, QUEUE_PREFIX: PREFIX, QUEUE_SHARDS: String(SHARDS) };
    api = await startApi(environment);
    const own = { ...environment, HOST: '127.0.0.1', OPS_PORT: '0', ALLOW_PRIVATE_DESTINATIONS: 'true' };
    const env = { ...own, RETRY_SCHEDULE: '50ms', RETRY_JITTER: '0' };
    const logger = createLogger({
      level: 'error',
      service: 'worker',
      pretty: false,
      stream: new PassThrough().resume(),
    });
    workers.push(await composeNotifier(loadNotifierConfig(env), logger));
    workers.push(await composeBatcher(loadBatcherConfig(env), logger));
    const covered = new Set<number>();
    while (covered.size < SHARDS) {
      const account = await api.newAccount();
      covered.add(shardOf(account.id, SHARDS));
      accounts.push(account);
      await api.subscribe(account, 'open', `${receiver.url}/t`);
      await api.as(account.token)('put', '/v3/webhook/campaign', { address: `${receiver.url}/c` });
    }
  }, 120_000);

  afterAll(async () => {
    await Promise.all(workers.map((worker) => worker.close()));
    await api.close();
    await receiver.close();
    await closeRedis(redis);
    await cluster.stop();
  }, 60_000);

  const confirmAll = (): void =>
    receiver.setReply(({ json }) => (Array.isArray(json) ? acknowledge(json) : { status: 200 }));
  beforeEach(confirmAll);

  const eventsFor = (name: string): ProducerEvent[] =>
    accounts.flatMap(({ id }) => [
      aCampaignEvent({ account: id, email: `${name}-${id}@example.com` }),
      anOpen({ account: id, messageId: `<${name}-${id}@sender.example>` }),
    ]);
  const texts = (): string => receiver.requests.map(({ text }) => text).join('\n');
  const arrival = (name: string): Promise<true> =>
    eventually(
      () => accounts.every(({ id }) => texts().includes(`${name}-${id}@ex`) && texts().includes(`<${name}-${id}@se`)),
      { withinMs: 60_000, what: `both events of all ${accounts.length} accounts (${name})` },
    );

  test('events of every shard arrive, from one request', async () => {
    expect((await api.post(eventsFor('posted'))).status).toBe(202);
    await arrival('posted');
  });

  test('events that a producer puts into email-events arrive', async () => {
    const queue = new Queue(EMAIL_EVENTS_QUEUE, { connection: redis, prefix: PREFIX });
    await queue.add('events', { events: eventsFor('fed') });
    await arrival('fed');
    await queue.close();
  });

  test('refused events are sent again, become dead letters of each shard, and are re-driven', async () => {
    receiver.setReply(() => ({ status: 500 }));
    await api.post(eventsFor('refused'));
    const letters = await eventually(
      async () => {
        const reply = await api.admin('get', '/admin/dead-letters?limit=100');
        const { items } = reply.body as { items: unknown[] };
        return items.length >= 2 * accounts.length && items;
      },
      { withinMs: 20_000, what: 'dead letters' },
    );
    expect(letters).toHaveLength(2 * accounts.length);
    confirmAll();
    const before = receiver.requests.length;
    expect((await api.admin('post', '/admin/dead-letters/redrive', {})).status).toBe(202);
    await eventually(() => receiver.requests.length >= before + 2 * accounts.length, {
      withinMs: 20_000,
      what: 'the re-driven events',
    });
  });

  test('the delivery log, the metrics, readiness and the queue board read every shard', async () => {
    for (const account of accounts) {
      const reply = await api.as(account.token)('get', '/v3/webhook/deliveries?status=dead');
      expect((reply.body as { items: unknown[] }).items.length).toBeGreaterThanOrEqual(1);
    }
    await eventually(
      async () => {
        const lines = (await api.opsAs(undefined)('get', '/metrics')).text.split('\n');
        return lines.includes('mailhook_redis_memory_headroom_ratio 1') && lines.includes('mailhook_waiting_events 0');
      },
      { what: 'metrics of all nodes and shards' },
    );
    expect((await api.opsAs(undefined)('get', '/readyz')).status).toBe(200);
    const board = await fetch(`${api.opsUrl}/admin/queues/api/queues`, {
      headers: { authorization: `Basic ${Buffer.from(`admin:${ADMIN_TOKEN}`).toString('base64')}` },
    });
    expect(await board.json()).toMatchObject({ queues: expect.any(Array) as unknown[] });
  });

  test('each shard has a different slot, although the prefix is a hash tag', async () => {
    const slots = await Promise.all(
      Array.from({ length: SHARDS }, (_, shard) =>
        redis.cluster('KEYSLOT', engineKeys(PREFIX, shard, 'campaign').queuePrefix),
      ),
    );
    expect(new Set(slots).size).toBe(SHARDS);
  });

  test('a prefix without braces stops the start with the fix in the error', async () => {
    await expect(startApi({ REDIS_URL: cluster.url, QUEUE_PREFIX: 'cluster' })).rejects.toThrow(
      'set QUEUE_PREFIX={cluster}',
    );
  });
});
