import { PassThrough } from 'node:stream';
import { REJECTED_EVENTS_QUEUE } from '@mailhook/core';
import type { RejectedEventJob } from '@mailhook/core';
import { Installation } from '@mailhook/delivery';
import { createLogger } from '@mailhook/platform/logger';
import { closeRedis, connectRedis, whenReady } from '@mailhook/platform/redis';
import { testRedisUrl, uniqueName } from '@mailhook/testing';
import { openRejectedEvents } from './rejected-events.ts';

const refused = (index: number) => ({ index, event: { number: index }, errors: [{ path: '', message: 'no event' }] });
const refusedFrom = (from: number, count: number) => Array.from({ length: count }, (_, i) => refused(from + i));

async function startRig() {
  const redis = connectRedis({ url: await testRedisUrl(), role: 'worker', name: 'test', onError: () => undefined });
  await whenReady(redis, 5000);
  const installation = new Installation(redis, uniqueName('rejected'), 1);
  const logger = createLogger({ level: 'info', service: 'test', pretty: false, stream: new PassThrough().resume() });
  const dropped: number[] = [];
  const onDropped = (events: number): void => void dropped.push(events);
  const rejected = openRejectedEvents({ installation, logger, onDropped, keptMax: 10 });
  const queue = installation.queue(REJECTED_EVENTS_QUEUE);
  return {
    rejected,
    dropped,
    kept: async () =>
      (await queue.getJobs(['waiting']))
        .map(({ data }) => ((data as RejectedEventJob).event as { number: number }).number)
        .sort((a, b) => a - b),
    close: async () => {
      await rejected.close();
      await installation.close();
      await closeRedis(redis);
    },
  };
}

describe('rejected events', () => {
  let rig: Awaited<ReturnType<typeof startRig>>;
  beforeEach(async () => {
    rig = await startRig();
  });
  afterEach(() => rig.close());

  test('keep the newest of many invalid ones, and count the removed ones', async () => {
    await rig.rejected.keep('first', refusedFrom(0, 10), 'invalid');
    expect(rig.dropped).toEqual([]);
    await rig.rejected.keep('second', refusedFrom(10, 15), 'invalid');
    expect(await rig.kept()).toEqual([15, 16, 17, 18, 19, 20, 21, 22, 23, 24]);
    expect(rig.dropped).toEqual([15]);
  });

  test('of an overfull account are not pushed out and push out no others', async () => {
    await rig.rejected.keep('faulty', refusedFrom(0, 9), 'invalid');
    await rig.rejected.keep('overfull', refusedFrom(100, 15), 'too_many_waiting');
    expect(rig.dropped).toEqual([]);
    await rig.rejected.keep('more', refusedFrom(20, 5), 'invalid');
    const overfull = Array.from({ length: 15 }, (_, i) => 100 + i);
    expect(await rig.kept()).toEqual([4, 5, 6, 7, 8, 20, 21, 22, 23, 24, ...overfull]);
    expect(rig.dropped).toEqual([4]);
  });

  test('report the room for valid ones, and invalid ones take none of it', async () => {
    await rig.rejected.keep('faulty', refusedFrom(0, 10), 'invalid');
    expect(await rig.rejected.hasRoom(10)).toBe(true);
    await rig.rejected.keep('overfull', refusedFrom(100, 8), 'too_many_waiting');
    expect([await rig.rejected.hasRoom(2), await rig.rejected.hasRoom(3)]).toEqual([true, false]);
  });

  test('of a job that runs again are kept once', async () => {
    for (let run = 0; run < 3; run += 1) await rig.rejected.keep('same', refusedFrom(0, 6), 'invalid');
    expect(await rig.kept()).toEqual([0, 1, 2, 3, 4, 5]);
    expect(rig.dropped).toEqual([]);
  });
});
