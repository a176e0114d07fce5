import { campaignBatch } from '@mailhook/core';
import { createDestinationControl } from '@mailhook/delivery';
import { createEngineGauges, createFindDestination } from '@mailhook/insight';
import { createMetrics } from '@mailhook/platform/metrics';
import type { FakeReceiver } from '@mailhook/testing';
import { aCampaignEvent, acknowledge, aClick, eventually, startReceiver, uniqueName } from '@mailhook/testing';
import type { Rig } from './rig.ts';
import { startRig } from './rig.ts';

const HOUR_MS = 3_600_000;
const batch = (count: number) =>
  Array.from({ length: count }, (_, i) => aCampaignEvent({ email: `r${i}@example.com` }));
const controlOf = ({ installation }: Rig) => ({
  ...createDestinationControl(installation),
  find: createFindDestination(installation),
});
const gauge = ({ installation }: Rig): Promise<string> => {
  const metrics = createMetrics();
  createEngineGauges({ metrics, installation, kinds: ['campaign'] });
  return metrics.registry.getSingleMetricAsString('mailhook_destinations');
};
const inAnHour = () => Date.now() + HOUR_MS;

describe("operators' actions", () => {
  let rig: Rig;
  let control: ReturnType<typeof controlOf>;
  let receiver: FakeReceiver;
  beforeAll(async () => {
    rig = await startRig({ kind: 'campaign', breakerFailures: 1, parkMaxMs: HOUR_MS, scheduleMs: [HOUR_MS] });
    control = controlOf(rig);
    await rig.startWorker();
  });
  afterAll(() => rig.close());
  beforeEach(async () => {
    receiver = await startReceiver({ reply: (request) => acknowledge(request.json) });
  });
  afterEach(() => receiver.close());

  const newDestination = () => rig.destination(uniqueName('account'), receiver.url);
  const until = (id: string, state: Record<string, unknown>) =>
    eventually(
      async () => {
        const found: object | undefined = await control.find(id);
        return (
          found !== undefined && Object.entries(state).every(([name, value]) => Reflect.get(found, name) === value)
        );
      },
      { what: JSON.stringify(state) },
    );
  /** Waits until the worker that parks the destination has released it. */
  const untilHeld = (id: string) =>
    eventually(async () => (await rig.redis.zscore(`${rig.base}parked`, id)) !== null, { what: 'it to be held' });
  const parked = async (waiting: number) => {
    receiver.setReply(() => ({ status: 500 }));
    const destination = await newDestination();
    await rig.publish(batch(1), destination);
    await until(destination.id, { state: 'parked', resends: 1 });
    await untilHeld(destination.id);
    if (waiting > 0) await rig.publish(batch(waiting), destination);
    await until(destination.id, { waiting: waiting + 1 });
    return destination;
  };
  const received = () => receiver.requests.flatMap(({ json }) => campaignBatch.parse(json)).length;

  test('paused: nothing is sent until it is resumed, then everything', async () => {
    const destination = await newDestination();
    expect(await control.pause(destination.id, inAnHour())).toBe('paused');
    await untilHeld(destination.id);
    await rig.publish(batch(3), destination);
    await rig.publish(batch(4), destination);
    await until(destination.id, { state: 'paused', waiting: 7 });
    expect(receiver.requests).toHaveLength(0);
    const destinations = await gauge(rig);
    expect(destinations).toContain('mailhook_destinations{kind="campaign",state="paused"} 1');
    expect(destinations).toContain('mailhook_destinations{kind="campaign",state="parked"} 0');
    expect(await control.resume(destination.id)).toBe('resumed');
    await eventually(() => received() === 7, { what: 'all seven' });
    await until(destination.id, { state: 'idle', waiting: 0 });
    expect(await rig.redis.zscore(`${rig.base}parked`, destination.id)).toBeNull();
    expect(await control.resume(destination.id)).toBe('not paused');
  });

  test('a pause ends by itself', async () => {
    const destination = await newDestination();
    await control.pause(destination.id, inAnHour());
    await untilHeld(destination.id);
    await rig.publish(batch(5), destination);
    await until(destination.id, { state: 'paused', waiting: 5 });
    expect(receiver.requests).toHaveLength(0);
    expect(await control.pause(destination.id, Date.now() + 200)).toBe('paused');
    await eventually(() => received() === 5, { what: 'the end of the pause' });
    await until(destination.id, { state: 'idle' });
    expect((await rig.mailbox(destination.id)).state.pausedUntilMs).toBe(0);
  });

  test('paused with a request in flight: it ends, nothing follows, and a new address changes nothing', async () => {
    const replies: (() => void)[] = [];
    receiver.setReply(async (request) => {
      await new Promise<void>((resolve) => replies.push(resolve));
      return acknowledge(request.json);
    });
    const destination = await newDestination();
    await rig.publish(batch(1), destination);
    await receiver.waitForRequests(1);
    await control.pause(destination.id, inAnHour());
    await rig.publish(batch(2), destination);
    for (const reply of replies) reply();
    await until(destination.id, { state: 'paused', waiting: 2, inFlight: 0 });
    await untilHeld(destination.id);
    await rig.registry.save({ ...destination, address: `${receiver.url}/elsewhere`, version: 2 });
    await untilHeld(destination.id);
    await until(destination.id, { state: 'paused', waiting: 2 });
    expect(receiver.requests).toHaveLength(1);
  });

  test('a probe sends one event of many, and parks again when it fails', async () => {
    const destination = await parked(6);
    const before = await control.find(destination.id);
    expect(await control.probe(destination.id)).toBe('probed');
    const [, probe] = await receiver.waitForRequests(2);
    expect(campaignBatch.parse(probe?.json)).toHaveLength(1);
    await until(destination.id, { state: 'parked', failures: 2, resends: 2, waiting: 7 });
    expect(receiver.requests).toHaveLength(2);
    expect(String(before?.lastError)).toMatch(/500/);
  });

  test('a successful probe closes the breaker, and if only a resend waits, it is the probe', async () => {
    const destination = await parked(0);
    receiver.setReply((request) => acknowledge(request.json));
    expect(await control.probe(destination.id)).toBe('probed');
    await until(destination.id, { state: 'idle', resends: 0, failures: 0 });
    expect(await control.probe(destination.id)).toBe('not parked');
  });

  test('paused and parked: no probe, and after the pause it is still parked', async () => {
    const destination = await parked(2);
    await control.pause(destination.id, inAnHour());
    expect(await control.probe(destination.id)).toBe('paused');
    await control.resume(destination.id);
    await until(destination.id, { state: 'parked', waiting: 3 });
    expect(receiver.requests).toHaveLength(1);
  });

  test('given up: undelivered events become dead letters that can be re-driven, and new events are sent', async () => {
    const destination = await parked(2500);
    await control.pause(destination.id, inAnHour());
    // Two operators act at the same time.
    const answers = await Promise.all([control.drop(destination.id), control.drop(destination.id)]);
    expect(answers).toContain('dropped');
    const letters = async () =>
      (await rig.deadLetters.list({ account: destination.account }, { limit: 100 })).items.filter(
        ({ error }) => error.code === 'given-up',
      );
    const events = async () => (await letters()).reduce((sum, letter) => sum + letter.events, 0);
    await eventually(async () => (await events()) === 2501, { what: '2,501 dead events' });
    await until(destination.id, { state: 'paused', waiting: 0, resends: 0 });
    expect(await control.drop(destination.id)).toBe('empty');
    expect(receiver.requests).toHaveLength(1);

    receiver.setReply((request) => acknowledge(request.json));
    await control.resume(destination.id);
    await control.probe(destination.id);
    await rig.publish(batch(1), destination);
    await rig.deadLetters.redrive({ account: destination.account });
    await eventually(() => received() === 1 + 2501 + 1, { what: 'the new one, and what was dropped' });
  });

  test('paused and resumed at the same time: one action wins, and no event is lost', async () => {
    const destination = await newDestination();
    await rig.publish(batch(1), destination);
    await Promise.all([
      control.pause(destination.id, inAnHour()),
      control.resume(destination.id),
      control.pause(destination.id, inAnHour()),
      rig.publish(batch(9), destination),
    ]);
    await control.resume(destination.id);
    await eventually(() => received() === 10, { what: 'all ten' });
  });

  test('a deactivation ends the pause, and inactive or unknown destinations get different answers', async () => {
    const destination = await newDestination();
    await control.pause(destination.id, inAnHour());
    await untilHeld(destination.id);
    await rig.registry.save({ ...destination, active: false, inactiveReason: 'off', version: 2 });
    expect(await control.find(destination.id)).toMatchObject({ state: 'inactive', inactiveReason: 'off' });
    expect(await control.pause(destination.id, inAnHour())).toBe('inactive');
    await rig.registry.save({ ...destination, version: 3 });
    await rig.publish(batch(1), destination);
    await eventually(() => received() === 1, { what: 'the event' });
    expect(await control.pause('campaign-nobody', inAnHour())).toBe('unknown');
    expect(await control.find('nothing')).toBeUndefined();
  });
});

test('notifications: resends that are due during a pause wait too', async () => {
  const receiver = await startReceiver({ reply: () => ({ status: 500 }) });
  const rig = await startRig({ kind: 'transactional', scheduleMs: [500, 500, 500] });
  const control = controlOf(rig);
  try {
    await rig.startWorker();
    const destination = await rig.destination(uniqueName('account'), receiver.url);
    await rig.publish([aClick()], destination);
    await eventually(async () => (await control.find(destination.id))?.resends === 1, { what: 'the resend' });
    await control.pause(destination.id, inAnHour());
    await eventually(async () => (await rig.redis.zcard(`${rig.base}due`)) === 0, { what: 'the resend to be due' });
    await eventually(async () => (await rig.mailbox(destination.id)).state.dueResends === 1, { what: 'it to wait' });
    const tried = receiver.requests.length;
    receiver.setReply(() => ({ status: 200 }));
    expect(await control.find(destination.id)).toMatchObject({ state: 'paused', waiting: 1, resends: 1 });
    expect(receiver.requests).toHaveLength(tried);
    await control.resume(destination.id);
    await eventually(async () => (await control.find(destination.id))?.state === 'idle', { what: 'the delivery' });
    expect(receiver.requests).toHaveLength(tried + 1);
  } finally {
    await rig.close();
    await receiver.close();
  }
});
