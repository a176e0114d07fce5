import { PassThrough } from 'node:stream';
import { Queue } from 'bullmq';
import { REJECTED_EVENTS_QUEUE } from '@mailhook/core';
import type { RejectedEventJob } from '@mailhook/core';
import { createLogger } from '@mailhook/platform/logger';
import { closeRedis, connectRedis, whenReady } from '@mailhook/platform/redis';
import { testRedisUrl, uniqueName } from '@mailhook/testing';
import { openRejectedEvents } from './rejected-events.ts';

const refused = (index: number) => ({ index, event: { number: index }, errors: [{ path: '', message: 'no event' }] });

test('of many rejected events the newest are kept, and the dropped ones are counted', async () => {
  const redis = connectRedis({ url: await testRedisUrl(), role: 'worker', name: 'test', onError: () => undefined });
  await whenReady(redis, 5000);
  const prefix = uniqueName('rejected');
  const logger = createLogger({ level: 'info', service: 'test', pretty: false, stream: new PassThrough().resume() });
  let dropped = 0;
  const onDropped = (events: number): void => void (dropped += events);
  const rejected = openRejectedEvents({ redis, prefix, logger, onDropped, keptMax: 10 });
  const queue = new Queue<RejectedEventJob>(REJECTED_EVENTS_QUEUE, { connection: redis, prefix });
  try {
    const all = Array.from({ length: 25 }, (_, index) => refused(index));
    await rejected.keep('first', all.slice(0, 10));
    expect(dropped).toBe(0);
    await rejected.keep('second', all.slice(10));
    const kept = (await queue.getJobs(['waiting'])).map(({ data }) => (data.event as { number: number }).number);
    expect(kept.sort((a, b) => a - b)).toEqual([15, 16, 17, 18, 19, 20, 21, 22, 23, 24]);
    expect(dropped).toBe(15);
  } finally {
    await rejected.close();
    await queue.close();
    await closeRedis(redis);
  }
});
