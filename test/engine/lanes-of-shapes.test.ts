import type { EventTypeName, Mechanism, Shape } from '@mailhook/core';
import { EVENT_TYPES } from '@mailhook/core';
import { acknowledge, eventually, startReceiver, uniqueName } from '@mailhook/testing';
import type { ReceivedRequest, ReplyAction } from '@mailhook/testing';
import { startRig } from './rig.ts';
import { eventsIn, eventsOf, inShape, publishVersion2 } from './version-2.suite.ts';

/** Of campaigns, all but the last. */
const CONTRACT = 'unsubscribe subscribe complaint suppression'.split(' ') as readonly EventTypeName[];

const OVERTAKING: Readonly<Record<Mechanism, readonly EventTypeName[]>> = {
  campaign: CONTRACT.slice(0, -1),
  transactional: CONTRACT,
};

test('the types that overtake are those of the contract', () => {
  const overtaking = Object.entries(EVENT_TYPES).filter(([, { lane }]) => lane === 'u');
  expect(overtaking.map(([name]) => name).sort()).toEqual([...OVERTAKING.transactional].sort());
});

describe.each<[Mechanism, Shape]>([
  ['transactional', 'single'],
  ['transactional', 'array'],
  ['transactional', 'batch'],
  ['campaign', 'single'],
  ['campaign', 'array'],
])('%s, %s: after the request in flight', (kind, shape) => {
  const isOvertaking = (type: string) => OVERTAKING[kind].includes(type as EventTypeName);

  test.each(OVERTAKING[kind])('a late %s overtakes what waits, and no request holds both lanes', async (type) => {
    let answer: (reply: ReplyAction) => void = () => undefined;
    const held = new Promise<ReplyAction>((resolve) => (answer = resolve));
    const good = ({ json }: ReceivedRequest) => (shape === 'batch' ? acknowledge(json) : { status: 204 });
    const receiver = await startReceiver({
      reply: (request) => (receiver.requests.length === 1 ? held : good(request)),
    });
    const rig = await startRig({ kind, timeoutMs: 30_000 });
    const destination = await rig.destination(uniqueName('account'), receiver.url, inShape(shape, { concurrency: 1 }));
    await rig.startWorker();
    await publishVersion2(rig, destination, eventsOf(kind, 0, 1));
    await receiver.waitForRequests(1);
    await publishVersion2(rig, destination, eventsOf(kind, 1, 31));
    await publishVersion2(rig, destination, eventsOf(kind, 31, 33, type));
    await eventually(async () => (await rig.mailbox(destination.id)).state.unsubscribes === 2, { what: 'all events' });
    answer(good(receiver.requests[0]!));
    await eventually(() => receiver.requests.flatMap(eventsIn).length === 33, {
      what: 'all requests',
      withinMs: 20_000,
    });
    const types = receiver.requests.map((request) => [...new Set(eventsIn(request).map(({ event }) => event))]);
    expect(types[1]).toEqual([type]);
    expect(types.filter((some) => some.some(isOvertaking) && !some.every(isOvertaking))).toEqual([]);
    // Neither lane starves the other: the next request is of the other one.
    expect(types[2]).toEqual(['delivered']);
    await rig.close();
    await receiver.close();
  });
});
