import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { EMAIL_EVENTS_QUEUE, REJECTED_EVENTS_QUEUE } from '@mailhook/core';
import { engineKeys } from '@mailhook/delivery';
import { anOpen, eventually } from '@mailhook/testing';
import { publishedEvents, startApi } from '../api-rig.suite.ts';

test('a job of an overfull account waits while 10,000 events are rejected, and runs when there is room', async () => {
  const api = await startApi();
  const connection = new Redis(api.redisUrl, { maxRetriesPerRequest: null });
  const queue = new Queue(EMAIL_EVENTS_QUEUE, { connection, prefix: api.prefix });
  const rejected = new Queue(REJECTED_EVENTS_QUEUE, { connection, prefix: api.prefix });
  try {
    const account = await api.newAccount();
    await api.subscribe(account, 'open');
    const aside = Array.from({ length: 10_000 }, () => ({ name: 'rejected', data: { event: {}, errors: [] } }));
    await rejected.addBulk(aside);
    const overfull = `${engineKeys(api.prefix, 0, 'campaign').shared}overfull`;
    await connection.sadd(overfull, account.id);
    const send = () => api.post(anOpen({ account: account.id, messageId: 'by HTTP' }));
    await eventually(async () => (await send()).status === 429, { what: 'the account to be overfull' });

    const job = await queue.add('mine', { events: [7, anOpen({ account: account.id, messageId: 'by Redis' })] });
    const isNow = (state: string) =>
      eventually(async () => (await job.getState()) === state, { what: `the job to be ${state}` });
    await isNow('delayed');
    expect((await queue.getJob(job.id!))?.delay).toBeGreaterThan(4000);
    expect(await rejected.getWaitingCount()).toBe(10_000);

    await job.promote();
    await isNow('delayed');
    await connection.srem(overfull, account.id);
    await eventually(async () => (await send()).status === 202, { what: 'the account to have room' });
    await job.promote();
    await isNow('completed');
    expect((await queue.getJob(job.id!))?.returnvalue).toMatchObject({ accepted: 1, rejected: 1 });
    const published = (await publishedEvents(api)).map(({ event }) => event['messageId']);
    expect(published.filter((id) => id === 'by Redis')).toHaveLength(1);
    expect(await rejected.getWaitingCount()).toBe(10_001);
  } finally {
    await queue.close();
    await rejected.close();
    connection.disconnect();
    await api.close();
  }
}, 30_000);
