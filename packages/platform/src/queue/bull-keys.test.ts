import { Queue, Worker } from 'bullmq';
import type { Job } from 'bullmq';
import { eventually, uniqueName } from '@mailhook/testing';
import type { Redis } from '../redis/index.ts';
import { JOB_FIELDS, PAUSED_FIELD, priorityOfScore, queueKeys, scoreOfPriority } from './bull-keys.ts';
import type { QueueKeys } from './bull-keys.ts';
import { useRedis } from './redis.suite.ts';

describe('BullMQ has under the names that Mailhook knows', () => {
  const connect = useRedis();
  let redis: Redis;
  let queue: Queue;
  let keys: QueueKeys;
  const opened: { close(): Promise<unknown> }[] = [];

  beforeAll(() => (redis = connect()));
  beforeEach(() => {
    queue = new Queue(uniqueName('queue'), { connection: redis });
    keys = queueKeys(queue.toKey(''));
    opened.push(queue);
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((one) => one.close()));
  });

  const idOf = ({ id }: Job): string => id ?? '';
  const work = (process: (job: Job) => Promise<unknown>): Worker => {
    const worker = new Worker(queue.name, process, { connection: redis });
    worker.on('error', () => undefined);
    opened.unshift(worker);
    return worker;
  };
  const ends = (set: string, job: Job) =>
    eventually(async () => (await redis.zscore(set, idOf(job))) !== null, { what: 'the end of a job' });

  test('the waiting jobs, the next one last, also while the queue is paused', async () => {
    const jobs = [await queue.add('a', {}), await queue.add('b', {})];
    await queue.pause();
    expect(await redis.lrange(keys.waiting, 0, -1)).toEqual(jobs.map(idOf).reverse());
    expect(await redis.hexists(keys.meta, PAUSED_FIELD)).toBe(1);
    await queue.resume();
    expect(await redis.hexists(keys.meta, PAUSED_FIELD)).toBe(0);
    expect(await redis.zrange(keys.marker, '0', '-1')).toEqual(['0']);
  });

  test('jobs with a priority by score, in the order of their arrival, and delayed jobs', async () => {
    const jobs = [await queue.add('a', {}, { priority: 3 }), await queue.add('b', {}, { priority: 3 })];
    const delayed = await queue.add('c', {}, { delay: 3_600_000 });
    const found = await redis.zrangebyscore(keys.prioritized, scoreOfPriority(3), scoreOfPriority(4), 'WITHSCORES');
    expect([found[0], found[2]]).toEqual(jobs.map(idOf));
    expect([found[1], found[3]].map((score) => priorityOfScore(Number(score)))).toEqual([3, 3]);
    expect(await redis.zrange(keys.delayed, '0', '-1')).toEqual([idOf(delayed)]);
  });

  test('a job with its data and time, its lock while it runs, and its end', async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const job = await queue.add('a', { a: 1 });
    const failing = await queue.add('b', {});
    work(async ({ name }) => {
      await held;
      if (name === 'b') throw new Error('no');
    });
    await eventually(async () => (await redis.llen(keys.active)) === 1, { what: 'the job to run' });
    expect(await redis.lrange(keys.active, 0, -1)).toEqual([idOf(job)]);
    expect(await redis.exists(keys.lock(idOf(job)))).toBe(1);
    expect(await redis.hmget(keys.job(idOf(job)), JOB_FIELDS.data, JOB_FIELDS.timestamp)).toEqual([
      '{"a":1}',
      String(job.timestamp),
    ]);
    expect(Number(await redis.hget(keys.job(idOf(job)), JOB_FIELDS.takenAt))).toBeGreaterThanOrEqual(job.timestamp);
    release();
    await ends(keys.completed, job);
    await ends(keys.failed, failing);
    expect(await redis.hget(keys.job(idOf(failing)), JOB_FIELDS.failedReason)).toBe('no');
    expect(await redis.exists(keys.active, keys.lock(idOf(job)), keys.lock(idOf(failing)))).toBe(0);
  });

  test('the jobs without a renewed lock, and the mark of the check for them', async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const job = await queue.add('a', {});
    const worker = work(() => held);
    await eventually(async () => (await redis.exists(keys.lock(idOf(job)))) === 1, { what: 'the lock' });
    await redis.del(keys.lock(idOf(job)), keys.stalledCheck);
    // The first check notes the active jobs, the second one moves those without a lock.
    await worker.backend.moveStalledJobsToWait();
    expect(await redis.smembers(keys.stalled)).toEqual([idOf(job)]);
    expect(await redis.exists(keys.stalledCheck)).toBe(1);
    await redis.del(keys.stalledCheck);
    await worker.backend.moveStalledJobsToWait();
    expect(await redis.hget(keys.job(idOf(job)), JOB_FIELDS.stalls)).toBe('1');
    release();
  });
});
