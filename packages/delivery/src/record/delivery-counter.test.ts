import { createDeliveryHistory } from '@mailhook/insight';
import type { Redis } from '@mailhook/platform/redis';
import { closeRedis, connectRedis, whenReady } from '@mailhook/platform/redis';
import { eventually, startRedis, testRedisUrl, uniqueName } from '@mailhook/testing';
import { Installation } from '../mailbox/installation.ts';
import { createDeliveryCounter } from './delivery-counter.ts';
import { HOUR_MS } from '../mailbox/history-keys.ts';

const NOW_MS = Date.UTC(2026, 0, 5, 10, 59, 30);
const HOUR = Math.floor(NOW_MS / HOUR_MS);

const connect = async (url: string): Promise<Redis> => {
  const redis = connectRedis({ url, role: 'fail-fast', name: 'history', onError: () => undefined });
  await whenReady(redis, 5000);
  return redis;
};

describe('the count of deliveries', () => {
  let redis: Redis;
  beforeAll(async () => {
    redis = await connect(await testRedisUrl());
  });
  afterAll(() => closeRedis(redis));

  const rig = (flushMs = 60_000) => {
    const installation = new Installation(redis, uniqueName('history'), 2);
    const counter = createDeliveryCounter(installation, { flushMs, onError: () => undefined });
    const history = createDeliveryHistory(installation);
    const read = (nowMs = NOW_MS, account = 'a') => history.read(account, ['one', 'two'], nowMs);
    return { installation, counter, read };
  };

  it('adds up counts of several workers by destination and hour, and forgets them after a day', async () => {
    const { counter, read, installation } = rig();
    const other = createDeliveryCounter(installation, { onError: () => undefined });
    counter.count('a', 'one', 3, true, NOW_MS);
    counter.count('a', 'one', 0, false, NOW_MS);
    counter.count('a', 'two', 1, false, NOW_MS);
    counter.count('a', 'one', 5, true, NOW_MS + HOUR_MS);
    counter.count('b', 'else', 7, true, NOW_MS);
    other.count('a', 'one', 100, true, NOW_MS);
    await Promise.all([counter.close(), other.close()]);

    const history = await read(NOW_MS + HOUR_MS);
    expect(history.get('one')?.hours).toHaveLength(24);
    expect(history.get('one')?.hours.slice(-2)).toEqual([
      { fromMs: HOUR * HOUR_MS, events: 103, delivered: 2, failed: 1 },
      { fromMs: (HOUR + 1) * HOUR_MS, events: 5, delivered: 1, failed: 0 },
    ]);
    expect(history.get('two')?.hours.at(-2)).toMatchObject({ events: 1, delivered: 0, failed: 1 });
    expect((await read(NOW_MS + 24 * HOUR_MS)).get('one')?.hours[0]).toMatchObject({ events: 5 });
    expect((await read(NOW_MS, 'nobody')).get('one')?.hours.every(({ events }) => events === 0)).toBe(true);
    const ttl = await redis.ttl(installation.keysOf('a', 'campaign').history('a', HOUR));
    expect(ttl).toBeGreaterThan(24 * 3600);
    expect(ttl).toBeLessThanOrEqual(25 * 3600);
  });

  it('writes regularly without a close', async () => {
    const { counter, read } = rig(5);
    counter.count('a', 'one', 1, true, NOW_MS);
    await eventually(async () => (await read()).get('one')?.hours.at(-1)?.events === 1, { what: 'a written count' });
    counter.count('a', 'one', 1, true, NOW_MS);
    await eventually(async () => (await read()).get('one')?.hours.at(-1)?.events === 2, { what: 'the next one' });
    await counter.close();
  });

  it('keeps counts of failed writes until Redis is back', async () => {
    const server = await startRedis();
    const own = await connect(server.url);
    const errors: Error[] = [];
    const installation = new Installation(own, uniqueName('history'), 1);
    const counter = createDeliveryCounter(installation, { flushMs: 20, onError: (error) => errors.push(error) });
    await server.kill();
    counter.count('a', 'one', 4, true, NOW_MS);
    await eventually(() => errors.length > 0, { what: 'a failed write' });
    counter.count('a', 'one', 1, true, NOW_MS);
    await server.restart();
    const read = async () => (await createDeliveryHistory(installation).read('a', ['one'], NOW_MS)).get('one');
    await eventually(async () => (await read())?.hours.at(-1)?.events === 5, { what: 'both', withinMs: 10_000 });
    await counter.close();
    await closeRedis(own);
    await server.stop();
  });
});
