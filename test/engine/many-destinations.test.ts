import type { Destination } from '@mailhook/core';
import { version1Route } from '@mailhook/core';
import { anOpen, eventually, startReceiver, uniqueName } from '@mailhook/testing';
import type { Rig } from './rig.ts';
import { startRig } from './rig.ts';

const SLOTS = 256;
const DESTINATIONS = 300;

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
    destinations.map(({ account, id }) => ({ event: { ...anOpen(), account }, destinations: [id].map(version1Route) })),
  );

describe('a chunk with events for more idle destinations than a worker has slots for', () => {
  test('reaches every destination once', async () => {
    const receiver = await startReceiver();
    await withWorker(async (rig) => {
      await publishToAll(rig, await subscriptions(rig, receiver.url));
      await receiver.waitForRequests(DESTINATIONS);
    });
    expect(receiver.requests).toHaveLength(DESTINATIONS);
    expect(new Set(receiver.requests.map(({ headers }) => headers['webhook-id'])).size).toBe(DESTINATIONS);
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
