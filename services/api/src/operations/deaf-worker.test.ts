import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { EMAIL_EVENTS_QUEUE } from '@mailhook/core';
import { anOpen, eventually, startRedis } from '@mailhook/testing';
import { startApi } from '../api-rig.suite.ts';

test('an api that takes none of its waiting jobs is not ready and says why, until it takes them again', async () => {
  const redis = await startRedis({ appendonly: true });
  const api = await startApi({ REDIS_URL: redis.url });
  const connection = new Redis(redis.url, { maxRetriesPerRequest: null });
  const queue = new Queue(EMAIL_EVENTS_QUEUE, { connection, prefix: api.prefix });
  const readiness = () => api.opsAs(undefined)('get', '/readyz');
  try {
    const account = await api.newAccount();
    expect((await readiness()).status).toBe(200);
    // Redis refuses only this worker's blocking wait for jobs. The other worker's wait still works.
    await connection.call('ACL', 'SETUSER', 'default', '-bzpopmin', '(+bzpopmin ~*destination-deactivations*)');
    const red = await eventually(
      async () => {
        // A wait that began earlier still gets the next job, so add jobs until one stays.
        if ((await queue.getWaitingCount()) === 0)
          await queue.add('events', { events: [anOpen({ account: account.id })] });
        const reply = await readiness();
        return reply.status === 503 ? reply : undefined;
      },
      { what: 'the deafness to show', withinMs: 15_000 },
    );
    expect(red.body).toEqual({
      status: 'not ready',
      reasons: ['jobs wait in email-events, and its worker takes none'],
    });
    expect((await api.opsAs(undefined)('get', '/metrics')).text).toContain('mailhook_ready 0');
    await connection.call('ACL', 'SETUSER', 'default', '+bzpopmin');
    await eventually(async () => (await readiness()).status === 200, {
      what: 'the api to be ready again',
      withinMs: 15_000,
    });
    expect(await queue.getWaitingCount()).toBe(0);
  } finally {
    await queue.close();
    connection.disconnect();
    await api.close();
    await redis.stop();
  }
});
