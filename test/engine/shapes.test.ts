import { exampleCampaignEvent, SHAPE_LIMITS } from '@mailhook/core';
import type { ProducerEvent, Route, Shape } from '@mailhook/core';
import { eventually, goodReply, startReceiver, uniqueName } from '@mailhook/testing';
import type { FakeReceiver } from '@mailhook/testing';
import { startRig } from './rig.ts';
import type { Rig } from './rig.ts';

/** Events of version 2 in each shape, through the whole engine. */
describe('a destination of version 2', () => {
  let rig: Rig;
  let receiver: FakeReceiver;
  beforeEach(async () => {
    rig = await startRig({ kind: 'campaign', scheduleMs: [10] });
    receiver = await startReceiver();
  });
  afterEach(async () => {
    await rig.close();
    await receiver.close();
  });

  const events = (account: string, count: number): ProducerEvent[] =>
    Array.from({ length: count }, (_, i) => ({ ...exampleCampaignEvent('bounce'), account, id: `event-${i}` }));
  const setUp = (account: string, shape: Shape, version = 1) =>
    rig.destination(account, receiver.url, { shape, ...SHAPE_LIMITS[shape], version });
  const publish = (destination: string, list: readonly ProducerEvent[], shape: Shape) => {
    const route: Route = { id: destination, version: 2, isSingle: shape === 'single' };
    return rig.publisher.publish(list.map((event) => ({ event, destinations: [route] })));
  };
  const objects = () =>
    receiver.requests.flatMap(({ json }) => json as { id: string; hash?: string; attempt?: number }[]);
  const idsOf = (list: readonly { id: string }[]) => list.map(({ id }) => id).sort();

  it('gets one object per request, as single', async () => {
    const account = uniqueName('account');
    const { id } = await setUp(account, 'single');
    await rig.startWorker();
    await publish(id, events(account, 5), 'single');
    await receiver.waitForRequests(5);
    expect(idsOf(objects())).toEqual(idsOf(events(account, 5) as { id: string }[]));
    expect(receiver.requests.map(({ json }) => Object.keys(json as object).includes('hash'))).not.toContain(true);
    expect(receiver.requests[0]?.json).toMatchObject({ version: 2, module: 'campaign', event: 'bounce', type: 'hard' });
  });

  it('gets a list per request, as array, and the same bytes again after a refusal', async () => {
    const account = uniqueName('account');
    const { id } = await setUp(account, 'array');
    receiver.setReply(() => ({ status: receiver.requests.length === 1 ? 500 : 204 }));
    await publish(id, events(account, 30), 'array');
    await rig.startWorker();
    await eventually(() => receiver.requests.length >= 2, { what: 'the resend' });
    await rig.untilEmpty(id);
    const [first, ...others] = receiver.requests;
    const again = others.find(({ headers }) => headers['webhook-id'] === first?.headers['webhook-id']);
    expect(again?.text).toBe(first?.text);
    expect(new Set(idsOf(objects())).size).toBe(30);
    expect(objects().some((one) => 'attempt' in one)).toBe(false);
  });

  it('gets a list with hashes, as batch, and acknowledges each event', async () => {
    const account = uniqueName('account');
    const { id } = await setUp(account, 'batch');
    receiver.setReply((request) =>
      receiver.requests.length === 1
        ? { json: [{ hash: (request.json as { hash: string }[])[0]?.hash, status: true }] }
        : goodReply(request),
    );
    await publish(id, events(account, 3), 'batch');
    await rig.startWorker();
    await eventually(() => receiver.requests.length >= 2, { what: 'the resend of two events' });
    await rig.untilEmpty(id);
    const attempts = receiver.requests.map(({ json }) => (json as { attempt: number }[]).map(({ attempt }) => attempt));
    expect(attempts).toEqual([
      [1, 1, 1],
      [2, 2],
    ]);
  });

  it('gets events that were frozen under another shape as they were, and waiting ones in the new shape', async () => {
    const account = uniqueName('account');
    const { id } = await setUp(account, 'array');
    receiver.setReply(() => ({ status: 500 }));
    await publish(id, events(account, 2), 'array');
    await rig.startWorker();
    await receiver.waitForRequests(1);
    receiver.setReply(() => ({ status: 204 }));
    await setUp(account, 'single', 2);
    await publish(id, events(account, 4).slice(2), 'array');
    await eventually(() => receiver.requests.filter(({ json }) => !Array.isArray(json)).length === 2, {
      what: 'two single events',
    });
    await rig.untilEmpty(id);
    const arrays = receiver.requests.filter(({ json }) => Array.isArray(json));
    expect(new Set(arrays.map(({ text }) => text)).size).toBe(1);
  });

  it('gets events of version 1 that still wait as the specification has them, in requests of their own', async () => {
    const account = uniqueName('account');
    const { id } = await setUp(account, 'array');
    const click = { ...exampleCampaignEvent('click'), account, id: 'old' };
    await rig.publisher.publish([{ event: click, destinations: [{ id, version: 1 }] }]);
    await publish(id, events(account, 2), 'array');
    await rig.startWorker();
    await eventually(() => receiver.requests.length >= 2, { what: 'a request of each version' });
    await rig.untilEmpty(id);
    const versions = receiver.requests.map(({ json }) =>
      (json as { version?: number }[]).map(({ version }) => version),
    );
    // Both may be in flight at the same time.
    expect(versions.sort((one, other) => one.length - other.length)).toEqual([[undefined], [2, 2]]);
  });
});
