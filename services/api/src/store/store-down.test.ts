import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import request from 'supertest';
import { EMAIL_EVENTS_QUEUE, REJECTED_EVENTS_QUEUE } from '@mailhook/core';
import { anOpen, eventually, startMongod, startRedis, uniqueName, unlessMissing } from '@mailhook/testing';
import { ADMIN_TOKEN, MODULE, publishedEvents, startApi } from '../api-rig.suite.ts';

const SUBSCRIPTIONS = '/v3/webhook/subscriptions';

unlessMissing(describe, 'mongod')('while MongoDB is down', () => {
  it('the intake accepts events of known accounts, and other requests get a 503 with Retry-After', async () => {
    const mongod = await startMongod();
    const api = await startApi({ MONGO_URL: `${mongod.url}/${uniqueName('db')}` });
    try {
      const [known, fresh] = [await api.newAccount(), await api.newAccount()];
      const subscription = await api.subscribe(known, 'open');
      const call = api.as(known.token);
      expect((await api.post(anOpen({ account: known.id }))).status).toBe(202);
      expect((await call('get', SUBSCRIPTIONS)).status).toBe(200);

      await mongod.kill();
      expect((await api.post([anOpen({ account: known.id }), anOpen({ account: known.id })])).status).toBe(202);
      expect((await publishedEvents(api)).filter(({ destination }) => destination === subscription)).toHaveLength(3);
      const unseen = await api.post(anOpen({ account: fresh.id }));
      const write = await call('post', SUBSCRIPTIONS, {
        address: 'https://example.com/',
        type: 'open',
        module: MODULE,
      });
      for (const reply of [unseen, write]) {
        expect([reply.status, reply.body]).toEqual([503, expect.objectContaining({ code: 'unavailable' })]);
        expect(Number(reply.headers['retry-after'])).toBeGreaterThan(0);
      }
      const stranger = await api.as(fresh.token)('get', SUBSCRIPTIONS);
      expect(stranger.status).toBe(503);

      await mongod.restart();
      await eventually(async () => (await api.as(fresh.token)('get', SUBSCRIPTIONS)).status === 200, {
        withinMs: 15_000,
        what: 'reads again',
      });
      expect((await api.post(anOpen({ account: fresh.id }))).status).toBe(202);
    } finally {
      await api.close();
      await mongod.stop();
    }
  });

  it('the overview shows ids in place of names, and says why it cannot find accounts', async () => {
    const mongod = await startMongod();
    const api = await startApi({ MONGO_URL: `${mongod.url}/${uniqueName('db')}` });
    const page = (path: string) =>
      request(api.opsUrl)
        .get(path)
        .auth('admin', ADMIN_TOKEN)
        .ok(() => true);
    try {
      const account = await api.newAccount('Blue Bird Travel');
      const id = await api.subscribe(account, 'open');
      await api.admin('post', `/admin/destinations/${id}/pause`, { minutes: 5 });
      expect((await page('/admin')).text).toContain('Blue Bird Travel');
      await mongod.kill();
      const { status, text } = await page('/admin');
      expect([status, text.includes(account.id), text.includes('Blue Bird')]).toEqual([200, true, false]);
      for (const path of ['/admin/pages/accounts?find=blue', `/admin/pages/accounts/${account.id}`]) {
        const reply = await page(path);
        expect([reply.status, reply.text]).toEqual([503, expect.stringContaining('The store cannot be reached')]);
      }
    } finally {
      await api.close();
      await mongod.stop();
    }
  });

  it('reads are answered from memory, and Redis-fed jobs are put back', async () => {
    const mongod = await startMongod();
    const api = await startApi({ MONGO_URL: `${mongod.url}/${uniqueName('db')}` });
    const connection = new Redis(api.redisUrl, { maxRetriesPerRequest: null });
    const queue = new Queue(EMAIL_EVENTS_QUEUE, { connection, prefix: api.prefix });
    const rejected = new Queue(REJECTED_EVENTS_QUEUE, { connection, prefix: api.prefix });
    try {
      const [known, fresh] = [await api.newAccount(), await api.newAccount()];
      const id = await api.subscribe(known, 'open');
      expect((await api.as(known.token)('get', SUBSCRIPTIONS)).status).toBe(200);
      await mongod.kill();
      expect((await api.as(known.token)('get', SUBSCRIPTIONS)).body).toMatchObject([{ id, type: 'open' }]);
      expect((await api.opsAs(undefined)('get', '/readyz')).status).toBe(200);

      const job = await queue.add('fed', { events: [anOpen({ account: fresh.id })] }, { attempts: 1 });
      await eventually(async () => (await queue.getJobState(job.id ?? '')) === 'delayed', {
        withinMs: 10_000,
        what: 'the job to be put back',
      });
      await mongod.restart();
      await eventually(async () => (await queue.getJobState(job.id ?? '')) === 'completed', {
        withinMs: 20_000,
        what: 'the job to be done',
      });
      expect(await rejected.count()).toBe(0);
    } finally {
      await queue.close();
      await rejected.close();
      connection.disconnect();
      await api.close();
      await mongod.stop();
    }
  });
});

describe('while Redis is down', () => {
  it('requests get a 503 with Retry-After, nothing is half accepted, and all works again afterwards', async () => {
    const redis = await startRedis({ appendonly: true, appendfsync: 'always' });
    const api = await startApi({ REDIS_URL: redis.url });
    try {
      const account = await api.newAccount();
      const id = await api.subscribe(account, 'open');
      const call = api.as(account.token);
      expect((await api.post(anOpen({ account: account.id }))).status).toBe(202);
      await redis.kill();
      const replies = [
        await api.post(anOpen({ account: account.id })),
        await call('put', `${SUBSCRIPTIONS}/${id}`, { module: MODULE, active: 0 }),
        await call('get', '/v3/webhook/destinations'),
        await call('get', '/v3/webhook/deliveries'),
        await call('get', '/v3/webhook/dead-letters'),
        await call('post', '/v3/webhook/dead-letters/redrive', {}),
        await api.admin('post', '/admin/accounts', { name: 'x' }),
      ];
      for (const reply of replies) {
        expect([reply.status, reply.body]).toEqual([503, expect.objectContaining({ code: 'unavailable' })]);
        expect(Number(reply.headers['retry-after'])).toBeGreaterThan(0);
      }
      expect((await api.opsAs(undefined)('get', '/readyz')).status).toBe(503);
      expect((await api.opsAs(undefined)('get', '/healthz')).status).toBe(200);

      await redis.restart();
      await eventually(async () => (await api.post(anOpen({ account: account.id }))).status === 202, {
        withinMs: 10_000,
        what: 'intake again',
      });
      expect(await publishedEvents(api)).toHaveLength(2);
      expect((await call('put', `${SUBSCRIPTIONS}/${id}`, { module: MODULE, active: 0 })).status).toBe(200);
    } finally {
      await api.close();
      await redis.stop();
    }
  });
});
