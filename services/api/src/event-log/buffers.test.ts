import { Redis } from 'ioredis';
import { fieldsOfEvent } from '@mailhook/core';
import { createEventLogBuffers, engineKeys, Installation } from '@mailhook/delivery';
import { anEvent, testRedisUrl, uniqueName } from '@mailhook/testing';
import { createReadRecent } from './buffers.ts';

describe('what is in no segment yet', () => {
  let redis: Redis;
  let installation: Installation;
  beforeEach(async () => {
    redis = new Redis(await testRedisUrl());
    installation = new Installation(redis, uniqueName('buffers'), 1);
  });
  afterEach(async () => {
    await installation.close();
    redis.disconnect();
  });

  const ACCEPTED_MS = 1_790_000_000_000;

  /** Puts chunks with one event of each account into the buffer, as the function that ends their jobs does. */
  const fill = async (count: number, accounts: readonly string[]): Promise<void> => {
    const keys = engineKeys(installation.prefix, 0, 'campaign');
    const { fields, module } = fieldsOfEvent({ ...anEvent('open'), account: 'a' });
    const sets = accounts.map((account) => ({ account, module, to: [], events: [`\n\n,${fields}`] }));
    const data = JSON.stringify({ acceptedAt: ACCEPTED_MS, sets });
    const pipeline = redis.pipeline();
    for (let n = 0; n < count; n += 1) pipeline.rpush(keys.logChunks, `c${n}`).hset(keys.logChunk(`c${n}`), { data });
    await pipeline.exec();
  };

  test('is all that the buffer has of the account, however many chunks wait', async () => {
    await fill(5001, ['acme', 'other']);
    const readRecent = createReadRecent(createEventLogBuffers(installation));
    const [own, others, again] = await Promise.all(['acme', 'nobody', 'acme'].map(readRecent));
    expect(own?.content.events).toHaveLength(5001);
    expect(own?.content.events.every(({ account }) => account === 'acme')).toBe(true);
    expect(others?.content).toEqual({ events: [], outcomes: [], gaps: [] });
    expect(again?.content).toEqual(own?.content);
  });

  test('has each event that an api has not moved into a segment meanwhile', async () => {
    await fill(10_000, ['acme']);
    const buffers = createEventLogBuffers(installation);
    const [commands] = buffers.shards;
    const moved = new Set<string>();
    const move = async (): Promise<void> => {
      const some = (await commands?.read({ chunks: 700, outcomes: 0, bytes: Infinity }))!;
      expect(await commands?.trim(some.read)).toBe(true);
      for (const { chunk } of some.chunks.flatMap(({ events }) => events)) moved.add(chunk);
    };
    const reading = createReadRecent(buffers)('acme');
    for (let times = 0; times < 6; times += 1) await move();
    const { content } = await reading;
    const found = content.events.map(({ chunk }) => chunk);
    expect(new Set(found).size).toBe(found.length);
    expect(new Set([...found, ...moved]).size).toBe(10_000);
  });
});
