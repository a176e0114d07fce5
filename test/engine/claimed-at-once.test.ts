import type { Destination } from '@mailhook/core';
import { connectRedis, subscribe, whenReady } from '@mailhook/platform/redis';
import { anOpen, eventually, startReceiver, testRedisUrl, uniqueName } from '@mailhook/testing';
import type { Rig } from './rig.ts';
import { startRig } from './rig.ts';

const SLOTS = 256;
const DESTINATIONS = 500;

/** Subscriptions of separate accounts, all with the same address. */
const subscriptions = (rig: Rig, address: string, count = DESTINATIONS): Promise<Destination[]> =>
  Promise.all(Array.from({ length: count }, () => rig.destination(uniqueName('sub'), address)));

/** Publishes one event per destination in one chunk. */
const publishToAll = (rig: Rig, destinations: readonly Destination[]): Promise<unknown> =>
  rig.publisher.publish(
    destinations.map(({ account, id }) => ({ event: { ...anOpen(), account }, destinations: [id] })),
  );

describe('a chunk with events for more idle destinations than a worker has slots for', () => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await startRig({ kind: 'transactional', limits: { slots: SLOTS } });
    await rig.startWorker();
  });
  afterAll(() => rig.close());

  test('is appended in steps, so that every destination is claimed without waiting on a ready list', async () => {
    const subscriber = connectRedis({
      url: await testRedisUrl(),
      role: 'fail-fast',
      name: 'test',
      onError: () => undefined,
    });
    await whenReady(subscriber, 5000);
    // A worker is called when a ready list is no longer empty.
    let calls = 0;
    const onMessage = (): void => void (calls += 1);
    const subscription = await subscribe({ client: subscriber, channel: `${rig.base}ready`, onMessage });
    const receiver = await startReceiver();
    // If this machine stands still for 200 ms, the destinations wait on a ready list after all.
    for (let run = 1; run === 1 || (calls > 0 && run <= 5); run += 1) {
      calls = 0;
      await publishToAll(rig, await subscriptions(rig, receiver.url));
      await receiver.waitForRequests(run * DESTINATIONS);
    }
    expect(calls).toBe(0);
    expect(new Set(receiver.requests.map(({ headers }) => headers['webhook-id'])).size).toBe(receiver.requests.length);
    subscription.close();
    subscriber.disconnect();
    await receiver.close();
  });

  test('does not wait for receivers that hang', async () => {
    const hanging = await startReceiver({ reply: () => ({ hang: 'reply' }) });
    const healthy = await startReceiver();
    const last = await rig.destination(uniqueName('sub'), healthy.url);
    await publishToAll(rig, [...(await subscriptions(rig, hanging.url)), last]);
    await healthy.waitForRequests(1);
    await eventually(async () => (await rig.redis.llen(`${rig.base}ready`)) === 0, { what: 'an empty ready list' });
    await hanging.close();
    await healthy.close();
  });
});
