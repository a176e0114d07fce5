import { Queue, Worker } from 'bullmq';
import { cannotShiftClocks, eventually, startRedis, uniqueName, unlessImpossible } from '@mailhook/testing';
import type { TestRedis } from '@mailhook/testing';
import { closeRedis, connectRedis, whenReady } from '../redis/index.ts';
import type { Redis } from '../redis/index.ts';
import { openWatchedWorker } from './watched-worker.ts';

const QUICK = { lockDuration: 1000, stalledInterval: 500, maxStalledCount: 1000 } as const;

unlessImpossible(describe, cannotShiftClocks())('the clock of Redis steps back by 4 days', () => {
  const clients: Redis[] = [];
  let server: TestRedis;
  const connect = async (): Promise<Redis> => {
    const client = connectRedis({ url: server.url, role: 'worker', name: 'test', onError: () => undefined });
    clients.push(client);
    await whenReady(client, 5000);
    return client;
  };

  beforeAll(async () => {
    server = await startRedis({ clockAheadMs: 4 * 86_400_000 });
  });
  afterAll(async () => {
    await Promise.all(clients.map((client) => closeRedis(client)));
    await server.stop();
  });

  test('another worker runs the job of a dead worker within seconds', async () => {
    const connection = await connect();
    const name = uniqueName('queue');
    const queue = new Queue(name, { connection });
    // Like a dead worker, it takes the job, renews no lock, and never ends the job. Its check for stalled jobs leaves a
    // key with an expiry.
    const dead = new Worker(name, undefined, { connection: await connect(), ...QUICK });
    const { id = '' } = await queue.add('held', {});
    expect((await dead.getNextJob('token')).id).toBe(id);
    await dead.startStalledCheckTimer();
    await eventually(async () => (await connection.exists(queue.toKey('stalled-check'))) === 1, { what: 'a check' });
    server.setClock(0);
    await dead.close(true);
    expect(await connection.pttl(`${queue.toKey(id)}:lock`)).toBeGreaterThan(3 * 86_400_000);
    let runs = 0;
    const watched = openWatchedWorker({
      queue: name,
      connection,
      concurrency: 1,
      process: () => Promise.resolve((runs += 1)),
      onError: () => undefined,
      ...QUICK,
    });
    try {
      await eventually(() => runs === 1, { withinMs: 20_000, what: 'the job of the dead worker' });
    } finally {
      await watched.close();
      await queue.close();
    }
  }, 60_000);
});
