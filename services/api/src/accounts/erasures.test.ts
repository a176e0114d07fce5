import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { EMAIL_EVENTS_QUEUE, engineQueues, REJECTED_EVENTS_QUEUE } from '@mailhook/core';
import { engineKeys } from '@mailhook/delivery';
import { aCampaignEvent, aClick, eventually } from '@mailhook/testing';
import type { ApiRig, TestAccount } from '../api-rig.suite.ts';
import { publishedEvents, startApi } from '../api-rig.suite.ts';
import { accountJobId } from '../intake/account-jobs.ts';
import { chunkIdOf } from '../intake/email-events-worker.ts';
import type { Erasure } from './erasures.ts';

const ANNA = 'anna@example.com';

describe('an erasure', () => {
  let api: ApiRig;
  let connection: Redis;
  let intake: Queue;
  let rejected: Queue;
  let chunks: Queue;
  let account: TestAccount;

  beforeEach(async () => {
    api = await startApi();
    connection = new Redis(api.redisUrl, { maxRetriesPerRequest: null });
    intake = new Queue(EMAIL_EVENTS_QUEUE, { connection, prefix: api.prefix });
    rejected = new Queue(REJECTED_EVENTS_QUEUE, { connection, prefix: api.prefix });
    const { queuePrefix } = engineKeys(api.prefix, 0, 'campaign');
    chunks = new Queue(engineQueues('campaign').chunks, { connection, prefix: queuePrefix });
    account = await api.newAccount();
    await api.as(account.token)('put', '/v3/webhook/campaign', { address: 'http://127.0.0.1:9/hook', active: true });
  });
  afterEach(async () => {
    await Promise.all([intake.close(), rejected.close(), chunks.close()]);
    connection.disconnect();
    await api.close();
  });

  const path = () => `/admin/accounts/${account.id}/erasures`;
  const start = async (wanted: object = { email: ANNA }) =>
    ((await api.admin('post', path(), wanted)).body as Erasure).id;
  const read = async (id: string) => (await api.admin('get', `${path()}/${id}`)).body as Erasure;
  const until = (id: string, holds: (erasure: Erasure) => boolean, what: string) =>
    eventually(async () => holds(await read(id)), { withinMs: 20_000, what });
  const finish = async (wanted?: object) => {
    const id = await start(wanted);
    await until(id, ({ finishedAt }) => finishedAt !== null, 'the end');
    return read(id);
  };
  const event = (email: string, more: object = {}) => ({ ...aCampaignEvent({ account: account.id, email }), ...more });
  const untilIn = (queue: Queue, id: string | undefined, state: string) =>
    eventually(async () => (await queue.getJobState(id ?? '')) === state, { what: `the job to be ${state}` });
  const dataOf = async (id: string | undefined) =>
    JSON.parse((await connection.hget(intake.toKey(id ?? ''), 'data')) ?? 'null') as unknown;

  /** A job that the worker gives up with its data, because its process seems to have ended in each run. */
  const addEndedJob = async (data: object) => {
    const { id = '', timestamp } = await intake.add('ended', data, { delay: 3_600_000 });
    await connection.hset(intake.toKey(id), 'stc', 3);
    await connection.set(`${intake.toKey(id)}:alone`, 2);
    await intake.promoteJobs();
    await untilIn(intake, id, 'failed');
    return { id, timestamp };
  };

  test('removes the events from rejected and failed jobs, and a retry of the rest publishes the others', async () => {
    const other = event('bob@example.com', { account: 'another' });
    await intake.add('invalid', {
      events: [event(ANNA, { timestamp: -1 }), event('Bob@example.com', { timestamp: -1 }), { ...other, email: ANNA }],
    });
    await eventually(async () => (await rejected.getWaitingCount()) === 3, { what: 'the rejected events' });
    const mixed = await addEndedJob({
      events: [event(' ANNA@example.com'), event('carl@example.com'), event('dora@example.com')],
    });
    const cut = await addEndedJob({ events: [event(ANNA), event('emil@example.com')], mailhook: { cut: 1 } });
    const alone = await addEndedJob({ events: [event(ANNA)], traceparent: 'x', mailhook: { cut: 1 } });
    const odd = await intake.add('odd shape', { event: [event(ANNA), event('fred@example.com')] });
    const broken = await intake.add('broken', { events: [] }, { delay: 3_600_000 });
    await connection.hset(intake.toKey(broken.id ?? ''), 'data', `{"events":[{"email":"${ANNA}"`);
    await intake.promoteJobs();
    for (const { id } of [odd, broken]) await untilIn(intake, id, 'failed');

    expect(await finish()).toMatchObject({
      removed: { waiting: 0, resends: 0, deadLetters: 0, rejected: 1, failedJobs: 4 },
      kept: { inFlight: 0, jobs: 0 },
    });
    const kept = (await rejected.getJobs(['waiting'])).map(
      ({ data }) => (data as { event: { email: string } }).event.email,
    );
    expect(kept.sort()).toEqual(['Bob@example.com', ANNA]);
    expect(await connection.zcard(`${api.prefix}:${REJECTED_EVENTS_QUEUE}-invalid`)).toBe(2);
    expect(await intake.getJob(alone.id)).toBeUndefined();
    expect(await dataOf(odd.id)).toMatchObject({ event: [{ email: 'fred@example.com' }] });
    // A job that cannot be read is left as it is (docs/privacy.md).
    expect(JSON.stringify(await dataOf(broken.id))).toContain(ANNA);

    // The slices of a job that was cut have shifted, so they need new chunk ids. The ids of others must not change.
    const ids = await Promise.all([mixed, cut].map(async ({ id }) => chunkIdOf((await intake.getJob(id))!)));
    expect(ids.map((id, i) => id === chunkIdOf([mixed, cut][i]!))).toEqual([true, false]);
    for (const { id } of [mixed, cut]) {
      await connection.hset(intake.toKey(id), 'stc', 0);
      await (await intake.getJob(id))?.retry('failed');
      await untilIn(intake, id, 'completed');
    }
    const published = (await publishedEvents(api)).map((one) => one.event['email']);
    expect(published.sort()).toEqual(['carl@example.com', 'dora@example.com', 'emil@example.com']);
  });

  test('leaves a failed job that an operator retries meanwhile to its run, and waits for its events', async () => {
    const { id } = await addEndedJob({ events: [event(ANNA)] });
    await intake.pause();
    await connection.hset(intake.toKey(id), 'stc', 0);
    await (await intake.getJob(id))?.retry('failed');
    const erasure = await start();
    await until(erasure, ({ kept }) => kept.jobs === 1, 'the retried job to count');
    await intake.resume();
    await untilIn(intake, id, 'completed');
    // Its chunk is as old as the job: no worker takes it here.
    await until(erasure, ({ kept }) => kept.jobs === 1 && kept.queued === 0, 'the chunk to count');
    expect((await read(erasure)).finishedAt).toBeNull();
    await Promise.all((await chunks.getWaiting()).map((job) => job.remove()));
    await until(erasure, ({ finishedAt }) => finishedAt !== null, 'the end');
  });

  test('waits for the job that an older one moves the events of an overfull account to', async () => {
    const stranger = await api.newAccount('stranger');
    await intake.pause();
    const mixed = await intake.add('mixed', {
      events: [event(ANNA), aCampaignEvent({ account: stranger.id, email: 'bob@example.com' })],
    });
    const id = await start();
    await until(id, ({ kept }) => kept.jobs === 1, 'the older job to count');
    // The account is over its limit, and no further rejected event can be kept.
    const { overfull } = engineKeys(api.prefix, 0, 'campaign');
    await connection.sadd(overfull, account.id);
    await connection.lpush(rejected.toKey('wait'), ...Array.from({ length: 10_000 }, (_, i) => `full-${i}`));
    await eventually(async () => (await api.post([event(ANNA)])).status === 429, { what: 'the account to be full' });
    // Events that were accepted until then are not what this test is about.
    await chunks.drain();
    await intake.resume();
    await untilIn(intake, mixed.id, 'completed');
    const moved = accountJobId(chunkIdOf(mixed), account.id);
    await untilIn(intake, moved, 'delayed');
    // A later search still counts it.
    await connection.hdel(`${api.prefix}:erasure:${id}`, 'jobs');
    await until(id, ({ kept }) => kept.jobs === 1, 'the moved job to count');
    expect((await read(id)).finishedAt).toBeNull();
    await (await intake.getJob(moved))?.remove();
    await until(id, ({ finishedAt }) => finishedAt !== null, 'the end');
  }, 60_000);

  test('of a notification searches rejected events by their messageId', async () => {
    const messages = ['m-1', 'm-2'].map((messageId) => ({ ...aClick({ account: account.id, messageId }), time: -1 }));
    await intake.add('invalid', { events: messages });
    await eventually(async () => (await rejected.getWaitingCount()) === 2, { what: 'the rejected events' });
    expect((await finish({ messageId: 'm-1' })).removed).toMatchObject({ rejected: 1, failedJobs: 0 });
    expect(await rejected.getWaitingCount()).toBe(1);
  });

  test('waits for older chunks of the account, however small, not for later or foreign ones', async () => {
    const stranger = await api.newAccount('stranger');
    await api.as(stranger.token)('put', '/v3/webhook/campaign', { address: 'http://127.0.0.1:9/hook', active: true });
    await api.post([aCampaignEvent({ account: stranger.id, email: ANNA })]);
    await api.post([event(ANNA)]);
    const [older] = (await chunks.getWaiting()).filter(({ data }) => JSON.stringify(data).includes(account.id));
    const id = await start();
    await until(id, ({ kept }) => kept.jobs === 1, 'the older chunk to count');
    // A busy account has chunks at every search. One of more than 100 kB counts.
    await api.post(Array.from({ length: 1000 }, (_, i) => event(`r${i}@example.com`)));
    await until(id, ({ kept }) => kept.queued === 1000, 'a search that sees the later chunk');
    expect(await read(id)).toMatchObject({ finishedAt: null, kept: { jobs: 1 } });
    await older?.remove();
    await until(id, ({ finishedAt }) => finishedAt !== null, 'the end');
    expect(await read(id)).toMatchObject({ kept: { jobs: 0, queued: 1000 } });
    // They go in a step after the end.
    const keys = () => connection.keys(`${api.prefix}:erasure:${id}:*`);
    await eventually(async () => (await keys()).length === 0, { what: 'the end of the lists of chunks' });
  });
});
