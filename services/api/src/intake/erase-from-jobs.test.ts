import type { Queue } from 'bullmq';
import { EMAIL_EVENTS_QUEUE, REJECTED_EVENTS_QUEUE } from '@mailhook/core';
import { Installation } from '@mailhook/delivery';
import { closeRedis, connectRedis, whenReady } from '@mailhook/platform/redis';
import type { Redis } from '@mailhook/platform/redis';
import { aCampaignEvent, testRedisUrl, uniqueName } from '@mailhook/testing';
import type { ErasedFromJobs, EraseFromJobs } from './erase-from-jobs.ts';
import { createEraseFromJobs } from './erase-from-jobs.ts';

const ANNA = aCampaignEvent({ account: 'acme', email: 'anna@example.com' });
const BOB = aCampaignEvent({ account: 'acme', email: 'bob@example.com' });
const WANTED = { account: 'acme', wanted: { email: 'Anna@example.com' } };

describe('erasing from jobs', () => {
  let redis: Redis;
  let installation: Installation;
  let intake: Queue;
  let rejected: Queue;
  let erasers: EraseFromJobs[];

  beforeEach(async () => {
    redis = connectRedis({ url: await testRedisUrl(), role: 'worker', name: 'test', onError: () => undefined });
    await whenReady(redis, 5000);
    installation = new Installation(redis, uniqueName('erase'), 1);
    intake = installation.queue(EMAIL_EVENTS_QUEUE);
    rejected = installation.queue(REJECTED_EVENTS_QUEUE);
    erasers = [createEraseFromJobs(installation), createEraseFromJobs(installation)];
  });
  afterEach(async () => {
    await installation.close();
    await closeRedis(redis);
  });

  /** Adds jobs as the worker leaves them after a failure. */
  const addFailed = async (count: number, data: object): Promise<string[]> => {
    const jobs = await intake.addBulk(
      Array.from({ length: count }, () => ({ name: 'any', data, opts: { delay: 1e9 } })),
    );
    const ids = jobs.map(({ id = '' }) => id);
    await redis.zrem(intake.toKey('delayed'), ...ids);
    await redis.zadd(intake.toKey('failed'), ...ids.flatMap((id, i) => [i, id]));
    return ids;
  };
  const search = async (
    eraser: EraseFromJobs | undefined,
    onErased: (from: ErasedFromJobs, events: number) => Promise<void> = () => Promise.resolve(),
    { signal } = new AbortController(),
  ) => {
    let removed = 0;
    const isDisturbed = await eraser?.({
      ...WANTED,
      signal,
      onErased: async (from, events) => {
        removed += events;
        await onErased(from, events);
      },
    });
    return { removed, isDisturbed };
  };
  const dataOf = async (ids: readonly string[]) =>
    Promise.all(ids.map(async (id) => ((await intake.getJob(id))?.data as { events: unknown[] } | undefined)?.events));

  test('two replicas remove each event once, over many pages of jobs', async () => {
    const mixed = await addFailed(120, { events: [ANNA, BOB, ANNA] });
    const alone = await addFailed(60, { events: [ANNA] });
    await rejected.addBulk([ANNA, BOB, ANNA].map((event) => ({ name: 'rejected', data: { event, errors: [] } })));
    const found = await Promise.all(erasers.map((eraser) => search(eraser)));
    // A replica that finds a job changed by the other one searches again.
    const last = await search(erasers[0]);
    expect(found.reduce((sum, { removed }) => sum + removed, 0)).toBe(302);
    expect(last).toEqual({ removed: 0, isDisturbed: false });
    expect(await dataOf(mixed)).toEqual(mixed.map(() => [BOB]));
    expect(await dataOf(alone)).toEqual(alone.map(() => undefined));
    expect(await rejected.getWaitingCount()).toBe(1);
  });

  test('a search that ends between two jobs is continued by the next one', async () => {
    const ids = await addFailed(5, { events: [ANNA, BOB] });
    const ended = search(erasers[0], () => Promise.reject(new Error('killed')));
    await expect(ended).rejects.toThrow('killed');
    expect(await search(erasers[1])).toEqual({ removed: 4, isDisturbed: false });
    expect(await dataOf(ids)).toEqual(ids.map(() => [BOB]));
  });

  test('a job that an operator retries between read and write keeps its data, and the search says so', async () => {
    const [, retried = '', changed = ''] = await addFailed(3, { events: [ANNA, BOB] });
    const found = await search(erasers[0], async () => {
      await (await intake.getJob(retried))?.retry('failed');
      await (await intake.getJob(changed))?.updateData({ events: [BOB, BOB, ANNA] });
    });
    expect(found).toEqual({ removed: 1, isDisturbed: true });
    expect(await dataOf([retried, changed])).toEqual([
      [ANNA, BOB],
      [BOB, BOB, ANNA],
    ]);
  });

  test('large data, and data that is not UTF-8, are read as well', async () => {
    const padding = 'x'.repeat(300_000);
    const [large = '', binary = ''] = await addFailed(2, { events: [ANNA, BOB], padding });
    const text = Buffer.from(JSON.stringify({ events: [ANNA, { bad: '?' }] }));
    text[text.lastIndexOf('?')] = 0xff;
    await redis.hset(intake.toKey(binary), 'data', text);
    expect(await search(erasers[0])).toEqual({ removed: 2, isDisturbed: false });
    expect(await dataOf([large, binary])).toEqual([[BOB], [{ bad: '\uFFFD' }]]);
  });
});
