import { campaignBatch } from '@mailhook/core';
import { aCampaignEvent, eventually, startReceiver, uniqueName } from '@mailhook/testing';
import { startRig } from './rig.ts';

test('a request of 10,000 events with ids, each for three destinations, arrives; sent again, it is a duplicate', async () => {
  const rig = await startRig({ kind: 'campaign' });
  const receivers = await Promise.all([1, 2, 3, 4].map(() => startReceiver()));
  try {
    await rig.startWorker();
    const account = uniqueName('account');
    const ids = receivers.map((_, i) => uniqueName(`destination-${i}`));
    for (const [i, { url }] of receivers.entries()) await rig.destination(account, url, { id: ids[i] ?? '' });
    const events = Array.from({ length: 10_000 }, (_, i) =>
      aCampaignEvent({ account, id: `id-${i}`, email: `r${i}@example.com` }),
    );
    const publish = () => rig.publisher.publish(events.map((event) => ({ event, destinations: ids.slice(0, 3) })));
    const received = () =>
      receivers.map(({ requests }) => requests.reduce((sum, { json }) => sum + campaignBatch.parse(json).length, 0));
    await publish();
    await eventually(() => received().every((count, i) => i === 3 || count === 10_000), {
      what: '10,000 events at each of three receivers',
      withinMs: 20_000,
    });
    await publish();
    await rig.publisher.publish([{ event: aCampaignEvent({ account }), destinations: [ids[3] ?? ''] }]);
    await eventually(() => received()[3] === 1, { what: 'the event behind the duplicates' });
    expect(received()).toEqual([10_000, 10_000, 10_000, 1]);
  } finally {
    await rig.close();
    await Promise.all(receivers.map((receiver) => receiver.close()));
  }
}, 60_000);
