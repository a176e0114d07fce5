import { Redis } from 'ioredis';
import request from 'supertest';
import { Installation } from '@mailhook/delivery';
import { eventually } from '@mailhook/testing';
import { ADMIN_TOKEN, startApi } from '../api-rig.suite.ts';
import type { ApiRig } from '../api-rig.suite.ts';
import { boardQueues } from './board.ts';

const BROKEN = '{"events":[{"email":"anna@example.com"';

describe('Bull Board and jobs with fields that are not JSON', () => {
  let api: ApiRig;
  let connection: Redis;
  beforeAll(async () => {
    api = await startApi();
    connection = new Redis(api.redisUrl, { maxRetriesPerRequest: null });
  });
  afterAll(async () => {
    connection.disconnect();
    await api.close();
  });

  const board = (path: string) => request(api.opsUrl).get(`/admin/queues/api${path}`).auth('admin', ADMIN_TOKEN);
  const addByHand = async (queue: string, id: string, fields: Readonly<Record<string, string>>): Promise<void> => {
    await connection.hset(`${queue}:${id}`, { name: 'by-hand', ...fields });
    await connection.lpush(`${queue}:wait`, id);
    await connection.zadd(`${queue}:marker`, 0, '0');
  };

  it.each([
    ['small', BROKEN],
    ['large', `${BROKEN},"url":"${'x'.repeat(300_000)}"`],
  ])('shows a %s job of a producer that the worker failed, with its text masked', async (id, data) => {
    const key = `${api.prefix}:email-events`;
    await addByHand(key, id, { data });
    await eventually(async () => (await connection.zscore(`${key}:failed`, id)) !== null, {
      what: 'the job to fail',
      withinMs: 4000,
    });
    const job = await connection.hgetall(`${key}:${id}`);
    expect(job['failedReason']).toBe("the job's data is not valid JSON: it ends too early");
    expect(JSON.parse(job['data'] ?? '')).toEqual({ malformedData: data.slice(0, 16 * 1024) });
    for (const status of ['latest', 'failed']) {
      const shown = await board(`/queues?activeQueue=email-events&status=${status}`);
      expect([shown.status, shown.text.includes('anna')]).toEqual([200, false]);
      expect(shown.text).toContain('by-hand');
    }
    await connection.zrem(`${key}:failed`, id);
  });

  it('counts the job as malformed', async () => {
    const { text } = await api.opsAs(undefined)('get', '/metrics');
    expect(text).toMatch(/^mailhook_\w+\{[^}]*reason="malformed_job"[^}]*\} 2$/m);
  });

  it.each([
    ['more values than can be taken', { events: Array.from({ length: 600_000 }, () => 0) }, 'holds 600'],
    ['more bytes than can be taken', { events: ['x'.repeat(17 * 1024 * 1024)] }, 'bytes of data'],
    ['no events', { text: 'x'.repeat(300_000) }, 'has no "events"'],
  ])('keeps only the start of a failed job with %s', async (id, data, reason) => {
    const key = `${api.prefix}:email-events`;
    const text = JSON.stringify(data);
    await addByHand(key, id, { data: text });
    await eventually(async () => (await connection.zscore(`${key}:failed`, id)) !== null, {
      what: 'the job to fail',
      withinMs: 10_000,
    });
    const job = await connection.hgetall(`${key}:${id}`);
    expect(job['failedReason']).toContain(reason);
    expect(JSON.parse(job['data'] ?? '')).toEqual({ refusedData: text.slice(0, 16 * 1024) });
    await connection.zrem(`${key}:failed`, id);
  });

  it.each(['{"a', '5'])('finishes a job whose parent is %j', async (parent) => {
    const account = await api.newAccount();
    const event = {
      account: account.id,
      module: 'transactional_email',
      name: 'open',
      messageId: 'm',
      time: 1,
      ip: 'x',
    };
    const key = `${api.prefix}:email-events`;
    const id = `parent-${parent.length}`;
    await addByHand(key, id, { data: JSON.stringify({ events: [event] }), parent });
    await eventually(async () => (await connection.zscore(`${key}:completed`, id)) !== null, {
      what: 'the job to complete',
      withinMs: 4000,
    });
  });

  it('takes a job whose options and progress are not JSON', async () => {
    const account = await api.newAccount();
    const events = [
      { account: account.id, module: 'transactional_email', name: 'open', messageId: 'm', time: 1, ip: 'x' },
    ];
    const key = `${api.prefix}:email-events`;
    await addByHand(key, 'odd', { data: JSON.stringify({ events }), opts: '{"a', progress: '{' });
    await eventually(async () => (await connection.zscore(`${key}:completed`, 'odd')) !== null, {
      what: 'the job to complete',
    });
  });

  it.each(['data', 'opts', 'progress', 'parent', 'returnvalue', 'stacktrace'])(
    'shows a waiting job of any queue whose %s is not JSON',
    async (field) => {
      for (const { name, prefix } of boardQueues(new Installation(connection, api.prefix, 1))) {
        if (name === 'email-events') continue;
        const key = `${prefix}:${name}`;
        await connection.hset(`${key}:${field}`, { name: 'by-hand', data: '{}', [field]: BROKEN });
        // No worker waits for failed jobs.
        await connection.zadd(`${key}:failed`, 1, field);
        for (const path of [`/queues?activeQueue=${name}&status=failed`, `/queues/${name}/${field}`]) {
          const shown = await board(path);
          expect([path, shown.status, shown.text.includes('anna')]).toEqual([path, 200, false]);
          expect(shown.text).toContain('by-hand');
        }
      }
    },
  );

  it.each(['null', '7', '[]'])('shows a job whose options are %s', async (opts) => {
    const key = `${api.prefix}:email-events-rejected`;
    await connection.hset(`${key}:opts-${opts}`, { name: 'by-hand', data: 'null', opts });
    await connection.lpush(`${key}:wait`, `opts-${opts}`);
    expect((await board('/queues?activeQueue=email-events-rejected&status=latest')).status).toBe(200);
    await connection.del(`${key}:wait`);
  });
});
