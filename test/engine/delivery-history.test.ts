import { createDeliveryHistory, createReadDestinations } from '@mailhook/insight';
import { aCampaignEvent, acknowledge, anOpen, eventually, startReceiver, uniqueName } from '@mailhook/testing';
import type { Rig } from './rig.ts';
import { startRig } from './rig.ts';

const reader = (rig: Rig, kind: 'campaign' | 'transactional', account: string, id: string) => async () => {
  const found = (await createDeliveryHistory(rig.installation).read(account, [id], Date.now())).get(id);
  const views = await createReadDestinations(rig.installation)(account, [{ id, kind }]);
  const sum = (of: 'events' | 'delivered' | 'failed') => found?.reduce((total, hour) => total + hour[of], 0);
  return {
    events: sum('events'),
    delivered: sum('delivered'),
    failed: sum('failed'),
    waiting: views.get(id)?.undelivered,
  };
};

const events = (count: number) => Array.from({ length: count }, () => aCampaignEvent());

describe('the last 24 hours of a destination', () => {
  test('a campaign: delivered events, failed attempts, and waiting events with resends', async () => {
    const rig = await startRig({ kind: 'campaign', scheduleMs: [3_600_000], breakerFailures: 1, parkMaxMs: 3_600_000 });
    const receiver = await startReceiver({ reply: (request) => acknowledge(request.json, (_event, i) => i < 2) });
    const account = uniqueName('account');
    const destination = await rig.destination(account, receiver.url);
    const read = reader(rig, 'campaign', account, destination.id);
    const settled = (wanted: unknown) =>
      eventually(async () => JSON.stringify(await read()) === JSON.stringify(wanted), { what: JSON.stringify(wanted) });
    expect(await read()).toEqual({ events: 0, delivered: 0, failed: 0, waiting: 0 });
    await rig.startWorker();
    await rig.publish(events(5), destination);
    await settled({ events: 2, delivered: 0, failed: 1, waiting: 3 });
    receiver.setReply(() => ({ status: 500 }));
    await rig.publish(events(4), destination);
    await settled({ events: 2, delivered: 0, failed: 2, waiting: 7 });
    await rig.publish(events(6), destination);
    await settled({ events: 2, delivered: 0, failed: 2, waiting: 13 });
    await rig.close();
    await receiver.close();
  });

  test('a subscription: events in flight count as waiting', async () => {
    const rig = await startRig({ kind: 'transactional', timeoutMs: 5000 });
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const receiver = await startReceiver({ reply: () => held.then(() => ({ status: 200 })) });
    const account = uniqueName('account');
    const destination = await rig.destination(account, receiver.url);
    const read = reader(rig, 'transactional', account, destination.id);
    await rig.startWorker();
    await rig.publish([anOpen(), anOpen()], destination);
    await receiver.waitForRequests(1);
    expect(await read()).toEqual({ events: 0, delivered: 0, failed: 0, waiting: 2 });
    release();
    await eventually(async () => (await read()).delivered === 2, { what: 'both delivered' });
    await eventually(async () => (await read()).waiting === 0, { what: 'both settled' });
    await rig.close();
    await receiver.close();
  });
});
