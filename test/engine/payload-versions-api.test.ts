import { DEACTIVATIONS_QUEUE } from '@mailhook/core';
import { eventually } from '@mailhook/testing';
import type { JobsOptions } from 'bullmq';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import type { ApiRig, TestAccount } from '../../services/api/src/api-rig.suite.ts';
import { publishedEvents, startApi } from '../../services/api/src/api-rig.suite.ts';
import { ACCOUNT, readPayload } from './payload-versions.suite.ts';

describe("today's api processes jobs that version 1 left in Redis", () => {
  const address = 'https://example.com/campaign';
  let api: ApiRig;
  let account: TestAccount;
  let connection: Redis;
  const queues: Queue[] = [];

  beforeAll(async () => {
    api = await startApi();
    connection = new Redis(api.redisUrl, { maxRetriesPerRequest: null });
  });
  afterAll(async () => {
    await Promise.all(queues.map((queue) => queue.close()));
    connection.disconnect();
    await api.close();
  });
  beforeEach(async () => {
    account = await api.newAccount();
    await api.as(account.token)('put', '/v3/webhook/campaign', { address });
  });

  /** Puts a stored job into its queue, for this run's account, and waits for its end. */
  async function run(name: string, own: Record<string, unknown> = {}, options: JobsOptions = {}) {
    const stored = readPayload('v1', name);
    const data = JSON.parse(JSON.stringify(stored.data).replaceAll(ACCOUNT, account.id)) as Record<string, unknown>;
    const queue = new Queue(stored.queue, { connection, prefix: api.prefix });
    queues.push(queue);
    const { id = '' } = await queue.add(stored.name, { ...data, ...own }, options);
    return eventually(
      async () => {
        const job = await queue.getJob(id);
        return job?.finishedOn !== undefined && job;
      },
      { what: `the end of the ${name} job` },
    );
  }

  const campaign = async () => (await api.as(account.token)('get', '/v3/webhook/campaign')).body as object;

  test('events that a producer put into Redis', async () => {
    await api.subscribe(account, 'bounce');
    expect((await run('email-events')).returnvalue).toEqual({ accepted: 2, rejected: 0 });
    const published = (await publishedEvents(api)).filter((one) => one.account === account.id);
    expect(published.map(({ event }) => event['name'] ?? event['event']).sort()).toEqual(['bounce', 'open']);
  });

  test('a destination that a 410 deactivated', async () => {
    expect((await run(DEACTIVATIONS_QUEUE)).failedReason).toBeUndefined();
    expect(await campaign()).toMatchObject({ address, active: false });
  });

  test('a deactivation of an unknown version fails at once, is kept, and does not delay others', async () => {
    const job = await run(DEACTIVATIONS_QUEUE, { v: 2 }, { attempts: 1_000_000, backoff: 3_600_000 });
    expect(job.failedReason).toMatch(/^not a deactivation/);
    expect(job.attemptsMade).toBe(1);
    expect(await campaign()).toMatchObject({ active: true });
    await run(DEACTIVATIONS_QUEUE);
    expect(await campaign()).toMatchObject({ active: false });
  });
});
