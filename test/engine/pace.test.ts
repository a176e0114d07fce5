import { limitsOf } from '@mailhook/core';
import { aCampaignEvent, acknowledge, anOpen, startReceiver, uniqueName } from '@mailhook/testing';
import type { FakeReceiver } from '@mailhook/testing';
import type { RigOptions } from './rig.ts';
import { startRig } from './rig.ts';

/** How much earlier than its turn a request may start, because the one before it was late (`drain.ts`). */
const CATCH_UP_MS = 50;

/** The least time that this many requests take under a pace. A slow machine only makes it longer. */
const leastMs = (requests: number, pace: number, owners = 1): number => (requests * 1000) / pace - owners * CATCH_UP_MS;

const idsOf = ({ requests }: FakeReceiver) => new Set(requests.map(({ headers }) => headers['webhook-id']));

describe('a destination with a limit of requests per second', () => {
  let receiver: FakeReceiver;
  beforeEach(async () => {
    receiver = await startReceiver();
  });
  afterEach(() => receiver.close());
  const setUp = (options: Partial<RigOptions> = {}) => startRig({ kind: 'transactional', ...options });

  it('gets no more than that, and every event once', async () => {
    const rig = await setUp();
    const destination = await rig.destination(uniqueName('account'), receiver.url, {
      limits: limitsOf({ maxRequestsPerSecond: 20 }),
    });
    await rig.startWorker();
    const startMs = performance.now();
    await rig.publish(
      Array.from({ length: 30 }, () => anOpen()),
      destination,
    );
    await receiver.waitForRequests(30);
    expect(performance.now() - startMs).toBeGreaterThan(leastMs(30, 20));
    expect([idsOf(receiver).size, receiver.requests.length]).toEqual([30, 30]);
    await rig.close();
  });

  it('gets its batches at this pace too', async () => {
    receiver.setReply((request) => acknowledge(request.json));
    const rig = await setUp({ kind: 'campaign', limits: { batchMax: 10 } });
    const destination = await rig.destination(uniqueName('account'), receiver.url, {
      limits: limitsOf({ maxRequestsPerSecond: 5 }),
    });
    await rig.startWorker();
    const startMs = performance.now();
    await rig.publish(
      Array.from({ length: 60 }, () => aCampaignEvent()),
      destination,
    );
    await receiver.waitForRequests(6);
    expect(performance.now() - startMs).toBeGreaterThan(leastMs(6, 5));
    expect(receiver.requests.map(({ json }) => (json as unknown[]).length)).toEqual([10, 10, 10, 10, 10, 10]);
    await rig.close();
  });

  it('gets resends at this pace, too', async () => {
    receiver.setReply(() => ({ status: 500 }));
    const rig = await setUp({ scheduleMs: [1, 1] });
    const destination = await rig.destination(uniqueName('account'), receiver.url, {
      limits: limitsOf({ maxRequestsPerSecond: 10 }),
    });
    await rig.startWorker();
    const startMs = performance.now();
    await rig.publish(
      Array.from({ length: 4 }, () => anOpen()),
      destination,
    );
    await receiver.waitForRequests(12);
    expect(performance.now() - startMs).toBeGreaterThan(leastMs(12, 10));
    await rig.close();
  });

  it('gets them at this pace when another worker goes on', async () => {
    const rig = await setUp();
    const destination = await rig.destination(uniqueName('account'), receiver.url, {
      limits: limitsOf({ maxRequestsPerSecond: 5 }),
    });
    const first = await rig.startWorker();
    const startMs = performance.now();
    await rig.publish(
      Array.from({ length: 10 }, () => anOpen()),
      destination,
    );
    await receiver.waitForRequests(4);
    await Promise.all([first.close(), rig.startWorker()]);
    await receiver.waitForRequests(10);
    expect(performance.now() - startMs).toBeGreaterThan(leastMs(10, 5, 2));
    expect([idsOf(receiver).size, receiver.requests.length]).toEqual([10, 10]);
    await rig.close();
  });

  it('does not delay others, even when it fills the only slot', async () => {
    const rig = await setUp({ limits: { slots: 1 } });
    const other = await startReceiver();
    const paced = await rig.destination(uniqueName('paced'), receiver.url, {
      limits: limitsOf({ maxRequestsPerSecond: 2 }),
    });
    const free = await rig.destination(uniqueName('free'), other.url);
    await rig.startWorker();
    await rig.publish(
      Array.from({ length: 8 }, () => anOpen()),
      paced,
    );
    await receiver.waitForRequests(1);
    await rig.publish(
      Array.from({ length: 100 }, () => anOpen()),
      free,
    );
    await other.waitForRequests(100);
    expect(receiver.requests.length).toBeLessThan(8);
    await receiver.waitForRequests(8);
    await other.close();
    await rig.close();
  });

  it('gets all of them at once after the limit is gone', async () => {
    const rig = await setUp();
    const destination = await rig.destination(uniqueName('account'), receiver.url, {
      limits: limitsOf({ maxRequestsPerSecond: 1 }),
    });
    await rig.startWorker();
    await rig.publish(
      Array.from({ length: 200 }, () => anOpen()),
      destination,
    );
    await receiver.waitForRequests(1);
    // As the api writes it: settings do not raise the version of the record.
    await rig.registry.save({ ...destination, limits: limitsOf({}) });
    await receiver.waitForRequests(200);
    await rig.close();
  });
});
