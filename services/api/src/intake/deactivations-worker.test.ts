import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { DEACTIVATIONS_QUEUE } from '@mailhook/core';
import type { DeactivationJob } from '@mailhook/core';
import { Installation } from '@mailhook/delivery';
import { readMailbox } from '@mailhook/delivery/mailbox';
import { anOpen, eventually } from '@mailhook/testing';
import { publishedEvents, startApi } from '../api-rig.suite.ts';
import type { ApiRig, TestAccount } from '../api-rig.suite.ts';

describe('a receiver that answered 410', () => {
  let api: ApiRig;
  let connection: Redis;
  let queue: Queue<DeactivationJob>;
  let account: TestAccount;
  beforeAll(async () => {
    api = await startApi();
    connection = new Redis(api.redisUrl, { maxRetriesPerRequest: null });
    queue = new Queue(DEACTIVATIONS_QUEUE, { connection, prefix: api.prefix });
    account = await api.newAccount();
  });
  afterAll(async () => {
    await queue.close();
    connection.disconnect();
    await api.close();
  });

  const reason = 'the receiver answered HTTP 410 Gone';
  const told = async (job: Omit<DeactivationJob, 'v' | 'account' | 'reason'>) => {
    const { id } = await queue.add('gone', { v: 1, account: account.id, reason, ...job });
    await eventually(async () => (await queue.getJobState(id ?? '')) === 'completed', { what: 'the deactivation' });
  };

  const versionOf = async (id: string): Promise<number> => {
    const keys = new Installation(connection, api.prefix, 1).keysOf(account.id, kindOf(id));
    return (await readMailbox(connection, keys, id)).record?.version ?? 0;
  };
  const kindOf = (id: string) => (id.startsWith('campaign-') ? 'campaign' : 'transactional');

  it('switches off the subscription, but only in the version of the 410', async () => {
    const id = await api.subscribe(account, 'open');
    const read = async () =>
      (await api.as(account.token)('get', `/v3/webhook/subscriptions/${id}`)).body as { active: boolean };
    await told({ destination: id, kind: 'transactional', version: 7 });
    expect(await read()).toMatchObject({ active: true });
    await told({ destination: id, kind: 'transactional', version: await versionOf(id) });
    expect(await read()).toEqual({
      id,
      active: false,
      address: 'http://127.0.0.1:9/hook',
      type: 'open',
      module: 'transactional_email',
    });
    await api.post(anOpen({ account: account.id }));
    expect(await publishedEvents(api)).toEqual([]);
  });

  it('of an unknown version fails, is kept, and does not delay others', async () => {
    const destination = await api.subscribe(account, 'click');
    const data = { account: account.id, reason, destination, kind: 'transactional', version: 1 } as const;
    const unknown = { v: 2, ...data } as unknown as DeactivationJob;
    const job = await queue.add('gone', unknown, { attempts: 1_000_000, backoff: 3_600_000 });
    await eventually(() => job.isFailed(), { what: 'the failed job' });
    expect(await queue.getJob(job.id ?? '')).toMatchObject({
      attemptsMade: 1,
      failedReason: expect.stringMatching(/^not a deactivation/) as string,
    });
    await told({ destination, kind: 'transactional', version: 1 });
  });

  it('switches off the campaign webhook with its reason, which a new activation clears', async () => {
    const call = api.as(account.token);
    const address = 'https://example.com/campaign';
    await call('put', '/v3/webhook/campaign', { address });
    const destination = `campaign-${account.id}`;
    await told({ destination, kind: 'campaign', version: await versionOf(destination) });
    expect((await call('get', '/v3/webhook/campaign')).body).toEqual({
      address,
      active: false,
      inactiveReason: reason,
    });
    expect((await call('put', '/v3/webhook/campaign', { address, active: true })).body).toEqual({
      address,
      active: true,
    });
  });
});
