import { Queue } from 'bullmq';
import { startRedis } from '@mailhook/testing';
import { closeRedis, connectRedis, whenReady } from '../redis/index.ts';
import { OPENS_WITHOUT_REDIS } from './opens-without-redis.ts';

test('a queue opened while Redis is away rejects jobs immediately, and accepts jobs when Redis is back', async () => {
  const server = await startRedis();
  const connection = connectRedis({ url: server.url, role: 'fail-fast', name: 'test', onError: () => undefined });
  await whenReady(connection, 5000);
  await server.kill();
  const queue = new Queue('test', { connection, ...OPENS_WITHOUT_REDIS });
  queue.on('error', () => undefined);
  try {
    await expect(queue.add('early', {})).rejects.toThrow();
    await server.restart();
    await whenReady(connection, 10_000);
    await expect(queue.add('late', {})).resolves.toMatchObject({ name: 'late' });
  } finally {
    await queue.close();
    await closeRedis(connection);
    await server.stop();
  }
});
