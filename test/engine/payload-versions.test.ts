import type { Mechanism } from '@mailhook/core';
import { campaignBatch, engineQueues } from '@mailhook/core';
import type { FakeReceiver } from '@mailhook/testing';
import { acknowledge, aCampaignEvent, eventually, startReceiver } from '@mailhook/testing';
import type { Job } from 'bullmq';
import { Queue } from 'bullmq';
import {
  ACCOUNT,
  CAMPAIGN,
  largeRequestOf,
  readPayload,
  requestOf,
  SUBSCRIPTION,
  SUBSCRIPTION_2,
  TRACE,
} from './payload-versions.suite.ts';
import type { Rig, RigOptions } from './rig.ts';
import { startRig } from './rig.ts';

/** Longest wait of an event. The payloads are old, and their events must not expire. */
const FOR_EVER_MS = 3_000_000_000_000;

const emailsAt = (receiver: FakeReceiver): string[] =>
  receiver.requests.flatMap(({ json }) => campaignBatch.parse(json).map(({ email }) => email)).sort();

describe("today's workers process jobs that earlier versions left in Redis", () => {
  let receiver: FakeReceiver;
  const opened: { close(): Promise<unknown> }[] = [];
  beforeEach(async () => {
    receiver = await startReceiver();
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((one) => one.close()));
    await receiver.close();
  });

  async function openRig(options: RigOptions): Promise<Rig> {
    const rig = await startRig({ waitingMaxAgeMs: FOR_EVER_MS, ...options });
    opened.push(rig);
    return rig;
  }

  function queueOf(rig: Rig, name: string): Queue<Record<string, unknown>> {
    const queue = new Queue<Record<string, unknown>>(name, {
      connection: rig.redis,
      prefix: `{${rig.queuePrefix}:0}`,
    });
    opened.push(queue);
    return queue;
  }

  /** Puts a stored job into its queue, with `own` in place of some of its data, and waits for its end. */
  async function run(rig: Rig, name: string, own: Record<string, unknown> = {}, folder = 'v1'): Promise<Job> {
    const { queue: queueName, name: jobName, data } = readPayload(folder, name);
    const queue = queueOf(rig, queueName);
    const { id = '' } = await queue.add(jobName, { ...data, ...own }, { attempts: 5, backoff: 3_600_000 });
    return eventually(
      async () => {
        const job = await queue.getJob(id);
        return job?.finishedOn !== undefined && job;
      },
      { what: `the end of the ${name} job` },
    );
  }

  /** Starts a campaign rig with a receiver that has refused one event. */
  async function refused(options: Omit<RigOptions, 'kind'>): Promise<Rig> {
    const rig = await openRig({ kind: 'campaign', ...options });
    receiver.setReply(() => ({ status: 500 }));
    const destination = await rig.destination(ACCOUNT, receiver.url);
    await rig.startWorker();
    await rig.publish([aCampaignEvent({ email: 'refused@example.com' })], destination);
    await receiver.waitForRequests(1);
    return rig;
  }

  /** The job that today's engine has added to a queue. */
  const ownJob = (rig: Rig, queue: string, state: 'delayed' | 'failed'): Promise<Job<Record<string, unknown>>> =>
    eventually(async () => (await queueOf(rig, queue).getJobs([state]))[0], { what: `a ${state} job in ${queue}` });

  test.each(['v1', 'v2'])('chunks of %s of both queues, with both kinds of events in one', async (folder) => {
    const campaign = await openRig({ kind: 'campaign' });
    const transactional = await openRig({ kind: 'transactional', queuePrefix: campaign.queuePrefix });
    const notifications = await startReceiver();
    opened.push(notifications);
    await campaign.destination(ACCOUNT, receiver.url);
    await transactional.destination(ACCOUNT, notifications.url, { id: SUBSCRIPTION });
    await Promise.all([campaign.startWorker(), transactional.startWorker()]);

    expect((await run(campaign, 'campaign-chunks', {}, folder)).failedReason).toBeUndefined();
    await eventually(() => emailsAt(receiver).length >= 3, { what: 'the campaign events' });
    expect(emailsAt(receiver)).toEqual(['clicked@example.com', 'left@example.com', 'opened@example.com']);
    expect((await run(transactional, 'transactional-chunks', {}, folder)).failedReason).toBeUndefined();
    const requests = await notifications.waitForRequests(2);
    expect(requests.map(({ json }) => (json as { messageId: string }).messageId).sort()).toEqual([
      '<campaign@sender.example>',
      '<transactional@sender.example>',
    ]);
    // The id that the first job claimed still blocks a duplicate.
    await run(campaign, 'campaign-chunks', { acceptedAt: 1_790_000_001_000 }, folder);
    await eventually(() => emailsAt(receiver).length >= 5, { what: 'the events without an id' });
    expect(emailsAt(receiver).filter((email) => email === 'opened@example.com')).toHaveLength(1);
  });

  test.each(['campaign', 'transactional'] as const)(
    'chunks of v3 of the %s queue: each destination gets the events, and each notification has a unique id',
    async (kind) => {
      const campaign = await openRig({ kind: 'campaign' });
      const transactional = await openRig({ kind: 'transactional', queuePrefix: campaign.queuePrefix });
      const notifications = await startReceiver();
      opened.push(notifications);
      await campaign.destination(ACCOUNT, receiver.url);
      for (const id of [SUBSCRIPTION, SUBSCRIPTION_2])
        await transactional.destination(ACCOUNT, `${notifications.url}/${id}`, { id });
      await Promise.all([campaign.startWorker(), transactional.startWorker()]);
      const rig = kind === 'campaign' ? campaign : transactional;
      expect((await run(rig, `${kind}-chunks`, {}, 'v3')).failedReason).toBeUndefined();
      const requests = await notifications.waitForRequests(4);
      const sent = requests.map(
        ({ path, json, headers }) =>
          `${path} ${(json as { messageId: string }).messageId} ${String(headers['webhook-id'])}`,
      );
      expect(sent.sort()).toEqual([
        `/sub_payloads <${kind}-0@sender.example> msg_c0123456789abcdef_0_0`,
        `/sub_payloads <${kind}-1@sender.example> msg_c0123456789abcdef_1_0`,
        `/sub_payloads_2 <${kind}-0@sender.example> msg_c0123456789abcdef_0_1`,
        `/sub_payloads_2 <${kind}-1@sender.example> msg_c0123456789abcdef_1_1`,
      ]);
      if (kind === 'campaign') await eventually(() => emailsAt(receiver).length === 3, { what: 'the campaign events' });
    },
  );

  test('the wake-up of a resend', async () => {
    const rig = await refused({ scheduleMs: [3_600_000] });
    const own = await ownJob(rig, 'campaign-resends', 'delayed');
    expect(Object.keys(own.data)).toEqual(Object.keys(readPayload('v1', 'campaign-resends').data));
    receiver.setReply((request) => acknowledge(request.json));
    // Make the resend due, because a wake-up that comes too early does nothing.
    await rig.redis.zadd(`${rig.base}due`, 'XX', Date.now(), own.data['resend'] as string);
    expect((await run(rig, 'campaign-resends', { resend: own.data['resend'] })).failedReason).toBeUndefined();
    const [, second] = await receiver.waitForRequests(2);
    expect(second?.headers['webhook-attempt']).toBe('2');
  });

  test('the wake-up of a parked destination', async () => {
    const rig = await refused({ scheduleMs: [3_600_000], breakerFailures: 1, parkMaxMs: 3_600_000 });
    const own = await ownJob(rig, 'campaign-parks', 'delayed');
    expect(Object.keys(own.data)).toEqual(Object.keys(readPayload('v1', 'campaign-parks').data));
    const key = `${rig.base}d:${CAMPAIGN}`;
    await eventually(async () => (await rig.redis.hget(key, 'owner')) === '', { what: 'a destination of nobody' });
    await rig.publish([aCampaignEvent({ email: 'waited@example.com' })], await rig.destination(ACCOUNT, receiver.url));
    await eventually(async () => (await rig.redis.hget(key, 'ef')) === '1', { what: 'waiting mail' });
    receiver.setReply((request) => acknowledge(request.json));
    await rig.redis.hset(key, 'bu', '1');
    expect((await run(rig, 'campaign-parks')).failedReason).toBeUndefined();
    await eventually(() => emailsAt(receiver).includes('waited@example.com'), { what: 'the probe' });
  });

  test('a dead letter, which an operator retries', async () => {
    const rig = await refused({ scheduleMs: [] });
    const own = await ownJob(rig, 'campaign-dead-letters', 'failed');
    expect(Object.keys(own.data).sort()).toEqual(Object.keys(readPayload('v1', 'campaign-dead-letters').data).sort());
    const job = await run(rig, 'campaign-dead-letters', { deadLetter: own.data['deadLetter'] });
    expect(job.failedReason).toBe('1 event given up after 1 attempt: HTTP 500');
    receiver.setReply((request) => acknowledge(request.json));
    await job.retry('failed');
    const [, second] = await receiver.waitForRequests(2);
    expect(second?.headers['webhook-attempt']).toBe('2');
  });

  test.each(['campaign-chunks', 'campaign-resends', 'campaign-parks', 'campaign-dead-letters'])(
    'an unknown version in %s fails at once, is kept, and does not delay others',
    async (name) => {
      const rig = await openRig({ kind: 'campaign' });
      await rig.destination(ACCOUNT, receiver.url);
      await rig.startWorker();
      const job = await run(rig, name, { v: 4 });
      expect(job.failedReason).toMatch(/^malformed/);
      expect(job.attemptsMade).toBe(1);
      expect(await job.isFailed()).toBe(true);
      expect((await run(rig, 'campaign-chunks')).failedReason).toBeUndefined();
      await eventually(() => emailsAt(receiver).length === 3, { what: 'the events of the next job' });
    },
  );
});

describe("today's chunks equal the stored ones, so a change needs a new version", () => {
  test.each([
    ['campaign', 'v1', undefined],
    ['transactional', 'v1', undefined],
    ['campaign', 'v2', TRACE],
    ['transactional', 'v2', TRACE],
  ] as const)('%s chunks of %s', async (kind, folder, trace) => {
    const rig = await startRig({ kind });
    await rig.publisher.publish(requestOf(kind), 'c0123456789abcdef', trace);
    expect((await onlyChunk(rig, kind)).data).toEqual({
      ...readPayload(folder, `${kind}-chunks`).data,
      acceptedAt: expect.any(Number) as number,
    });
    await rig.close();
  });

  test.each(['campaign', 'transactional'] as const)('%s chunks of v3', async (kind) => {
    const rig = await startRig({ kind });
    await rig.publisher.publish(largeRequestOf(kind), 'c0123456789abcdef', TRACE);
    const data = (await onlyChunk(rig, kind)).data as { groups: unknown[][] };
    const groups = data.groups.map((group) => group.with(4, (group[4] as string[]).slice(0, 2)));
    const stored = readPayload('v3', `${kind}-chunks`).data;
    expect({ ...data, groups }).toEqual({ ...stored, acceptedAt: expect.any(Number) as number });
    await rig.close();
  });

  async function onlyChunk(rig: Rig, kind: Mechanism): Promise<Job> {
    const queue = new Queue(engineQueues(kind).chunks, { connection: rig.redis, prefix: `{${rig.queuePrefix}:0}` });
    const [job] = await queue.getJobs(['waiting', 'prioritized']);
    await queue.close();
    if (job === undefined) throw new Error(`no ${kind} chunk job`);
    return job;
  }
});
