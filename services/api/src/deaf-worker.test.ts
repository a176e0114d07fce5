import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { EMAIL_EVENTS_QUEUE } from '@mailhook/core';
import { anOpen, eventually, startRedis } from '@mailhook/testing';
import { startApi } from './api-rig.suite.ts';

test('an api whose jobs wait while it takes none is not ready, and says so; when it takes them again, it is', async () => {
  const redis = await startRedis({ appendonly: true });
  const api = await startApi({ REDIS_URL: redis.url });
  const connection = new Redis(redis.url, { maxRetriesPerRequest: null });
  const queue = new Queue(EMAIL_EVENTS_QUEUE, { connection, prefix: api.prefix });
  const readiness = () => api.opsAs(undefined)('get', '/readyz');
  try {
    const account = await api.newAccount();
    expect((await readiness()).status).toBe(200);
    // Redis answers everything but this worker's waiting for jobs; that of the other one it does answer.
    await connection.call('ACL', 'SETUSER', 'default', '-bzpopmin', '(+bzpopmin ~*destination-deactivations*)');
    const red = await eventually(
      async () => {
        // Who waits already still gets the next job.
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
