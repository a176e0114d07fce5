import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import request from 'supertest';
import { EMAIL_EVENTS_QUEUE, REJECTED_EVENTS_QUEUE } from '@mailhook/core';
import { engineKeys } from '@mailhook/delivery';
import { anOpen, eventually, testRedisUrl, uniqueName } from '@mailhook/testing';
import { ADMIN_TOKEN, startApi } from '../api-rig.suite.ts';
import type { ApiRig } from '../api-rig.suite.ts';

/** Queues as Bull Board names them, with two shards. */
const CHUNKS = 'shard-0-transactional-chunks';
const ALL_CHUNKS = [0, 1].flatMap((shard) =>
  ['transactional', 'campaign'].map((kind) => `shard-${shard}-${kind}-chunks`),
);

describe('Bull Board and the jobs that hold events', () => {
  let api: ApiRig;
  let connection: Redis;
  let chunks: Queue;
  let emailEvents: Queue;
  let rejected: Queue;
  beforeAll(async () => {
    api = await startApi({ QUEUE_SHARDS: '2' });
    connection = new Redis(api.redisUrl, { maxRetriesPerRequest: null });
    chunks = new Queue('transactional-chunks', {
      connection,
      prefix: engineKeys(api.prefix, 0, 'transactional').queuePrefix,
    });
    emailEvents = new Queue(EMAIL_EVENTS_QUEUE, { connection, prefix: api.prefix });
    rejected = new Queue(REJECTED_EVENTS_QUEUE, { connection, prefix: api.prefix });
  });
  afterAll(async () => {
    await Promise.all([chunks, emailEvents, rejected].map((queue) => queue.close()));
    connection.disconnect();
    await api.close();
  });

  const put = async (path: string, body: object = {}): Promise<number> => {
    const reply = await request(api.opsUrl)
      .put(`/admin/queues/api/queues/${path}`)
      .auth('admin', ADMIN_TOKEN)
      .send(body);
    if (reply.status === 403)
      expect(JSON.stringify(reply.body)).toContain('These jobs hold the only copy of their events');
    return reply.status;
  };

  it.each([...ALL_CHUNKS, EMAIL_EVENTS_QUEUE])('refuses to empty, obliterate or clean %s', async (queue) => {
    const statuses = ['waiting', 'wait', 'active', 'delayed', 'paused', 'prioritized', 'waiting-children', 'latest'];
    const answers = await Promise.all([
      put(`${queue}/empty`),
      put(`${queue}/obliterate`, { force: true }),
      ...statuses.map((status) => put(`${queue}/clean/${status}`)),
    ]);
    expect(new Set(answers)).toEqual(new Set([403]));
  });

  it('removes no waiting or delayed job, promotes delayed ones, and retries and removes finished ones', async () => {
    const waiting = await chunks.add('chunk', {}, { jobId: 'waiting-one' });
    const delayed = await chunks.add('chunk', {}, { jobId: 'delayed-one', delay: 3_600_000 });
    for (const { id = '' } of [waiting, delayed]) expect(await put(`${CHUNKS}/${id}/clean`)).toBe(403);
    expect(await put(`${CHUNKS}/clean/delayed`)).toBe(403);
    expect([await waiting.getState(), await delayed.getState()]).toEqual(['waiting', 'delayed']);
    expect(await put(`${CHUNKS}/${delayed.id!}/promote`)).toBe(204);
    expect(await delayed.getState()).toBe('waiting');
    expect(await put(`${CHUNKS}/no-such-job/clean`)).toBe(404);

    const { id: badId = '' } = await emailEvents.add('malformed', { nothing: 1 });
    const state = (id: string) => emailEvents.getJobState(id);
    const failed = () =>
      eventually(async () => (await state(badId)) === 'failed', { what: 'the malformed job to fail' });
    await failed();
    expect(await put(`email-events/${badId}/retry/failed`)).toBe(404);
    expect(await put(`email-events/${badId}/retry`)).toBe(204);
    await failed();
    expect(await put(`email-events/${badId}/clean`)).toBe(204);
    expect(await state(badId)).toBe('unknown');
    expect(await put('email-events/clean/failed')).toBe(200);
  });

  it('refuses before Bull Board acts, so that every job is kept', async () => {
    await emailEvents.pause();
    const { id = '' } = await emailEvents.add('held', { events: [anOpen()] });
    await chunks.add('chunk', {}, { jobId: 'one' });
    await Promise.all([
      put('email-events/empty'),
      put('email-events/obliterate', { force: true }),
      put(`email-events/${id}/clean`),
      put(`${CHUNKS}/empty`),
      put(`${CHUNKS}/one/clean`),
    ]);
    expect(await emailEvents.getJob(id)).toBeDefined();
    expect(await chunks.getJob('one')).toBeDefined();
    await emailEvents.resume();
  });

  it('clears jobs that are only kept for inspection', async () => {
    const { id = '' } = await rejected.add('rejected', { event: 7, errors: [] });
    expect(await put(`email-events-rejected/${id}/clean`)).toBe(204);
    expect(await rejected.getJob(id)).toBeUndefined();
    expect(await put('email-events-rejected/empty')).toBe(200);
  });
});

describe('Bull Board with BULL_BOARD_READ_ONLY', () => {
  it('shows every queue, and neither pauses, retries nor removes', async () => {
    const api = await startApi({ BULL_BOARD_READ_ONLY: 'true' });
    const connection = new Redis(api.redisUrl, { maxRetriesPerRequest: null });
    const rejected = new Queue(REJECTED_EVENTS_QUEUE, { connection, prefix: api.prefix });
    try {
      const { id = '' } = await rejected.add('rejected', {}, { jobId: 'kept-one' });
      const board = '/admin/queues/api/queues';
      const shown = await request(api.opsUrl).get(board).auth('admin', ADMIN_TOKEN);
      const { queues } = shown.body as { queues: { readOnlyMode: boolean }[] };
      expect(new Set(queues.map(({ readOnlyMode }) => readOnlyMode))).toEqual(new Set([true]));
      for (const path of [
        `${id}/clean`,
        `${id}/retry`,
        `${id}/promote`,
        'retry/failed',
        'pause',
        'empty',
        'clean/failed',
      ]) {
        const { status } = await request(api.opsUrl)
          .put(`${board}/${REJECTED_EVENTS_QUEUE}/${path}`)
          .auth('admin', ADMIN_TOKEN);
        expect([path, status]).toEqual([path, 405]);
      }
      expect([await rejected.getJobState(id), await rejected.isPaused()]).toEqual(['waiting', false]);
    } finally {
      await rejected.close();
      connection.disconnect();
      await api.close();
    }
  });
});

test('an api that starts leaves the streams of events of all queues short', async () => {
  const redis = new Redis(await testRedisUrl());
  const prefix = uniqueName('streams');
  const lengthOf = (key: string) => redis.hget(`${key}:meta`, 'opts.maxLenEvents');
  const deadLetters = `{${prefix}:0}:campaign-dead-letters`;
  await redis.hset(`${deadLetters}:meta`, 'opts.maxLenEvents', 100);
  const api = await startApi({ QUEUE_PREFIX: prefix });
  try {
    await request(api.opsUrl).get('/admin/queues/api/queues').auth('admin', ADMIN_TOKEN).expect(200);
    expect([await lengthOf(deadLetters), await lengthOf(`${prefix}:${EMAIL_EVENTS_QUEUE}`)]).toEqual(['100', '100']);
  } finally {
    await api.close();
    redis.disconnect();
  }
});
