import type { FakeReceiver } from '@mailhook/testing';
import { acknowledge, aCampaignEvent, eventually, startReceiver } from '@mailhook/testing';
import { Queue } from 'bullmq';
import { startRig } from './rig.ts';

const DATA = {
  'campaign-chunks': {
    acceptedAt: 1_790_000_000_000,
    groups: [['campaign', 'campaign-account', 'account', 'f', ['0001{"hash":"h"'], null]],
  },
  'campaign-resends': { destination: 'campaign-account', resend: 'r1', attempt: 2 },
  'campaign-parks': { destination: 'campaign-account' },
  'campaign-dead-letters': {
    deadLetter: 'p1',
    account: 'account',
    destination: 'campaign-account',
    kind: 'campaign',
    events: 1,
    attempts: 1,
    error: 'HTTP 500',
  },
};

describe('a job of an unknown version', () => {
  let receiver: FakeReceiver;
  beforeEach(async () => {
    receiver = await startReceiver();
    receiver.setReply((request) => acknowledge(request.json));
  });
  afterEach(() => receiver.close());

  test.each(Object.entries(DATA))('in %s fails, is kept, and does not delay others', async (name, data) => {
    const rig = await startRig({ kind: 'campaign' });
    const destination = await rig.destination('account', receiver.url);
    const queue = new Queue(name, { connection: rig.redis, prefix: `{${rig.queuePrefix}:0}` });
    const job = await queue.add('any', { v: 2, ...data }, { attempts: 5, backoff: 3_600_000 });
    await rig.startWorker();
    await eventually(() => job.isFailed(), { what: 'the failed job' });
    const failed = await queue.getJob(job.id ?? '');
    expect(failed).toMatchObject({ attemptsMade: 1, data: { v: 2, ...data } });
    expect(failed?.failedReason).toMatch(/^malformed/);
    await rig.publish([aCampaignEvent({ email: 'next@example.com' })], destination);
    const [request] = await receiver.waitForRequests(1);
    expect(request?.json).toMatchObject([{ email: 'next@example.com' }]);
    await queue.close();
    await rig.close();
  });
});
