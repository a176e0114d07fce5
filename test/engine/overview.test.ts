import type { Overview } from '@mailhook/core';
import { createOverview } from '@mailhook/insight';
import type { FakeReceiver } from '@mailhook/testing';
import { aCampaignEvent, acknowledge, eventually, startReceiver, uniqueName } from '@mailhook/testing';
import type { Rig, RigOptions } from './rig.ts';
import { startRig } from './rig.ts';

const HOUR_MS = 3_600_000;
const batch = (count: number) =>
  Array.from({ length: count }, (_, i) => aCampaignEvent({ email: `r${i}@example.com` }));

describe('the overview is one reading', () => {
  let rig: Rig;
  let receiver: FakeReceiver;
  /** Answers the request that hangs. */
  let answer: (status: number) => void;

  async function start(options: Partial<RigOptions>): Promise<void> {
    rig = await startRig({ kind: 'campaign', breakerFailures: 1, ...options });
    await rig.startWorker();
  }
  beforeEach(async () => {
    receiver = await startReceiver();
  });
  afterEach(async () => {
    answer(500);
    await rig.close();
    await receiver.close();
  });

  const overviewOf = ({ installation }: Rig, aheadMs = 0): Promise<Overview> =>
    createOverview(installation, () => Date.now() + aheadMs)();
  const failFirst = (next: Promise<number>): void => {
    receiver.setReply(async () => ({ status: receiver.requests.length === 1 ? 500 : await next }));
  };
  const hanging = () => new Promise<number>((resolve) => (answer = resolve));
  const shownOf = ({ attention }: Overview) => attention.map(({ id, breaker }) => [id, breaker]);
  const newDestination = () => rig.destination(uniqueName('account'), receiver.url);

  test('a parked destination stays parked while its probe is in flight', async () => {
    failFirst(hanging());
    await start({ scheduleMs: [HOUR_MS], parkMaxMs: 100 });
    const { id } = await (async () => {
      const destination = await newDestination();
      await rig.publish(batch(1), destination);
      await receiver.waitForRequests(1);
      await rig.publish(batch(5), destination);
      return destination;
    })();
    await receiver.waitForRequests(2);
    const overview = await overviewOf(rig);
    expect(overview.totals).toMatchObject({ parked: 1, parkedEmpty: 0, paused: 0 });
    expect(shownOf(overview)).toEqual([[id, 'half-open']]);
  });

  test('a parked destination stays parked while one of its resends is in flight', async () => {
    failFirst(hanging());
    await start({ scheduleMs: [50, HOUR_MS], parkMaxMs: HOUR_MS });
    const destination = await newDestination();
    await rig.publish(batch(1), destination);
    await receiver.waitForRequests(2);
    const overview = await overviewOf(rig);
    expect(overview.totals).toMatchObject({ parked: 1, parkedEmpty: 0 });
    expect(shownOf(overview)).toEqual([[destination.id, 'open']]);
  });

  test('a parked destination without events needs no attention', async () => {
    failFirst(hanging());
    await start({ scheduleMs: [], parkMaxMs: HOUR_MS });
    const destination = await newDestination();
    await rig.publish(batch(1), destination);
    await eventually(async () => (await rig.redis.zscore(`${rig.base}parked`, destination.id)) !== null, {
      what: 'the parking',
    });
    const overview = await overviewOf(rig);
    expect(overview.totals).toMatchObject({ waiting: 0, parked: 1, parkedEmpty: 1 });
    expect(overview.attention).toEqual([]);
  });

  test('the oldest event has a listed destination, also if it waits in a resend of a recovered one', async () => {
    failFirst(hanging());
    await start({ scheduleMs: [HOUR_MS], parkMaxMs: 50 });
    const destination = await newDestination();
    await rig.publish(batch(1), destination);
    await receiver.waitForRequests(1);
    receiver.setReply((request) => acknowledge(request.json));
    await rig.publish(batch(3), destination);
    await receiver.waitForRequests(3);
    await rig.untilEmpty(destination.id);
    const overview = await overviewOf(rig, 120_000);
    expect(overview.totals).toMatchObject({ waiting: 1, resends: 1, parked: 0 });
    expect(overview.attention).toMatchObject([{ id: destination.id, breaker: 'closed', waiting: 1, resends: 1 }]);
    expect(overview.oldestWaiting).toContainEqual({
      kind: 'campaign',
      acceptedAt: overview.attention[0]?.oldestWaitingAt,
      destination: destination.id,
    });
  });

  test('an event in a chunk job that no worker takes is the oldest, without a destination', async () => {
    answer = () => undefined;
    rig = await startRig({ kind: 'campaign' });
    await rig.publish(batch(2), await newDestination());
    const overview = await overviewOf(rig);
    expect(overview.chunkJobs).toMatchObject([
      { kind: 'transactional', waiting: 0, oldestAt: null },
      { kind: 'campaign', waiting: 1, oldestAt: expect.any(String) as string },
    ]);
    expect(overview.oldestWaiting).toContainEqual({
      kind: 'campaign',
      acceptedAt: overview.chunkJobs[1]?.oldestAt,
      destination: null,
    });
  });
});
