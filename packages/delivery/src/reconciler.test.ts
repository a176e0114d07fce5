import { DEACTIVATIONS_QUEUE, engineQueues } from '@mailhook/core';
import { createLogger } from '@mailhook/platform/logger';
import { createMetrics } from '@mailhook/platform/metrics';
import { closeRedis, connectRedis, whenReady } from '@mailhook/platform/redis';
import { eventually, testRedisUrl, uniqueName } from '@mailhook/testing';
import { Queue, UnrecoverableError, Worker } from 'bullmq';
import type { Redis } from '@mailhook/platform/redis';
import { createAttemptLog } from './attempt-log/attempt-log.ts';
import type { Sender } from './drain/attempt.ts';
import { EngineJobs } from './engine-jobs.ts';
import type { Engine } from './engine.ts';
import { startEngine } from './engine.ts';
import type { EngineKeys } from './keys.ts';
import { engineKeys } from './keys.ts';
import { Reconciler } from './reconciler.ts';
import type { Scripts } from './scripts/scripts.ts';
import { createScripts } from './scripts/scripts.ts';

const HOUR_MS = 3_600_000;
/** Beyond the reconciler's patience with what is overdue. */
const OVERDUE_MS = 6000;
const WORKER = 'wreconciler';

describe('the reconciler puts back exactly what was lost, and counts it', () => {
  let redis: Redis;
  let connection: Redis;
  let keys: EngineKeys;
  let prefix: string;
  let scripts: Scripts;
  let jobs: EngineJobs;
  let reconciler: Reconciler;
  let repairs: [string, number][];
  let engine: Engine | undefined;
  let outcome: 'delivered' | 'failed';
  let sent: { content: string; attempt: number }[];

  beforeAll(async () => {
    const url = await testRedisUrl();
    redis = connectRedis({ url, role: 'fail-fast', name: 'test', onError: () => undefined });
    connection = connectRedis({ url, role: 'worker', name: 'test-jobs', onError: () => undefined });
    await Promise.all([whenReady(redis, 5000), whenReady(connection, 5000)]);
  });
  afterAll(() => Promise.all([closeRedis(redis), closeRedis(connection)]));

  beforeEach(async () => {
    prefix = uniqueName('reconciler');
    keys = engineKeys(prefix, 0, 'campaign');
    scripts = createScripts(redis, keys);
    jobs = new EngineJobs(connection, prefix, keys);
    repairs = [];
    sent = [];
    outcome = 'delivered';
    reconciler = new Reconciler({
      redis,
      connection,
      keys,
      worker: WORKER,
      scripts,
      pool: { owns: () => false },
      jobs,
      waitingMaxAgeMs: 72 * HOUR_MS,
      onRepaired: (repair, count) => repairs.push([repair, count]),
      onExpired: () => undefined,
    });
    await scripts.saveDestination('d', ['account', 'http://127.0.0.1/', '1', '', 1, '']);
  });
  afterEach(async () => {
    await engine?.close();
    engine = undefined;
    await Promise.all([reconciler.close(), jobs.close()]);
  });

  const sender: Sender = {
    webhookId: ({ id }) => `msg_${id}`,
    send: (batch) => {
      sent.push({ content: batch.content, attempt: batch.attempt });
      const isDelivered = outcome === 'delivered';
      return Promise.resolve({
        outcome: {
          name: isDelivered ? ('delivered' as const) : ('rejected' as const),
          httpStatus: isDelivered ? 200 : 500,
          error: isDelivered ? undefined : '500',
          unconfirmed: isDelivered ? [] : ('all' as const),
          retryAfter: undefined,
        },
        durationMs: 1,
        events: batch.events,
        eventKeys: [],
      });
    },
  };
  const startWorker = async (breakerFailures = 1000): Promise<void> => {
    engine = await startEngine({
      kind: 'campaign',
      queuePrefix: prefix,
      shards: 1,
      redis,
      connection,
      sender,
      settlePolicy: { retry: { scheduleMs: [HOUR_MS], jitter: 0 }, partialAck: 'unconfirmed', poisonSplit: false },
      breakerPolicy: { failures: breakerFailures, parkMaxMs: HOUR_MS },
      limits: { slots: 4, windowMax: 4, batchMax: 100, sliceMs: 250 },
      waitingMaxAgeMs: 72 * HOUR_MS,
      deliveryTimeoutMs: 1000,
      attemptLog: createAttemptLog({ redis, queuePrefix: prefix, shards: 1, onError: () => undefined }),
      history: { count: () => undefined },
      metrics: createMetrics(),
      logger: createLogger({ level: 'error', service: 'test' }),
    });
  };
  /** Mail in the mailbox; nobody is told but the ready list. */
  const append = (text: string) =>
    scripts.append({
      worker: WORKER,
      firstClaim: 1,
      room: 0,
      jobKey: '',
      mark: uniqueName('c'),
      part: 1,
      batchMax: 100,
      groups: [
        {
          destination: 'd',
          account: 'account',
          lane: 'f',
          events: 1,
          elements: [`${Date.now().toString(36).padStart(8, '0')}0001${text}`],
        },
      ],
    });
  const queueOf = (queue: keyof ReturnType<typeof engineQueues>) =>
    new Queue<unknown>(engineQueues('campaign')[queue], { connection: redis, prefix: keys.queuePrefix });
  /** The one delayed job of a queue, once it is there. */
  const removeDelayed = async (name: 'resends' | 'parks'): Promise<void> => {
    const queue = queueOf(name);
    const job = await eventually(async () => (await queue.getDelayed())[0], { what: `a delayed job of ${name}` });
    await job.remove();
    expect(await queue.count()).toBe(0);
    await queue.close();
  };
  const arrived = (count: number) => eventually(() => sent.length >= count, { what: `${count} sends` });

  test('nothing, where nothing is lost: waiting mail, a resend and a parking to come', async () => {
    outcome = 'failed';
    await startWorker(1);
    await append('one');
    await arrived(1);
    await eventually(async () => (await redis.zcard(`${keys.base}due`)) === 1, { what: 'the resend' });
    await append('two');
    await reconciler.run(Date.now());
    await reconciler.run(Date.now());
    expect(repairs).toEqual([]);
  });

  test('the job that wakes a resend', async () => {
    outcome = 'failed';
    await startWorker();
    await append('mail');
    await arrived(1);
    await removeDelayed('resends');
    outcome = 'delivered';
    await reconciler.run(Date.now() + HOUR_MS);
    expect(repairs).toEqual([]);
    await reconciler.run(Date.now() + HOUR_MS + OVERDUE_MS);
    expect(repairs).toEqual([['resend', 1]]);
    await arrived(2);
    expect(sent).toEqual([
      { content: 'mail', attempt: 1 },
      { content: 'mail', attempt: 2 },
    ]);
  });

  test('a due entry whose resend is gone is only forgotten', async () => {
    await redis.zadd(`${keys.base}due`, '1', 'ghost');
    await reconciler.run(Date.now());
    expect(repairs).toEqual([]);
    expect(await redis.zcard(`${keys.base}due`)).toBe(0);
  });

  test('the job that wakes a parked destination', async () => {
    outcome = 'failed';
    await startWorker(1);
    await append('first');
    await arrived(1);
    await removeDelayed('parks');
    await append('held back');
    outcome = 'delivered';
    // The parking has been over for a while.
    const past = Date.now() - OVERDUE_MS;
    await redis.hset(`${keys.base}d:d`, 'bu', past);
    await redis.zadd(`${keys.base}parked`, past, 'd');
    await reconciler.run(Date.now());
    expect(repairs).toEqual([['park', 1]]);
    await arrived(2);
    expect(sent.map(({ content }) => content)).toEqual(['first', 'held back']);
  });

  test('a parked destination that the list of parkings has lost', async () => {
    outcome = 'failed';
    await startWorker(1);
    await append('first');
    await arrived(1);
    await append('held back');
    await eventually(async () => (await redis.zscore(`${keys.base}parked`, 'd')) !== null, { what: 'the parking' });
    await redis.zrem(`${keys.base}parked`, 'd');
    await reconciler.run(Date.now());
    expect(await redis.zscore(`${keys.base}parked`, 'd')).toBe(await redis.hget(`${keys.base}d:d`, 'bu'));
    expect(repairs).toEqual([]);
  });

  test('the owner of a window with open batches', async () => {
    await append('mail');
    const { replies } = await scripts.take('wlost', 1, 1, 100);
    expect(replies[0]?.batches).toHaveLength(1);
    await redis.hset(`${keys.base}d:d`, 'owner', '');
    await redis.del(`${keys.base}owned:wlost`);
    await reconciler.run(Date.now());
    expect(repairs).toEqual([['mail', 1]]);
    await startWorker();
    await arrived(1);
    expect(sent).toEqual([{ content: 'mail', attempt: 2 }]);
  });

  test('a place in the ready list', async () => {
    await append('mail');
    await redis.lrem(`${keys.base}ready`, 0, 'd');
    expect(await redis.hget(`${keys.base}d:d`, 'ready')).toBe('1');
    await reconciler.run(Date.now());
    expect(repairs).toEqual([['mail', 1]]);
    await startWorker();
    await arrived(1);
  });

  test('a place in the ready list, while others wait there', async () => {
    await append('mail');
    await redis.lrem(`${keys.base}ready`, 0, 'd');
    await redis.rpush(`${keys.base}ready`, 'another');
    await reconciler.run(Date.now());
    expect(repairs).toEqual([['mail', 1]]);
    await startWorker();
    await arrived(1);
  });

  test('the lease of a worker that is gone', async () => {
    await append('mail');
    await scripts.take('wforgotten', 1, 1, 100);
    await redis.zrem(`${keys.base}workers`, 'wforgotten');
    await reconciler.run(Date.now());
    expect(repairs).toEqual([['ownership', 1]]);
    await startWorker();
    await arrived(1);
    expect(sent).toEqual([{ content: 'mail', attempt: 2 }]);
  });

  test('the reply of a claim: owned by this worker, which does not know it, at two looks in a row', async () => {
    await scripts.beat(WORKER, HOUR_MS);
    await append('mail');
    await scripts.take(WORKER, 1, 1, 100);
    await reconciler.run(Date.now());
    expect(repairs).toEqual([]);
    await reconciler.run(Date.now());
    expect(repairs).toEqual([['ownership', 1]]);
    await startWorker();
    await arrived(1);
  });

  test('a chunk job that BullMQ failed as stalled', async () => {
    const queue = queueOf('chunks');
    const data = { v: 1, acceptedAt: Date.now(), groups: [['campaign', 'd', 'account', 'f', ['0001mail'], null]] };
    await queue.add('chunk', data, { jobId: uniqueName('c'), removeOnComplete: true });
    const dying = new Worker(
      queue.name,
      () => Promise.reject(new UnrecoverableError('job stalled more than allowable limit')),
      { connection, prefix: keys.queuePrefix },
    );
    await eventually(async () => (await queue.getFailedCount()) === 1, { what: 'the failed job' });
    await dying.close();
    await reconciler.run(Date.now());
    expect(repairs).toEqual([['stalled-job', 1]]);
    expect(await queue.getFailedCount()).toBe(0);
    await startWorker();
    await arrived(1);
    expect(sent).toEqual([{ content: 'mail', attempt: 1 }]);
    await queue.close();
  });

  test('the job that tells the store of a deactivation', async () => {
    await redis.hset(`${keys.base}d:d`, 'active', '0', 'gone', '1', 'reason', '410 - HTTP/1.1 410 Gone');
    await redis.sadd(`${keys.base}gone`, 'd');
    await reconciler.run(Date.now());
    expect(repairs).toEqual([['deactivation', 1]]);
    const queue = new Queue(DEACTIVATIONS_QUEUE, { connection: redis, prefix });
    const told = (await queue.getJobs()).map(({ data }) => data as unknown);
    expect(told).toMatchObject([{ destination: 'd', account: 'account', kind: 'campaign', version: 1 }]);
    expect(await redis.scard(`${keys.base}gone`)).toBe(0);
    await queue.close();
  });
});
