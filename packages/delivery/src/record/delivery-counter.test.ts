import { NO_DELIVERIES, rangeSpan, replyTimesOf, spanBetween } from '@mailhook/core';
import type { HistoryRange, HistorySpan } from '@mailhook/core';
import { createAccountUsages, createDeliveryHistory } from '@mailhook/insight';
import type { Redis } from '@mailhook/platform/redis';
import { closeRedis, connectRedis, whenReady } from '@mailhook/platform/redis';
import { eventually, startRedis, testRedisUrl, uniqueName } from '@mailhook/testing';
import { blocksOf, filteredId, placeOf, SERIES, unroutedId } from './history-keys.ts';
import { Installation } from '../mailbox/installation.ts';
import { createDeliveryCounter } from './delivery-counter.ts';

const NOW_MS = Date.UTC(2026, 0, 5, 10, 59, 30);
const HOUR_MS = 3_600_000;
const HOUR = Math.floor(NOW_MS / HOUR_MS);

const delivered = (events: number, endedAtMs = NOW_MS) => ({ events, isDelivered: true, endedAtMs });
const failed = (events: number, endedAtMs = NOW_MS) => ({ events, isDelivered: false, endedAtMs });

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

  it('adds up counts of several workers by destination and hour, and forgets them after a week', async () => {
    const { counter, read, installation } = rig();
    const other = createDeliveryCounter(installation, { onError: () => undefined });
    counter.count('a', 'one', delivered(3));
    counter.count('a', 'one', failed(0));
    counter.count('a', 'two', failed(1));
    counter.count('a', 'one', delivered(5, NOW_MS + HOUR_MS));
    counter.count('b', 'else', delivered(7));
    other.count('a', 'one', delivered(100));
    await Promise.all([counter.close(), other.close()]);

    const history = await read(NOW_MS + HOUR_MS);
    expect(history.get('one')).toHaveLength(24);
    expect(history.get('one')?.slice(-2)).toMatchObject([
      { fromMs: HOUR * HOUR_MS, events: 103, delivered: 2, failed: 1 },
      { fromMs: (HOUR + 1) * HOUR_MS, events: 5, delivered: 1, failed: 0 },
    ]);
    expect(history.get('two')?.at(-2)).toMatchObject({ events: 1, delivered: 0, failed: 1 });
    expect((await read(NOW_MS + 24 * HOUR_MS)).get('one')?.[0]).toMatchObject({ events: 5 });
    expect((await read(NOW_MS, 'nobody')).get('one')?.every(({ events }) => events === 0)).toBe(true);
    for (const series of SERIES) {
      const { block } = placeOf(series, NOW_MS);
      const ttl = await redis.ttl(installation.keysOf('a', 'campaign').history('a', block));
      expect(ttl).toBeGreaterThan(series.keptS - 60);
      expect(ttl).toBeLessThanOrEqual(series.keptS);
    }
  });

  it('an account has delivered only what destinations took, in the last 24 hours', async () => {
    const { counter, installation } = rig();
    const nowMs = Date.now();
    counter.count('a', 'one', delivered(2, nowMs));
    counter.count('a', 'one', failed(0, nowMs));
    for (const id of [unroutedId('a', 'open'), filteredId('one')]) counter.count('a', id, delivered(17, nowMs));
    await counter.close();
    expect(await createAccountUsages(installation).read('a')).toMatchObject({ delivered: 2, failed: 1 });
  });

  it('has bars of 5 minutes, an hour or 6 hours, and reply times in each', async () => {
    const { counter, installation } = rig();
    const week = 7 * 24 * HOUR_MS;
    counter.count('a', 'one', { ...delivered(1), replyMs: 40 });
    counter.count('a', 'one', { ...failed(1), unconfirmed: 2, replyMs: 5000, isTimeout: true });
    counter.count('a', 'one', { ...delivered(9, NOW_MS - 5 * 60_000), replyMs: 20 });
    counter.count('a', 'one', delivered(10, NOW_MS - 55 * 60_000));
    counter.count('a', 'one', delivered(20, NOW_MS - HOUR_MS));
    counter.count('a', 'one', delivered(40, NOW_MS - week + 6 * HOUR_MS));
    await counter.close();
    const history = createDeliveryHistory(installation);
    const of = async (span: HistorySpan) => (await history.read('a', ['one'], NOW_MS, span)).get('one') ?? [];
    const ofRange = (range: HistoryRange) => of(rangeSpan(range, NOW_MS));
    const [hour, day, days] = [await ofRange('1h'), await ofRange('24h'), await ofRange('7d')];
    expect([hour, day, days].map(({ length }) => length)).toEqual([12, 24, 28]);
    expect(hour.map(({ events }) => events)).toEqual([10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9, 2]);
    expect(hour.at(-1)).toMatchObject({
      fromMs: NOW_MS - 4.5 * 60_000,
      delivered: 1,
      failed: 1,
      unconfirmed: 2,
      timeouts: 1,
    });
    expect(replyTimesOf(hour.at(-1) ?? NO_DELIVERIES)).toEqual({ p50: 50, p95: 4800 });
    expect(day.slice(-2)).toMatchObject([{ events: 20 }, { events: 21, fromMs: HOUR * HOUR_MS }]);
    expect(days.at(-1)).toMatchObject({ events: 41, fromMs: Date.UTC(2026, 0, 5, 6) });
    const past = await of(spanBetween(NOW_MS - week, NOW_MS - week + 7 * HOUR_MS, NOW_MS));
    expect(past.map(({ events }) => events)).toEqual([0, 0, 0, 0, 0, 0, 40, 0]);
    expect(days[0]).toMatchObject({ events: 40, delivered: 1, fromMs: Date.UTC(2025, 11, 29, 12) });
  });

  it('keeps the last hour and 7 days of a busy destination in a few kilobytes', async () => {
    const { counter, installation } = rig();
    const startMs = HOUR * HOUR_MS;
    for (let minute = 0; minute < 8 * 24 * 60; minute += 5) {
      for (let i = 0; i < 100; i += 1) {
        const replyMs = 20 + ((i * i) % 150);
        counter.count('a', 'one', { events: 3, isDelivered: i > 5, endedAtMs: startMs - minute * 60_000, replyMs });
      }
    }
    await counter.close();
    const keys = installation.keysOf('a', 'campaign');
    const sizes = await Promise.all(
      SERIES.map(async (series) => {
        const found = blocksOf(series, startMs).map((block) => redis.memory('USAGE', keys.history('a', block)));
        return (await Promise.all(found)).reduce<number>((sum, bytes) => sum + (bytes ?? 0), 0);
      }),
    );
    expect(sizes[0]).toBeLessThan(2500);
    expect(sizes[1]).toBeLessThan(13_000);
  });

  it('writes regularly without a close', async () => {
    const { counter, read } = rig(5);
    counter.count('a', 'one', delivered(1));
    await eventually(async () => (await read()).get('one')?.at(-1)?.events === 1, { what: 'a written count' });
    counter.count('a', 'one', delivered(1));
    await eventually(async () => (await read()).get('one')?.at(-1)?.events === 2, { what: 'the next one' });
    await counter.close();
  });

  it('keeps counts of failed writes until Redis is back', async () => {
    const server = await startRedis();
    const own = await connect(server.url);
    const errors: Error[] = [];
    const installation = new Installation(own, uniqueName('history'), 1);
    const counter = createDeliveryCounter(installation, { flushMs: 20, onError: (error) => errors.push(error) });
    await server.kill();
    counter.count('a', 'one', delivered(4));
    await eventually(() => errors.length > 0, { what: 'a failed write' });
    counter.count('a', 'one', delivered(1));
    await server.restart();
    const read = async () => (await createDeliveryHistory(installation).read('a', ['one'], NOW_MS)).get('one');
    await eventually(async () => (await read())?.at(-1)?.events === 5, { what: 'both', withinMs: 10_000 });
    await counter.close();
    await closeRedis(own);
    await server.stop();
  });
});
