import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import request from 'supertest';
import { EMAIL_EVENTS_QUEUE, REJECTED_EVENTS_QUEUE } from '@mailhook/core';
import { ADMIN_TOKEN, PRODUCER_TOKEN, startApi } from '../api-rig.suite.ts';
import type { ApiRig } from '../api-rig.suite.ts';
import { eventually } from '@mailhook/testing';

describe('operations port', () => {
  let api: ApiRig;
  beforeAll(async () => {
    api = await startApi({ QUEUE_SHARDS: '2' });
  });
  afterAll(() => api.close());

  it('serves health, readiness and metrics without a token', async () => {
    const anyone = api.opsAs(undefined);
    expect((await anyone('get', '/healthz')).body).toEqual({ status: 'ok' });
    expect((await anyone('get', '/readyz')).body).toEqual({ status: 'ready' });
    const metrics = await anyone('get', '/metrics');
    expect(metrics.headers['content-type']).toMatch(/^text\/plain/);
    expect(metrics.text).toContain('mailhook_http_request_duration_seconds');
    expect((await anyone('post', '/healthz')).status).toBe(405);
  });

  it('requires the admin token for the admin API', async () => {
    for (const [token, status] of [
      [undefined, 401],
      ['wrong', 401],
      [PRODUCER_TOKEN, 403],
      [(await api.newAccount()).token, 401],
    ] as const) {
      const reply = await api.opsAs(token)('get', '/admin/accounts');
      expect([reply.status, reply.headers['content-type']]).toEqual([status, 'application/problem+json']);
    }
  });

  describe('Bull Board', () => {
    const board = (path: string) => request(api.opsUrl).get(`/admin/queues${path}`).auth('admin', ADMIN_TOKEN);

    it('requires the user admin and the admin token', async () => {
      const asked = await request(api.opsUrl).get('/admin/queues/api/queues');
      expect(asked.status).toBe(401);
      expect(asked.headers['www-authenticate']).toMatch(/^Basic/);
      for (const [user, password] of [
        ['admin', 'wrong'],
        ['root', ADMIN_TOKEN],
        ['admin', PRODUCER_TOKEN],
      ] as const) {
        expect((await request(api.opsUrl).get('/admin/queues').auth(user, password)).status).toBe(401);
      }
      expect((await board('')).text).toContain('Mailhook queues');
    });

    it('accepts changes only from its own page', async () => {
      const change = (path: string, headers: Record<string, string>) =>
        request(api.opsUrl).put(`/admin/queues/api/queues/${path}`).auth('admin', ADMIN_TOKEN).set(headers);
      const foreign = [
        { origin: 'https://evil.example' },
        { origin: 'null' },
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-site', origin: api.opsUrl },
      ];
      for (const headers of foreign) {
        for (const path of ['email-events-rejected/pause', 'email-events-rejected/empty', 'pause'])
          expect((await change(path, headers)).status).toBe(403);
      }
      const { queues } = (await board('/api/queues')).body as { queues: { name: string; isPaused: boolean }[] };
      expect(queues.filter(({ isPaused }) => isPaused)).toEqual([]);
      // The board's own page, and clients that are not browsers.
      const own = [{ origin: api.opsUrl }, { 'sec-fetch-site': 'same-origin' }, {}];
      for (const headers of own) expect((await change('email-events-rejected/empty', headers)).status).toBe(200);
      // A link to the board from another page changes nothing.
      expect((await board('').set('sec-fetch-site', 'cross-site')).status).toBe(200);
    });

    it.each(['?activeQueue=%zz', '?activeQueue=%25zz&status=latest', '?page=x', '?status=zz', '?jobsPerPage=-1'])(
      'answers the unreadable query %s with a 4xx',
      async (query) => {
        const { status } = await board(`/api/queues${query}`);
        expect([status >= 400 && status < 500, status]).toEqual([true, status]);
      },
    );

    it('shows every queue of every shard', async () => {
      const { queues } = (await board('/api/queues')).body as { queues: { name: string; description: string }[] };
      expect(queues.filter(({ description }) => description.length < 20)).toEqual([]);
      const names = queues.map(({ name }) => name);
      expect(names).toEqual(
        expect.arrayContaining(['email-events', 'email-events-rejected', 'destination-deactivations']),
      );
      expect(names).toEqual(expect.arrayContaining(['shard-0-transactional-chunks', 'shard-1-campaign-dead-letters']));
      expect(names).toHaveLength(4 + 2 * 2 * 4);
    });

    it('shows no warning for the queue that needs no worker, and one for a queue without its worker', async () => {
      const { queues } = (await board('/api/queues')).body as {
        queues: { name: string; hasWorkers: boolean | null; description: string }[];
      };
      const of = (name: string) => queues.find((queue) => queue.name === name);
      expect(of('email-events-rejected')).toMatchObject({
        hasWorkers: null,
        description: expect.stringContaining('Needs no worker') as string,
      });
      expect([
        of('alerts')?.hasWorkers,
        of('email-events')?.hasWorkers,
        of('shard-0-campaign-chunks')?.hasWorkers,
      ]).toEqual([true, true, false]);
    });

    it('loads nothing from other hosts', async () => {
      const { text, headers } = await board('');
      expect(text).not.toMatch(/(href|src)="https?:/);
      expect(headers['content-security-policy']).not.toMatch(/https?:/);
    });

    it('masks every address in every place, and refuses to write masked texts back', async () => {
      const connection = new Redis(api.redisUrl, { maxRetriesPerRequest: null });
      const queue = new Queue(REJECTED_EVENTS_QUEUE, { connection, prefix: api.prefix });
      const failing = new Queue(EMAIL_EVENTS_QUEUE, { connection, prefix: api.prefix });
      try {
        const job = await queue.add('to anna@example.com', {
          event: { email: 'anna@example.com', 'bob@example.com': ['%22carl%40example.com'] },
          errors: [],
        });
        await queue.addJobLog(job.id!, 'seen anna@example.com');
        await failing.add('mail to dora@example.com', { 'dora@example.com': 1 });
        await eventually(async () => (await failing.getFailedCount()) === 1, { what: 'the malformed job to fail' });
        const texts = await Promise.all(
          [
            '/api/queues?activeQueue=email-events-rejected&status=latest',
            '/api/queues?activeQueue=email-events&status=failed',
            `/api/queues/email-events-rejected/${job.id!}`,
            `/api/queues/email-events-rejected/${job.id!}/logs`,
          ].map(async (path) => (await board(path)).text),
        );
        expect(texts.join()).toContain('a***@example.com');
        expect(texts.join()).not.toMatch(/(anna|bob|carl|dora)(@|%40)example/);
        const write = await request(api.opsUrl)
          .patch(`/admin/queues/api/queues/email-events-rejected/${job.id!}/update-data`)
          .auth('admin', ADMIN_TOKEN)
          .send({ jobData: { event: 1 } });
        expect(write.status).toBe(403);
      } finally {
        await queue.close();
        await failing.close();
        connection.disconnect();
      }
    });
  });
});
