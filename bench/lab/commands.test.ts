import { withholdData } from '@mailhook/platform/queue';
import { connectRedis, closeRedis, whenReady } from '@mailhook/platform/redis';
import { startRedis } from '@mailhook/testing';
import { Queue } from 'bullmq';
import { commandsLine, createCommandCounter, totalOf } from './commands.ts';

test('counts what clients call, and names a script of BullMQ that the product has changed', async () => {
  const server = await startRedis();
  const redis = connectRedis({ url: server.url, role: 'worker', name: 'test', onError: () => undefined });
  try {
    await whenReady(redis, 5000);
    withholdData(redis, {});
    const queue = new Queue('jobs', { connection: redis, prefix: 'test' });
    await queue.waitUntilReady();
    const counter = createCommandCounter(server.port);
    await counter.learn(() => queue.getJobCounts());
    const commands = await counter.count(async () => {
      await queue.getJobCounts();
      await queue.getJobCounts();
      await redis.set('key', 'value');
    });
    expect(totalOf(commands)).toBe(3);
    expect(commandsLine(commands, 2)).toBe('evalsha getCounts 1.00, set 0.50');
  } finally {
    await closeRedis(redis);
    await server.stop();
  }
});
