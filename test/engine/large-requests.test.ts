import { chunkJob, version1Route } from '@mailhook/core';
import { engineKeys } from '@mailhook/delivery';
import { aCampaignEvent, anOpen, eventually, startReceiver, uniqueName } from '@mailhook/testing';
import { startRig } from './rig.ts';

test('10,000 events with ids arrive at three destinations, and a repeated request is a duplicate', async () => {
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
    const publish = () =>
      rig.publisher.publish(events.map((event) => ({ event, destinations: ids.slice(0, 3).map(version1Route) })));
    const received = () =>
      receivers.map(({ requests }) => requests.reduce((sum, { json }) => sum + (json as unknown[]).length, 0));
    await publish();
    await eventually(() => received().every((count, i) => i === 3 || count === 10_000), {
      what: '10,000 events at each of three receivers',
      withinMs: 20_000,
    });
    await publish();
    // An id names one event and not one message: the same id of another type is another event.
    const click = aCampaignEvent({ account, event: 'click', id: 'id-0' });
    await rig.publisher.publish([{ event: click, destinations: [ids[3] ?? ''].map(version1Route) }]);
    await eventually(() => received()[3] === 1, { what: 'the event behind the duplicates' });
    expect(received()).toEqual([10_000, 10_000, 10_000, 1]);
  } finally {
    await rig.close();
    await Promise.all(receivers.map((receiver) => receiver.close()));
  }
}, 60_000);

test('501 events for 20 subscriptions are one job with each event once, and a repetition is a duplicate', async () => {
  const rig = await startRig({ kind: 'transactional', timeoutMs: 30_000 });
  const receiver = await startReceiver();
  try {
    const account = uniqueName('account');
    const ids = Array.from({ length: 20 }, (_, i) => uniqueName(`subscription-${i}`));
    for (const id of ids) await rig.destination(account, `${receiver.url}/${id}`, { id });
    const events = Array.from({ length: 501 }, (_, i) => anOpen({ account, id: `id-${i}`, messageId: `m${i}` }));
    const publish = () =>
      rig.publisher.publish(events.map((event) => ({ event, destinations: ids.map(version1Route) })));
    await publish();
    const chunks = `${engineKeys(rig.queuePrefix, 0, 'transactional').queuePrefix}:transactional-chunks`;
    const [job = '', ...others] = await rig.redis.zrange(`${chunks}:prioritized`, '0', '-1');
    expect(others).toEqual([]);
    const { v, groups } = chunkJob.parse(JSON.parse((await rig.redis.hget(`${chunks}:${job}`, 'data')) ?? ''));
    expect([v, groups.map(([, to, , , entries]) => [to, entries.length])]).toEqual([1, [[ids, 501]]]);

    await rig.startWorker();
    await publish();
    await rig.publisher.publish([
      { event: anOpen({ account, messageId: 'last' }), destinations: ids.slice(0, 1).map(version1Route) },
    ]);
    const requests = await receiver.waitForRequests(20 * 501 + 1, 30_000);
    const sent = requests.map(({ path, json }) => `${path} ${(json as { messageId: string }).messageId}`);
    const wanted = ids.flatMap((id) => events.map(({ messageId }) => `/${id} ${messageId}`));
    expect(sent.sort()).toEqual([...wanted, `/${ids[0] ?? ''} last`].sort());
    expect(new Set(requests.map(({ headers }) => headers['webhook-id'])).size).toBe(sent.length);
  } finally {
    await rig.close();
    await receiver.close();
  }
}, 60_000);
