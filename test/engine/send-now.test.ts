import { createDestinationControl } from '@mailhook/delivery';
import { createFindDestination } from '@mailhook/insight';
import type { Destination } from '@mailhook/core';
import type { FakeReceiver } from '@mailhook/testing';
import { anOpen, eventually, startReceiver, uniqueName } from '@mailhook/testing';
import type { Rig, RigOptions } from './rig.ts';
import { startRig } from './rig.ts';

const HOUR_MS = 3_600_000;
const FAILED = 300;
/** Most resends that a failing receiver may cost an attempt: those of one page, and those in flight. */
const WASTED_MAX = 150;

describe('"send now"', () => {
  let rig: Rig;
  let receiver: FakeReceiver;
  let delivered: string[];
  /** Decides about each request by the number of requests that succeeded. */
  let succeeds: (soFar: number) => boolean;

  const start = async (options: Partial<RigOptions> = {}): Promise<void> => {
    rig = await startRig({ kind: 'transactional', scheduleMs: [HOUR_MS, HOUR_MS, HOUR_MS, HOUR_MS], ...options });
  };
  beforeEach(async () => {
    delivered = [];
    succeeds = () => false;
    receiver = await startReceiver({
      reply: ({ json }) => {
        if (!succeeds(delivered.length)) return { status: 500 };
        delivered.push((json as { messageId: string }).messageId);
        return { status: 200 };
      },
    });
  });
  afterEach(async () => {
    await rig.close();
    await receiver.close();
  });

  const control = () => createDestinationControl(rig.installation);
  const state = async ({ id }: Destination) => (await createFindDestination(rig.installation)(id))!;
  const ids = (count: number) => Array.from({ length: count }, (_, i) => `m${i}`);
  const failing = async (count: number): Promise<Destination> => {
    const destination = await rig.destination(uniqueName('sub'), receiver.url);
    await rig.publish(
      ids(count).map((messageId) => anOpen({ messageId })),
      destination,
    );
    await eventually(
      async () => {
        const { resends, inFlight } = await state(destination);
        return resends === count && inFlight === 0;
      },
      { what: 'a resend of each event', withinMs: 60_000 },
    );
    return destination;
  };
  const arrived = (count: number) =>
    eventually(() => delivered.length >= count, { what: `${count} events`, withinMs: 30_000 });
  const atRest = (destination: Destination) =>
    eventually(async () => ['idle', 'waiting', 'parked'].includes((await state(destination)).state), {
      what: 'a destination without an owner',
    });

  test('all resends are sent at once, each event once, and none waits for its schedule', async () => {
    await start();
    await rig.startWorker();
    const destination = await failing(FAILED);
    succeeds = () => true;
    expect(await control().sendNow(destination.id)).toBe('sending');
    await arrived(FAILED);
    expect(delivered.sort()).toEqual(ids(FAILED).sort());
    await eventually(async () => (await state(destination)).state === 'idle', { what: 'an empty mailbox' });
    expect((await rig.mailbox(destination.id)).state.sendNow).toBe('');
  });

  test('a receiver that still fails costs one resend an attempt, and the rest follows its first success', async () => {
    await start();
    await rig.startWorker();
    const destination = await failing(FAILED);
    await control().sendNow(destination.id);
    await receiver.waitForRequests(FAILED + 1);
    await atRest(destination);
    expect(receiver.requests).toHaveLength(FAILED + 1);
    succeeds = () => true;
    await rig.publish([anOpen({ messageId: 'new' })], destination);
    await arrived(FAILED + 1);
    expect(delivered.sort()).toEqual(['new', ...ids(FAILED)].sort());
  });

  test('a receiver that fails half way stops the rest', async () => {
    await start();
    await rig.startWorker();
    const count = 600;
    const destination = await failing(count);
    succeeds = (soFar) => soFar < 250;
    await control().sendNow(destination.id);
    await arrived(250);
    await atRest(destination);
    await eventually(async () => (await state(destination)).resends === count - 250, { what: 'the other resends' });
    expect(receiver.requests.length - count - 250).toBeLessThan(WASTED_MAX);
    succeeds = () => true;
    await control().sendNow(destination.id);
    await arrived(count);
    expect(delivered.sort()).toEqual(ids(count).sort());
  });

  test('while parked, one resend is the probe, and the others follow when it succeeds', async () => {
    await start({ breakerFailures: 5, parkMaxMs: HOUR_MS });
    await rig.startWorker();
    const destination = await rig.destination(uniqueName('sub'), receiver.url);
    await rig.publish(
      ids(20).map((messageId) => anOpen({ messageId })),
      destination,
    );
    await eventually(async () => (await state(destination)).state === 'parked', { what: 'the parking' });
    succeeds = () => true;
    expect(await control().sendNow(destination.id)).toBe('sending');
    await arrived(20);
    await eventually(async () => (await state(destination)).state === 'idle', { what: 'an empty mailbox' });
  });

  test('a worker that stops half way leaves the rest to the next one', async () => {
    await start();
    const first = await rig.startWorker();
    const destination = await failing(FAILED);
    succeeds = () => true;
    await control().sendNow(destination.id);
    await arrived(20);
    await first.close();
    await rig.startWorker();
    await arrived(FAILED);
    expect(new Set(delivered)).toEqual(new Set(ids(FAILED)));
  });

  test('says why it cannot', async () => {
    await start();
    const destination = await rig.destination(uniqueName('sub'), receiver.url);
    expect(await control().sendNow('unknown')).toBe('unknown');
    await control().pause(destination.id, Date.now() + HOUR_MS);
    expect(await control().sendNow(destination.id)).toBe('paused');
    await rig.registry.save({ ...destination, active: false, version: 2 });
    expect(await control().sendNow(destination.id)).toBe('inactive');
  });
});

describe("a customer's pause", () => {
  test('a customer ends and changes only a pause by a customer, an operator each', async () => {
    const rig = await startRig({ kind: 'transactional' });
    try {
      const control = createDestinationControl(rig.installation);
      const find = createFindDestination(rig.installation);
      const { id } = await rig.destination(uniqueName('sub'), 'http://127.0.0.1:9/');
      const later = Date.now() + HOUR_MS;
      expect(await control.pause(id, later, 'customer')).toBe('paused');
      expect(await find(id)).toMatchObject({ state: 'paused', pausedBy: 'customer' });
      expect(await control.pause(id, later + 1, 'customer')).toBe('paused');
      expect(await control.resume(id, 'customer')).toBe('resumed');
      expect(await control.pause(id, later)).toBe('paused');
      expect(await find(id)).toMatchObject({ pausedBy: 'operator' });
      expect(await control.resume(id, 'customer')).toBe('paused by an operator');
      expect(await control.pause(id, later, 'customer')).toBe('paused by an operator');
      expect(await control.resume(id)).toBe('resumed');
      expect(await control.pause(id, later, 'customer')).toBe('paused');
      expect(await control.pause(id, later)).toBe('paused');
      expect(await find(id)).toMatchObject({ pausedBy: 'operator' });
    } finally {
      await rig.close();
    }
  });
});
