import type { Destination } from '@mailhook/core';
import { closeRedis, connectRedis, whenReady } from '@mailhook/platform/redis';
import type { FakeReceiver } from '@mailhook/testing';
import { anOpen, eventually, startReceiver, testRedisUrl, uniqueName } from '@mailhook/testing';
import type { Rig } from './rig.ts';
import { startRig } from './rig.ts';

const SLOTS = 256;
const DESTINATIONS = 300;
const RUNS_MAX = 25;

async function withWorker<T>(work: (rig: Rig) => Promise<T>): Promise<T> {
  const rig = await startRig({ kind: 'transactional', limits: { slots: SLOTS } });
  try {
    await rig.startWorker();
    return await work(rig);
  } finally {
    await rig.close();
  }
}

/** Subscriptions of separate accounts, all with the same address. */
const subscriptions = (rig: Rig, address: string): Promise<Destination[]> =>
  Promise.all(Array.from({ length: DESTINATIONS }, () => rig.destination(uniqueName('sub'), address)));

/** Publishes one event per destination in one chunk. */
const publishToAll = (rig: Rig, destinations: readonly Destination[]): Promise<unknown> =>
  rig.publisher.publish(
    destinations.map(({ account, id }) => ({ event: { ...anOpen(), account }, destinations: [id] })),
  );

/** Delivers an event to each destination, and returns how often an empty ready list got a destination. */
async function readyCalls(receiver: FakeReceiver): Promise<number> {
  const client = connectRedis({ url: await testRedisUrl(), role: 'fail-fast', name: 'test', onError: () => undefined });
  try {
    await whenReady(client, 5000);
    return await withWorker(async (rig) => {
      let count = 0;
      client.on('message', () => (count += 1));
      await client.subscribe(`${rig.base}ready`);
      const before = receiver.requests.length;
      await publishToAll(rig, await subscriptions(rig, receiver.url));
      await receiver.waitForRequests(before + DESTINATIONS);
      return count;
    });
  } finally {
    await closeRedis(client);
  }
}

describe('a chunk with events for more idle destinations than a worker has slots for', () => {
  test('is appended in steps, so that every destination is claimed without waiting on a ready list', async () => {
    const receiver = await startReceiver();
    let runs = 1;
    // On an overloaded machine the receiver may look slow. Then destinations wait on a ready list after all.
    while ((await readyCalls(receiver)) > 0) expect((runs += 1)).toBeLessThan(RUNS_MAX);
    expect(receiver.requests).toHaveLength(runs * DESTINATIONS);
    expect(new Set(receiver.requests.map(({ headers }) => headers['webhook-id'])).size).toBe(runs * DESTINATIONS);
    await receiver.close();
  });

  test('does not wait for receivers that hang', async () => {
    const hanging = await startReceiver({ reply: () => ({ hang: 'reply' }) });
    const healthy = await startReceiver();
    await withWorker(async (rig) => {
      const last = await rig.destination(uniqueName('sub'), healthy.url);
      await publishToAll(rig, [...(await subscriptions(rig, hanging.url)), last]);
      await healthy.waitForRequests(1);
      await eventually(async () => (await rig.redis.llen(`${rig.base}ready`)) === 0, { what: 'an empty ready list' });
      await hanging.close();
    });
    await healthy.close();
  });
});
