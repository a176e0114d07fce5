import { REJECTED_EVENTS_QUEUE } from '@mailhook/core';
import { Installation } from '@mailhook/delivery';
import { createMetrics } from '@mailhook/platform/metrics';
import { closeRedis, connectRedis, whenReady } from '@mailhook/platform/redis';
import { testRedisUrl, uniqueName } from '@mailhook/testing';
import { addQueueGauges } from './queue-gauges.ts';

test('each queue reports its jobs over all shards, and whether it is paused', async () => {
  const redis = connectRedis({ url: await testRedisUrl(), role: 'worker', name: 'test', onError: () => undefined });
  await whenReady(redis, 5000);
  const installation = new Installation(redis, uniqueName('depths'), 2);
  const rejected = installation.queue(REJECTED_EVENTS_QUEUE);
  const shards = [0, 1].map((shard) => installation.queue('campaign-resends', shard));
  const metrics = createMetrics();
  addQueueGauges(metrics, installation);
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
    await redis.zadd(`{${installation.prefix}:1}:dls`, Date.now(), 'cletter');
    expect(await scrape()).toContain('mailhook_dead_letters{kind="campaign"} 1');
    await rejected.pause();
    expect(await scrape()).toContain('mailhook_queue_jobs{queue="email-events-rejected",state="paused"} 1');
  } finally {
    await installation.close();
    await closeRedis(redis);
  }
});
