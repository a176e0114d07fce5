import { Queue } from 'bullmq';
import type { Job } from 'bullmq';
import { eventually, uniqueName } from '@mailhook/testing';
import type { Redis } from '../redis/index.ts';
import { JobGate } from './job-gate.ts';
import { useRedis } from './redis.suite.ts';
import { JOB_ENDED, openWatchedWorker } from './watched-worker.ts';

/** So long that a worker which misses a job never finds it by itself. */
const NEVER_S = 3600;

describe('workers that wait for jobs', () => {
  const redis = useRedis();
  let connection: Redis;
  let queue: Queue;
  const opened: { close(): Promise<unknown> }[] = [];
  let release: () => void;

  beforeAll(() => (connection = redis()));
  beforeEach(async () => {
    queue = new Queue(uniqueName('queue'), { connection });
    opened.push(queue);
    const held = new Promise<void>((resolve) => (release = resolve));
    for (let i = 0; i < 2; i += 1) {
      const watched = openWatchedWorker({
        queue: queue.name,
        connection,
        concurrency: 4,
        process: (job) => (job.name === 'ended' ? end(job) : job.name === 'held' ? held : Promise.resolve()),
        admission: { gate: new JobGate({ bytes: 1000, waiting: 4 }) },
        onError: () => undefined,
        drainDelay: NEVER_S,
      });
      opened.push(watched);
      await watched.worker.waitUntilReady();
    }
    await eventually(async () => (await blocked()) === 2, { what: 'both workers to wait' });
  });
  afterEach(async () => {
    release();
    await Promise.all(opened.splice(0).map((one) => one.close()));
  });

  const blocked = async () => Number(/blocked_clients:(\d+)/.exec(await connection.info('clients'))?.[1]);
  const isDone = async (job: Job) => (await connection.zscore(queue.toKey('completed'), job.id ?? '')) !== null;
  /** Like a processor that removes its job. */
  const end = async (job: Job<unknown>): Promise<never> => {
    const id = job.id ?? '';
    await connection
      .multi()
      .lrem(queue.toKey('active'), 1, id)
      .del(queue.toKey(id), `${queue.toKey(id)}:lock`)
      .exec();
    throw JOB_ENDED;
  };
  const isGone = async (job: Job) => (await connection.exists(queue.toKey(job.id ?? ''))) === 0;
  const done = (job: Job) => eventually(() => isDone(job), { what: 'the end of a job' });
  const calls = async () => {
    const stats = await connection.info('commandstats');
    const of = (name: string) => Number(new RegExp(`cmdstat_${name}:calls=(\\d+)`).exec(stats)?.[1] ?? 0);
    return { scripts: of('evalsha'), waits: of('bzpopmin') };
  };

  test('call Redis three times for a job that comes alone: to wait, to fetch it and to complete it', async () => {
    // The workers take turns. The first call of a script sends its text and is another command.
    for (let i = 0; i < 2; i += 1) await done(await queue.add('quick', {}));
    const before = await calls();
    for (let i = 0; i < 10; i += 1) await done(await queue.add('quick', {}));
    const after = await calls();
    // Adding the job is a script too.
    expect({ scripts: after.scripts - before.scripts, waits: after.waits - before.waits }).toEqual({
      scripts: 30,
      waits: 10,
    });
  });

  test('call Redis only to wait and to fetch, if the processor ends the job', async () => {
    const run = async (): Promise<void> => {
      const job = await queue.add('ended', {});
      await eventually(() => isGone(job), { what: 'the end of a job' });
    };
    for (let i = 0; i < 2; i += 1) await run();
    const before = await calls();
    for (let i = 0; i < 10; i += 1) await run();
    await eventually(async () => (await blocked()) === 2, { what: 'both workers to wait' });
    const after = await calls();
    expect(after.scripts - before.scripts).toBe(20);
    expect(after.waits - before.waits).toBe(10);
  });

  test('take all jobs of a backlog whose processor ends them', async () => {
    const jobs = await queue.addBulk(Array.from({ length: 40 }, () => ({ name: 'ended', data: {} })));
    for (const job of jobs) await eventually(() => isGone(job), { what: 'the end of a job' });
    for (let i = 0; i < 3; i += 1) await done(await queue.add('quick', {}));
  });

  test('take all jobs of a backlog, with and without priority', async () => {
    const held = await queue.add('held', {});
    const jobs = await queue.addBulk(
      Array.from({ length: 40 }, (_, i) => ({ name: 'quick', data: {}, opts: i % 2 === 0 ? {} : { priority: i } })),
    );
    for (const job of jobs) await done(job);
    expect(await isDone(held)).toBe(false);
    release();
    await done(held);
  });

  test('take a delayed job in time, even if other jobs come meanwhile', async () => {
    const delayed = await queue.add('quick', {}, { delay: 500 });
    for (let i = 0; i < 3; i += 1) await done(await queue.add('quick', {}));
    expect(await isDone(delayed)).toBe(false);
    await done(delayed);
  });
});
