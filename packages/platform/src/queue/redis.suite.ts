import type { TestRedis } from '@mailhook/testing';
import { startRedis } from '@mailhook/testing';
import type { Redis } from '../redis/index.ts';
import { closeRedis, connectRedis, whenReady } from '../redis/index.ts';

/** Starts a Redis for the tests of a file. Returns a function that returns its `worker` client. */
export function useRedis(): () => Redis {
  let server: TestRedis;
  let connection: Redis;
  beforeAll(async () => {
    server = await startRedis();
    connection = connectRedis({ url: server.url, role: 'worker', name: 'test', onError: () => undefined });
    await whenReady(connection, 5000);
  });
  afterAll(async () => {
    await closeRedis(connection);
    await server.stop();
  });
  return () => connection;
}
