import { Queue } from 'bullmq';
import type { Redis as SingleRedis } from 'ioredis';
import type { Redis } from '../redis/index.ts';
import { closeRedis, connectRedis } from '../redis/index.ts';
import { eventually, startTcpProxy, uniqueName } from '@mailhook/testing';
import { useRedis } from './redis.suite.ts';
import type { WatchedWorker } from './watched-worker.ts';
import { openWatchedWorker } from './watched-worker.ts';

const DEAF_AFTER_MS = 500;

describe('a watched worker', () => {
  const redis = useRedis();
  let connection: Redis;
  let queue: Queue;
  let watched: WatchedWorker;
  let name: string;
  /** Ends the held jobs. */
  let release: () => void;
  let released: Promise<void>;

  beforeAll(() => (connection = redis()));
  beforeEach(() => {
    name = uniqueName('queue');
    queue = new Queue(name, { connection });
    released = new Promise<void>((resolve) => {
      release = resolve;
    });
    watched = openWatchedWorker({
      queue: name,
      connection,
      concurrency: 1,
      process: (job) => (job.name === 'held' ? released : Promise.resolve()),
      onError: () => undefined,
      deafAfterMs: DEAF_AFTER_MS,
    });
  });
  afterEach(async () => {
    release();
    await watched.close();
    await queue.close();
  });

  const finished = (id: string | undefined) =>
    eventually(async () => (await queue.getJobState(id ?? '')) === 'completed', { what: 'the job to be done' });

  test('that takes its jobs has no fault', async () => {
    for (let i = 0; i < 3; i += 1) await finished((await queue.add('quick', {})).id);
    expect(watched.fault()).toBeUndefined();
  });

  test('is deaf while its blocking connection fails and a job waits, and recovers when it takes the job', async () => {
    await finished((await queue.add('quick', {})).id);
    // Redis refuses only the command that waits for jobs, which looks like a connection that died silently. A command
    // that waits already still gets the next job.
    await connection.call('ACL', 'SETUSER', 'default', '-bzpopmin');
    try {
      await eventually(
        async () => {
          if ((await queue.getWaitingCount()) === 0) await queue.add('quick', {});
          return watched.fault() !== undefined;
        },
        { what: 'the deafness to be seen', withinMs: 15_000 },
      );
      expect(watched.fault()).toBe(`jobs wait in ${name}, and its worker takes none`);
    } finally {
      await connection.call('ACL', 'SETUSER', 'default', '+bzpopmin');
    }
    await eventually(async () => (await queue.getWaitingCount()) === 0, { what: 'the job to be taken' });
    await eventually(() => watched.fault() === undefined, { what: 'the worker to be well again' });
  });

  test('is not deaf without a free place, or while its queue is paused', async () => {
    const held = await queue.add('held', {});
    const next = await queue.add('quick', {});
    await eventually(async () => (await queue.getJobState(held.id ?? '')) === 'active', { what: 'the job to run' });
    const paused = new Queue(uniqueName('paused'), { connection });
    await paused.pause();
    await paused.add('quick', {});
    const other = openWatchedWorker({
      queue: paused.name,
      connection,
      concurrency: 1,
      process: () => Promise.resolve(),
      onError: () => undefined,
      deafAfterMs: DEAF_AFTER_MS,
    });
    try {
      const seenUntilMs = performance.now() + 3 * DEAF_AFTER_MS;
      await eventually(() => performance.now() > seenUntilMs, { what: 'longer than deafness takes', withinMs: 10_000 });
      expect([watched.fault(), other.fault()]).toEqual([undefined, undefined]);
    } finally {
      await other.close();
      await paused.close();
    }
    release();
    await finished(next.id);
  });

  test('leaves its jobs to another worker while it may not work, and takes jobs again when it may', async () => {
    const runs: string[] = [];
    let mayFirstWork = true;
    const shared = uniqueName('shared');
    const jobs = new Queue(shared, { connection });
    const open = (by: string, mayWork: () => boolean, ends: Promise<void>) =>
      openWatchedWorker({
        queue: shared,
        connection,
        concurrency: 4,
        mayWork,
        onError: () => undefined,
        lockDuration: 500,
        stalledInterval: 100,
        maxStalledCount: 1000,
        process: async (job) => {
          runs.push(`${by} ${job.name}`);
          await ends;
        },
      });
    const first = open('first', () => mayFirstWork, released);
    await jobs.add('held', {});
    await eventually(() => runs.includes('first held'), { what: 'the first worker to have the job' });
    mayFirstWork = false;
    await eventually(() => first.fault() === `the worker of ${shared} takes no jobs`, { what: 'its pause' });
    const second = open('second', () => true, Promise.resolve());
    try {
      await jobs.add('new', {});
      await eventually(() => runs.includes('second held') && runs.includes('second new'), {
        withinMs: 15_000,
        what: 'the second worker to run both',
      });
      expect(runs).not.toContain('first new');
      await second.close();
      mayFirstWork = true;
      await jobs.add('later', {});
      await eventually(() => runs.includes('first later'), { withinMs: 15_000, what: 'the first one to work again' });
      expect(first.fault()).toBeUndefined();
    } finally {
      release();
      await Promise.all([first.close(), second.close()]);
      await jobs.close();
    }
  });

  test('with a slow Redis runs each job once, when it is fetched, and renews the locks of others', async () => {
    const proxy = await startTcpProxy(Number((connection as SingleRedis).options.port));
    const errors: string[] = [];
    const onError = (error: Error): void => void errors.push(error.message);
    const url = `redis://127.0.0.1:${proxy.port}`;
    const slow = connectRedis({ url, role: 'worker', name: 'slow', onError });
    const jobs = new Queue(uniqueName('slow'), { connection });
    // BullMQ fetches the jobs one after the other, which takes longer than a lock lasts.
    await jobs.addBulk(Array.from({ length: 16 }, (_, i) => ({ name: `job ${i}`, data: {} })));
    const runs: string[] = [];
    proxy.delayRequests(300);
    const worker = openWatchedWorker({
      queue: jobs.name,
      connection: slow,
      concurrency: 16,
      onError,
      lockDuration: 3000,
      stalledInterval: 500,
      maxStalledCount: 1000,
      process: async (job) => {
        runs.push(job.name);
        // The first job does not wait until the others are fetched.
        if (job.name === 'job 0') expect(await jobs.getWaitingCount()).toBeGreaterThan(0);
      },
    });
    try {
      await eventually(async () => (await jobs.getCompletedCount()) === 16, { withinMs: 30_000, what: 'all jobs' });
      expect(runs.toSorted()).toEqual(Array.from({ length: 16 }, (_, i) => `job ${i}`).toSorted());
      expect(errors).toEqual([]);
    } finally {
      proxy.delayRequests(0);
      await worker.close();
      await closeRedis(slow);
      await jobs.close();
      await proxy.close();
    }
  }, 60_000);

  test('closes while Redis is away, although a job in progress waits for Redis', async () => {
    const proxy = await startTcpProxy(Number((connection as SingleRedis).options.port));
    const onError = (): void => undefined;
    const own = connectRedis({ url: `redis://127.0.0.1:${proxy.port}`, role: 'worker', name: 'cut', onError });
    const jobs = new Queue(uniqueName('cut'), { connection });
    let isStarted = false;
    const worker = openWatchedWorker({
      queue: jobs.name,
      connection: own,
      concurrency: 1,
      onError,
      process: async () => {
        isStarted = true;
        await released;
        await own.get('anything');
      },
    });
    try {
      await jobs.add('waits', {});
      await eventually(() => isStarted, { what: 'the job' });
      proxy.cut();
      await eventually(() => own.status !== 'ready', { what: 'the lost connection' });
      release();
      await worker.close();
    } finally {
      own.disconnect();
      await jobs.close();
      await proxy.close();
    }
  });

  test('leaves no timer that keeps the process alive after it was closed', async () => {
    const timers = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
    const before = timers();
    const WORKERS = 5;
    for (let i = 0; i < WORKERS; i += 1) {
      const worker = openWatchedWorker({
        queue: uniqueName('queue'),
        connection,
        concurrency: 1,
        process: () => Promise.resolve(),
        onError: () => undefined,
        deafAfterMs: DEAF_AFTER_MS,
      });
      await worker.worker.waitUntilReady();
      await worker.close();
    }
    // Others, such as those of the connection, come and go.
    expect(timers()).toBeLessThan(before + WORKERS);
  });

  test('has a fault after it was closed', async () => {
    await watched.close();
    expect(watched.fault()).toBe(`the worker of ${name} does not run`);
  });
});
