import { connectRedis, whenReady } from '@mailhook/platform/redis';
import type { Redis } from '@mailhook/platform/redis';
import { testRedisUrl, uniqueName } from '@mailhook/testing';
import { Queue } from 'bullmq';
import { BulkAdder } from './jobs.ts';

describe('adding jobs in batches', () => {
  let redis: Redis;
  let queue: Queue;
  let adder: BulkAdder;
  beforeAll(async () => {
    redis = connectRedis({ url: await testRedisUrl(), role: 'worker', name: 'test', onError: () => undefined });
    await whenReady(redis, 5000);
  });
  afterAll(() => redis.disconnect());
  beforeEach(() => {
    queue = new Queue(uniqueName('jobs'), { connection: redis });
    adder = new BulkAdder(queue);
  });
  afterEach(async () => {
    await adder.finish();
    await queue.close();
  });

  const job = (i: number) => ({ name: 'job', data: { i }, opts: { jobId: `job-${i}x`, delay: 60_000 } });

  test('jobs of one turn of the event loop are added together and in order, even from several callers', async () => {
    const addBulk = jest.spyOn(queue, 'addBulk');
    await Promise.all(Array.from({ length: 120 }, (_, i) => adder.add([job(i)])));
    expect(addBulk.mock.calls.map(([jobs]) => jobs.length)).toEqual([50, 50, 20]);
    expect(addBulk.mock.calls.flatMap(([jobs]) => jobs.map(({ data }) => (data as { i: number }).i))).toEqual(
      Array.from({ length: 120 }, (_, i) => i),
    );
    expect(await queue.getDelayedCount()).toBe(120);
  });

  test('a call with more jobs than one group holds resolves when all of them are in the queue', async () => {
    await adder.add(Array.from({ length: 75 }, (_, i) => job(i)));
    expect(await queue.getDelayedCount()).toBe(75);
  });

  test('a group that fails rejects for all of its callers, and later groups are still added', async () => {
    const addBulk = jest.spyOn(queue, 'addBulk').mockRejectedValueOnce(new Error('Connection is closed.'));
    const first = Array.from({ length: 50 }, (_, i) => adder.add([job(i)]));
    const later = adder.add([job(50), job(51)]);
    const settled = await Promise.allSettled(first);
    expect(new Set(settled.map(({ status }) => status))).toEqual(new Set(['rejected']));
    await later;
    expect(addBulk).toHaveBeenCalledTimes(2);
    expect(await queue.getDelayedCount()).toBe(2);
  });
});
