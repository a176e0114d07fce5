import type { FakeReceiver } from '@mailhook/testing';
import { anOpen, eventually, startReceiver, uniqueName } from '@mailhook/testing';
import type { Rig } from './rig.ts';
import { startRig } from './rig.ts';

/**
 * With a worker's clock hours ahead of the clock of Redis or behind it, schedules and parkings still last as long as
 * they should.
 */
describe.each([
  ['ahead', 10 * 3_600_000],
  ['behind', -10 * 3_600_000],
])('a worker with its clock %s', (_where, skewMs) => {
  let rig: Rig;
  let receiver: FakeReceiver;
  const realNow = Date.now.bind(Date);
  beforeAll(async () => {
    jest.spyOn(Date, 'now').mockImplementation(() => realNow() + skewMs);
    rig = await startRig({ kind: 'transactional', breakerFailures: 1, scheduleMs: [3_600_000], parkMaxMs: 3_600_000 });
    await rig.startWorker();
    receiver = await startReceiver();
  });
  afterAll(async () => {
    await rig.close();
    await receiver.close();
    jest.restoreAllMocks();
  });

  test('neither uses up the schedule nor parks in a busy loop', async () => {
    receiver.setReply(() => ({ status: 500 }));
    const destination = await rig.destination(uniqueName('account'), receiver.url);
    await rig.publish([anOpen()], destination);
    await receiver.waitForRequests(1);
    const parks = `${rig.base.replace(/t:$/, '')}transactional-parks:id`;
    await eventually(() => rig.redis.get(parks), { what: 'the job that ends the parking' });
    const leftMs = (await rig.mailbox(destination.id)).state.parkedUntilMs - realNow();
    expect(leftMs).toBeGreaterThan(2000);
    expect(leftMs).toBeLessThanOrEqual(5100);
    receiver.setReply(() => ({ status: 200 }));
    await rig.publish([anOpen()], destination);
    // At the end of the parking, its job or a heartbeat starts the probe.
    const [first, probe] = await receiver.waitForRequests(2, 25_000);
    expect(probe?.headers['webhook-id']).not.toBe(first?.headers['webhook-id']);
    expect(receiver.requests.map(({ headers }) => headers['webhook-attempt'])).toEqual(['1', '1']);
    expect(Number(await rig.redis.get(parks))).toBeLessThanOrEqual(3);
    expect(await rig.redis.zcard(`${rig.base}due`)).toBe(1);
  }, 60_000);
});
