import { Queue } from 'bullmq';
import { REJECTED_EVENTS_QUEUE } from '@mailhook/core';
import { createMetrics } from '@mailhook/platform/metrics';
import { closeRedis, connectRedis, whenReady } from '@mailhook/platform/redis';
import { testRedisUrl, uniqueName } from '@mailhook/testing';
import { addQueueGauges } from './queue-gauges.ts';

test('each queue reports its jobs over all shards, and whether it is paused', async () => {
  const redis = connectRedis({ url: await testRedisUrl(), role: 'worker', name: 'test', onError: () => undefined });
  await whenReady(redis, 5000);
  const prefix = uniqueName('depths');
  const rejected = new Queue(REJECTED_EVENTS_QUEUE, { connection: redis, prefix });
  const shards = [0, 1].map(
    (shard) => new Queue('campaign-resends', { connection: redis, prefix: `{${prefix}:${shard}}` }),
  );
  const metrics = createMetrics();
  addQueueGauges({ metrics, redis, queuePrefix: prefix, shards: 2 });
  const scrape = (): Promise<string> => metrics.registry.metrics();
  try {
    await rejected.add('rejected', {});
    for (const queue of shards) await queue.add('resend', {}, { delay: 60_000 });
    const before = await scrape();
    expect(before).toContain('mailhook_queue_jobs{queue="email-events-rejected",state="waiting"} 1');
    expect(before).toContain('mailhook_queue_jobs{queue="email-events-rejected",state="paused"} 0');
    expect(before).toContain('mailhook_queue_jobs{queue="campaign-resends",state="delayed"} 2');
    expect(before).toContain('mailhook_dead_letters{kind="campaign"} 0');
    // A dead letter counts even if it has no job for operators to see.
    await redis.zadd(`{${prefix}:1}:dls`, Date.now(), 'cletter');
    expect(await scrape()).toContain('mailhook_dead_letters{kind="campaign"} 1');
    await rejected.pause();
    expect(await scrape()).toContain('mailhook_queue_jobs{queue="email-events-rejected",state="paused"} 1');
  } finally {
    await Promise.all([rejected, ...shards].map((queue) => queue.close()));
    await closeRedis(redis);
  }
});
