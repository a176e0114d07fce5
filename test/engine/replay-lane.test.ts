import type { Destination, Mechanism, Route } from '@mailhook/core';
import { createReplayPublisher } from '@mailhook/delivery';
import { eventually, startReceiver, uniqueName } from '@mailhook/testing';
import type { FakeReceiver, ReceivedRequest } from '@mailhook/testing';
import type { Rig } from './rig.ts';
import { startRig } from './rig.ts';
import { eventsOf, idsIn, inShape, publishVersion2 } from './version-2.suite.ts';

const KINDS: readonly Mechanism[] = ['campaign', 'transactional'];
const MOST = { chunks: 100, outcomes: 1000, bytes: 1_000_000 };

const replayOf = ({ headers }: ReceivedRequest): unknown => headers['webhook-replay'];

describe.each(KINDS)('%s: events of a replay', (kind) => {
  let rig: Rig;
  let receiver: FakeReceiver;
  beforeEach(async () => {
    receiver = await startReceiver();
    rig = await startRig({ kind, scheduleMs: [10], logMaxBytes: 1_000_000 });
  });
  afterEach(async () => {
    await rig.close();
    await receiver.close();
  });

  const publishReplay = (destination: Destination, replay: string, from: number, to: number, page = 0) => {
    const { id, account, shape } = destination;
    const route: Route = { id, version: 2, isSingle: shape === 'single' };
    const events = eventsOf(kind, from, to).map((event, number) => ({
      event: { ...event, account },
      chunk: 'c1',
      number,
    }));
    return createReplayPublisher(rig.installation).publish({ replay, page, route, events });
  };
  const outcomesOnce = async (count: number) => {
    const read = async () => (await rig.log.read(MOST)).outcomes;
    await eventually(async () => (await read()).length >= count, { what: `${count} outcomes` });
    return read();
  };

  it.each(['single', 'array'] as const)(
    'leave as %s in requests of their own, with its id in a header',
    async (shape) => {
      const destination = await rig.destination(uniqueName('account'), receiver.url, inShape(shape));
      await publishVersion2(rig, destination, eventsOf(kind, 0, 4));
      await publishReplay(destination, 'r1', 0, 4);
      await publishReplay(destination, 'r2', 2, 4);
      await rig.startWorker();
      await eventually(() => idsIn(receiver.requests).length === 10, { what: 'ten events' });
      const idsOf = (replay: unknown) =>
        idsIn(receiver.requests.filter((request) => replayOf(request) === replay)).toSorted();
      const names = (from: number, to: number) => eventsOf(kind, from, to).map(({ id }) => id);
      expect([idsOf(undefined), idsOf('r1'), idsOf('r2')]).toEqual([names(0, 4), names(0, 4), names(2, 4)]);
      const outcomes = await outcomesOnce(shape === 'single' ? 10 : 3);
      const events = (replay: string) =>
        outcomes.filter((one) => one.replay === replay).reduce((sum, { keys }) => sum + keys.length / 8, 0);
      expect([events(''), events('r1'), events('r2')]).toEqual([4, 4, 2]);
    },
  );

  it('leave in one of four requests while others wait, and once if a page is published twice', async () => {
    const shape = inShape('single', { concurrency: 1 });
    const destination = await rig.destination(uniqueName('account'), receiver.url, shape);
    await publishReplay(destination, 'r1', 0, 8);
    await publishReplay(destination, 'r1', 0, 8);
    await publishVersion2(rig, destination, eventsOf(kind, 100, 112));
    await rig.startWorker();
    await eventually(() => idsIn(receiver.requests).length >= 20, { what: 'twenty events' });
    const order = receiver.requests.map(replayOf);
    const lastNew = order.lastIndexOf(undefined);
    const whileOthersWait = order.slice(order.indexOf(undefined), lastNew);
    expect(whileOthersWait.filter((replay) => replay === 'r1').length).toBeLessThanOrEqual(whileOthersWait.length / 3);
    expect(whileOthersWait.includes('r1')).toBe(true);
    await rig.untilEmpty(destination.id);
    expect(idsIn(receiver.requests).length).toBe(20);
  });

  it('keep their replay in resends, dead letters and a redrive', async () => {
    receiver.setReply(() => ({ status: 500 }));
    const destination = await rig.destination(uniqueName('account'), receiver.url, inShape('array'));
    await rig.startWorker();
    await publishReplay(destination, 'r1', 0, 3);
    await outcomesOnce(1);
    const [letter] = (await rig.deadLetters.list({}, { limit: 10 })).items;
    receiver.setReply(() => ({ status: 204 }));
    await rig.deadLetters.redrive({ ids: [letter?.id ?? ''] });
    const outcomes = await outcomesOnce(3);
    expect(outcomes.map(({ result, replay }) => [result, replay])).toEqual([
      ['dead', 'r1'],
      ['waiting', 'r1'],
      ['delivered', 'r1'],
    ]);
    expect(new Set(receiver.requests.map(replayOf))).toEqual(new Set(['r1']));
  });
});
